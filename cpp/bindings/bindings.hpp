#pragma once

#include <nanobind/nanobind.h>

namespace featsieve::bindings {

/// One function per file of bindings; module.cpp is the table of contents.
void bind_associations(nanobind::module_& module);
void bind_counts(nanobind::module_& module);
void bind_common_rows(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_exploration(nanobind::module_& module);
void bind_files(nanobind::module_& module);
void bind_forests(nanobind::module_& module);
void bind_measures(nanobind::module_& module);
void bind_neighbours(nanobind::module_& module);
void bind_pairs(nanobind::module_& module);
void bind_relief(nanobind::module_& module);
void bind_shadows(nanobind::module_& module);
void bind_trees(nanobind::module_& module);
void bind_triples(nanobind::module_& module);

}  // namespace featsieve::bindings
