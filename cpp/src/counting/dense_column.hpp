#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "featsieve/counting.hpp"

namespace featsieve {

/// Row numbers sorted by class, stable: class c is order[begin[c]] to
/// order[begin[c + 1]].
struct ClassRows {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> begin;

  std::size_t n_classes() const { return begin.size() - 1; }
  std::size_t size(std::size_t c) const { return begin[c + 1] - begin[c]; }
};

/// Throws std::invalid_argument unless every class lies in [0, n_classes), or is
/// negative and its row may be left out.
ClassRows sort_by_class(std::span<const std::int32_t> classes, std::int32_t n_classes,
                        bool leave_out = false);

/// All rows in one class, in their order.
ClassRows one_class(std::size_t n_rows);

/// No level at all, where a level to leave out is asked for.
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// One column of codes with its rows sorted by class and its levels numbered from 0
/// without large gaps. Missing values, where there are any, are the last level.
struct DenseColumn {
  std::uint32_t levels = 0;  // with the missing one
  bool has_missing = false;
  std::vector<std::uint8_t> narrow;  // the codes, if there are at most 256 levels
  std::vector<std::uint32_t> wide;   // the codes, if there are more

  bool is_narrow() const { return levels <= 256; }

  /// Returns use(codes), which may be of either type.
  template <class Use>
  auto with_codes(const Use& use) const {
    return is_narrow() ? use(narrow.data()) : use(wide.data());
  }
};

/// Calls visit(j, column) for every column in turn; the column is reused afterwards.
/// Memory: one column, or a tile of 64 of them when rows are not contiguous.
void visit_dense_columns(const CodeMatrix& codes, const ClassRows& rows,
                         const std::function<void(std::size_t, DenseColumn&)>& visit,
                         Instructions instructions = best_instructions());

}  // namespace featsieve
