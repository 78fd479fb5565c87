#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Native kernels of featsieve; import them through featsieve._kernels.";
  bind_data(module);  // first: its enumerations appear in signatures of the others
  bind_measures(module);
  bind_pairs(module);
  bind_triples(module);
}
