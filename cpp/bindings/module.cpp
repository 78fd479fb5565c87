#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.doc() = "Native kernels of featsieve; import them through featsieve._kernels.";
  bind_measures(module);
}
