#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace featsieve {

/// How far a table is from the nearest one without a three-way interaction.
struct ThreeWayDistance {
  double distance = 0;  // Pearson's X²
  double deviance = 0;
  std::int64_t degrees = 0;  // of freedom
};

/// Fits tables of class × first × second in which every two depend on each other and
/// the three do not, by iterative proportions.
class ThreeWayFit {
 public:
  /// counts: cell (c, a, b) at [(c * n_first + a) * n_second + b], none negative.
  /// Levels and classes that do not occur, and cells without a row of any class, do not
  /// count.
  ThreeWayDistance distance(std::span<const double> counts, std::size_t n_classes,
                            std::size_t n_first, std::size_t n_second);

 private:
  struct Axis {
    std::size_t size;    // levels that are summed over
    std::size_t stride;  // from one to the next
  };

  void keep_what_occurs(std::span<const double> counts, std::size_t n_classes,
                        std::size_t n_first, std::size_t n_second);
  void fit();
  double scale(const Axis& axis, std::span<const double> wanted);
  void sum(const Axis& axis, const std::vector<double>& cells,
           std::vector<double>& sums) const;

  std::size_t n_classes_ = 0;
  std::size_t n_first_ = 0;
  std::size_t n_second_ = 0;
  std::vector<double> counts_;
  std::vector<double> fitted_;
  std::vector<double> now_;
};

}  // namespace featsieve
