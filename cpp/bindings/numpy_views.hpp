#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "featsieve/counting.hpp"

namespace featsieve::bindings {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector =
    nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A matrix in any memory order.
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::device::cpu>;

/// Codes in any of the types that kernels read.
using Codes =
    std::variant<Matrix<std::uint8_t>, Matrix<std::uint16_t>, Matrix<std::int32_t>>;

/// Rows one after another.
template <class T>
using RowMajor =
    nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// An array that is written to.
template <class T, std::size_t kAxes = 1>
using Written =
    nb::ndarray<T, nb::numpy, nb::ndim<kAxes>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> as_span(const Vector<T>& array) {
  return {array.data(), array.size()};
}

template <class T>
MatrixView<T> as_view(const Matrix<T>& array) {
  return {array.data(), array.shape(0), array.shape(1), array.stride(0),
          array.stride(1)};
}

inline CodeMatrix as_view(const Codes& codes) {
  return std::visit([](const auto& array) -> CodeMatrix { return as_view(array); },
                    codes);
}

/// All values of an array without gaps.
template <class T, class... Kind>
std::span<T> all_of(const nb::ndarray<T, Kind...>& array) {
  return {array.data(), array.size()};
}

/// Empty if there is no array.
template <class Array>
auto optional_span(const std::optional<Array>& array) {
  return array ? all_of(*array) : decltype(all_of(*array)){};
}

/// What a task returns that needs no Python.
template <class Task>
auto without_gil(const Task& task) {
  const nb::gil_scoped_release release;
  return task();
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
