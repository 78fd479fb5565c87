#include "pairs/cell_walk.hpp"

#include <algorithm>

namespace featsieve {

CodeOrder sort_by_code(const DenseColumn& column, std::size_t n_rows) {
  CodeOrder order;
  order.begin.assign(column.levels + std::size_t{1}, 0);
  order.rows.resize(n_rows);
  column.with_codes([&](const auto* codes) {
    for (std::size_t row = 0; row < n_rows; ++row)
      ++order.begin[codes[row] + std::size_t{1}];
    for (std::size_t level = 1; level < order.begin.size(); ++level)
      order.begin[level] += order.begin[level - 1];
    std::vector<std::uint32_t> next(order.begin);
    for (std::size_t row = 0; row < n_rows; ++row)
      order.rows[next[codes[row]]++] = static_cast<std::uint32_t>(row);
  });
  return order;
}

CellWalk::CellWalk(const ClassRows& rows, const ExactLogTable& log,
                   std::span<const double> weights)
    : log_of_{&log}, weights_(weights), n_classes_(rows.n_classes()) {
  class_of_.resize(rows.order.size());
  for (std::size_t c = 0; c < n_classes_; ++c)
    std::fill(class_of_.begin() + static_cast<std::ptrdiff_t>(rows.begin[c]),
              class_of_.begin() + static_cast<std::ptrdiff_t>(rows.begin[c + 1]),
              static_cast<std::uint32_t>(c));
}

template <class Count, class Code>
auto CellWalk::walk(const CodeOrder& order, const Code* second, std::size_t levels,
                    std::uint32_t skip_first, std::uint32_t skip_second,
                    std::vector<Count>& in_class, std::vector<Count>& in_level) {
  // All zero between calls: what is counted is cleared by visiting the same rows again.
  in_class.resize(std::max(in_class.size(), levels), Count{0});
  in_level.resize(std::max(in_level.size(), levels), Count{0});
  std::vector<Count> class_totals(n_classes_, Count{0});
  PairSums<LogValue<Count>> sums;
  Count n{0};
  for (std::size_t level = 0; level + 1 < order.begin.size(); ++level) {
    if (level == skip_first) continue;
    const std::uint32_t* rows = order.rows.data();
    const std::size_t end = order.begin[level + 1];
    Count level_total{0};
    for (std::size_t run = order.begin[level]; run < end;) {
      const std::uint32_t c = class_of_[rows[run]];
      Count total{0};
      std::size_t k = run;
      for (; k < end && class_of_[rows[k]] == c; ++k) {
        const Code code = second[rows[k]];
        if (code == skip_second) continue;
        const Count amount_here = amount<Count>(rows[k]);
        in_class[code] += amount_here;
        total += amount_here;
      }
      for (; run < k; ++run) {
        const Code code = second[rows[run]];
        sums.joint += log_of_(in_class[code]);
        in_level[code] += in_class[code];
        in_class[code] = Count{0};
      }
      sums.first += log_of_(total);
      class_totals[c] += total;
      level_total += total;
    }
    for (std::size_t k = order.begin[level]; k < end; ++k) {
      const Code code = second[rows[k]];
      sums.joint -= log_of_(in_level[code]);
      in_level[code] = Count{0};
    }
    sums.first -= log_of_(level_total);
    n += level_total;
  }
  sums.classes = log_of_(n);
  for (const Count total : class_totals) sums.classes -= log_of_(total);
  sums.n = static_cast<double>(n);
  return sums;
}

PairSums<std::int64_t> CellWalk::count(const CodeOrder& order,
                                       const DenseColumn& second,
                                       std::uint32_t skip_first,
                                       std::uint32_t skip_second) {
  return second.with_codes([&](const auto* codes) {
    return walk(order, codes, second.levels, skip_first, skip_second, counts_in_class_,
                counts_in_level_);
  });
}

PairSums<double> CellWalk::weigh(const CodeOrder& order, const DenseColumn& second,
                                 std::uint32_t skip_first, std::uint32_t skip_second) {
  return second.with_codes([&](const auto* codes) {
    return walk(order, codes, second.levels, skip_first, skip_second, weights_in_class_,
                weights_in_level_);
  });
}

}  // namespace featsieve
