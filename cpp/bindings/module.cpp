#include "bindings.hpp"
#include "featsieve/log_table.hpp"

NB_MODULE(_core, module) {
  using namespace featsieve::bindings;
  module.doc() = "Native kernels of featsieve; import them through featsieve._kernels.";
  bind_data(module);  // first: its enumerations appear in signatures of the others
  bind_files(module);
  bind_measures(module);
  bind_neighbours(module);
  bind_pairs(module);
  bind_counts(module);  // after those whose enumerations it takes
  bind_relief(module);
  bind_trees(module);
  bind_forests(module);      // after trees, whose columns, rules and routers it takes
  bind_exploration(module);  // after pairs, whose instructions it takes
  bind_shadows(module);      // after the trees, whose rules it takes
  bind_triples(module);
  bind_associations(module);  // after those whose enumerations it takes
  bind_common_rows(module);
  // Filled now, in less than a millisecond, so that no first call has to.
  const featsieve::LogTable logs(featsieve::LogTable::kLargest);
  static_cast<void>(logs);
}
