#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "featsieve/counting.hpp"
#include "featsieve/instructions.hpp"

namespace featsieve::bindings {

namespace nb = nanobind;
using namespace nb::literals;

/// For what needs no Python: other threads run meanwhile.
inline constexpr nb::call_guard<nb::gil_scoped_release> kNoGil;

template <class T>
using Vector =
    nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// A matrix in any memory order.
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::device::cpu>;

/// Rows one after another.
template <class T>
using RowMajor =
    nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// An array that is written to, of any shape.
template <class T>
using Written = nb::ndarray<T, nb::numpy, nb::c_contig, nb::device::cpu>;

/// Values to read; the array itself is held by the caller of a function.
template <class T>
using Span = std::span<const T>;

/// The same, empty if the argument is None.
template <class T>
struct Maybe : Span<T> {
  Maybe() = default;
  explicit Maybe(std::optional<Span<T>> given) : Span<T>(given.value_or(Span<T>())) {}
};

/// The instructions to use, the best ones if the argument is None.
struct Path {
  std::optional<Instructions> chosen;
  operator Instructions() const { return chosen ? *chosen : best_instructions(); }
};

/// How a scanner that counts with planes is made.
using PlaneScannerInit = nb::init<const CodeMatrix&, Span<std::int32_t>, std::int32_t,
                                  Missing, Path, Maybe<double>>;
inline constexpr const char* kPlaneScannerDoc =
    "Encode the codes for scanning; a new permutation of the classes is a new scanner, "
    "which costs O(n p), far less than a scan.";

/// All values of an array without gaps.
template <class T, class... Kind>
std::span<T> all_of(const nb::ndarray<T, Kind...>& array) {
  return {array.data(), array.size()};
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

/// A copy of what somebody else owns.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::span<const T> values) {
  return to_numpy(std::vector<T>(values.begin(), values.end()));
}

/// One array for a field of all structures.
template <class Struct, class Field, class As = Field>
nb::ndarray<nb::numpy, As> column_of(const std::vector<Struct>& all,
                                     Field Struct::* field, As /*type*/ = {}) {
  std::vector<As> values;
  for (const Struct& each : all) values.push_back(static_cast<As>(each.*field));
  return to_numpy(std::move(values));
}

/// The same function with an array as its result, without the interpreter's lock.
template <class Result, class... Arguments>
auto as_numpy(Result (*function)(Arguments...)) {
  return [function](Arguments... arguments) {
    return to_numpy(without_gil([&] { return function(arguments...); }));
  };
}

template <class Result, class Self, class... Arguments>
auto as_numpy(Result (Self::*method)(Arguments...) const) {
  return [method](const Self& self, Arguments... arguments) {
    return to_numpy(without_gil([&] { return (self.*method)(arguments...); }));
  };
}

}  // namespace featsieve::bindings

namespace nanobind::detail {

/// Reads an array in place: never a converted copy, which would not outlive the caster.
template <class Array, class View>
struct view_caster {
  NB_TYPE_CASTER(View, make_caster<Array>::Name)

  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    make_caster<Array> caster;
    const auto strict = static_cast<Flags>(flags & ~Flags{cast_flags::convert});
    if (source.is_none() || !caster.from_python(source, strict, cleanup)) return false;
    value = view_of(caster.value);
    return true;
  }

 private:
  static View view_of(const Array& array) {
    if constexpr (requires(View view) { view.row_stride; })
      return {array.data(), array.shape(0), array.shape(1), array.stride(0),
              array.stride(1)};
    else
      return {array.data(), array.size()};
  }
};

template <class T>
struct type_caster<std::span<const T>>
    : view_caster<featsieve::bindings::Vector<T>, std::span<const T>> {};

template <class T>
struct type_caster<std::span<T>>
    : view_caster<featsieve::bindings::Written<T>, std::span<T>> {};

template <class T>
struct type_caster<featsieve::MatrixView<T>>
    : view_caster<featsieve::bindings::Matrix<T>, featsieve::MatrixView<T>> {};

/// Makes a value of what an optional argument is; `= nb::none()` adds "None" to its
/// type.
template <class Optional, class Made>
struct optional_argument_caster {
  NB_TYPE_CASTER(Made, make_caster<typename Optional::value_type>::Name)

  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) noexcept {
    make_caster<Optional> caster;
    if (!caster.from_python(source, flags, cleanup)) return false;
    value = Made{caster.value};
    return true;
  }
};

template <class T>
struct type_caster<featsieve::bindings::Maybe<T>>
    : optional_argument_caster<std::optional<std::span<const T>>,
                               featsieve::bindings::Maybe<T>> {};

template <>
struct type_caster<featsieve::bindings::Path>
    : optional_argument_caster<std::optional<featsieve::Instructions>,
                               featsieve::bindings::Path> {};

}  // namespace nanobind::detail
