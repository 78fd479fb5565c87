#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "featsieve/views.hpp"

namespace featsieve::bindings {

namespace nb = nanobind;

template <class T>
using Vector =
    nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A matrix in any memory order.
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Vector<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
MatrixView<T> as_view(const Matrix<T>& array) {
  return {array.data(), array.shape(0), array.shape(1), array.stride(0),
          array.stride(1)};
}

/// Hands a vector to NumPy; the array owns it from here on.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values,
                                   std::initializer_list<std::size_t> shape) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owner->data();
  nb::capsule capsule(owner.release(), [](void* pointer) noexcept {
    delete static_cast<std::vector<T>*>(pointer);
  });
  return nb::ndarray<nb::numpy, T>(data, shape, capsule);
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

}  // namespace featsieve::bindings
