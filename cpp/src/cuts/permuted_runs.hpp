#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuts/mdl.hpp"
#include "featsieve/log_table.hpp"
#include "random/hypergeometric.hpp"

namespace featsieve {

/// Classes shuffled over the values of a numeric column, drawn from coarse to fine and
/// only as fine as a question needs. Values come in runs of ties, from the smallest to
/// the greatest; rows beyond them have no value.
///
/// How many rows of each class fall into the lower half of the values follows the
/// hypergeometric law, and so on within each half. Every halving has a random stream of
/// its own, so what is drawn does not depend on what was asked: number `draw` is always
/// the same permutation.
class PermutedRuns {
 public:
  PermutedRuns(std::span<const std::int64_t> runs,
               std::span<const std::int64_t> class_totals, std::uint64_t seed);

  /// Starts permutation number `number`.
  void draw(std::uint64_t number);

  /// Rows per class with a value, and without.
  std::span<const std::int64_t> known() const { return known_; }
  std::span<const std::int64_t> missing() const { return missing_; }

  /// False if no cut of the whole range is worth its price. Most shuffled columns have
  /// none, and to know that takes about sqrt(rows) halvings: the gain of a cut within a
  /// stretch of values is bounded by the class counts before and within it.
  bool may_be_cut(CutPrice price, const LogTable& logs);

  /// Class counts of all runs.
  void fill(Blocks<std::int64_t>& blocks);

 private:
  struct Stretch {
    std::size_t begin;  // runs
    std::size_t end;
    std::size_t before;  // in counts_: rows per class before it, then within it
  };

  std::int64_t rows(const Stretch& stretch) const {
    return ends_[stretch.end] - ends_[stretch.begin];
  }
  bool is_small(const Stretch& stretch) const;
  /// Draws the halves of a stretch; the counts of the upper one replace its own.
  std::pair<Stretch, Stretch> halves(const Stretch& stretch);
  Random stream_of(std::uint64_t kind, std::size_t place) const;

  double most_gain_within(const Stretch& stretch) const;
  double gain_bound(const std::int64_t* left, std::int64_t left_rows) const;
  bool is_worth_it(const std::int64_t* left, std::int64_t left_rows,
                   const LogTable& logs) const;
  bool small_may_be_cut(const Stretch& stretch, const LogTable& logs);
  template <class Visit>
  void visit_runs(const Stretch& stretch, const Visit& visit);
  Stretch whole();
  void set_price(CutPrice price, const LogTable& logs);

  std::size_t n_classes_;
  std::vector<std::int64_t> class_totals_;
  std::vector<std::int64_t> ends_;  // rows before every run, and of all runs
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  LogFactorials log_factorials_;
  std::vector<std::int64_t> known_;
  std::vector<std::int64_t> missing_;
  std::vector<double> share_;         // of classes among known rows
  double information_ = 0;            // n H of the classes of known rows, in bits
  double price_ = 0;                  // bits that a cut must save at least
  std::vector<std::int64_t> counts_;  // of open stretches, a stack
  std::vector<Stretch> open_;
  Waiting waiting_;
  std::vector<std::int64_t> group_;
  std::vector<std::int64_t> left_;
};

}  // namespace featsieve
