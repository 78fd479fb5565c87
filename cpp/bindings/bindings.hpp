#pragma once

#include <nanobind/nanobind.h>

/// One function per file of bindings; module.cpp is the table of contents.
void bind_data(nanobind::module_& module);
void bind_measures(nanobind::module_& module);
void bind_pairs(nanobind::module_& module);
void bind_triples(nanobind::module_& module);
