#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/exact_log_table.hpp"

namespace featsieve {

/// What is known of the cases of a tree, by case number. The first cases are the rows;
/// behind them follow the copies that missing values make, with a part of the weight.
struct CaseData {
  std::vector<std::uint32_t> label;  // class; all 0 if a number is predicted
  std::vector<double> response;      // the number; empty if classes are
  std::vector<double> weight;
  std::vector<std::uint32_t> count;  // the weight, where it is whole
  std::vector<std::uint32_t> mark;   // of rows: twice the count, plus 1 for class 1
};

// A score knows how orderly a set of cases is, from their sums (class weights, or the
// weight, the sum and the sum of squares of a number): `part` is the higher, the more
// orderly, and the gain of a split is the sum of the parts of its branches less the
// part of all, over the weight of the node. It also follows a cut that moves one case
// after another from the right to the left: `start`, `move`, `score`. The arrays of the
// cases may move between two starts.

/// Entropy of two classes of whole weights, in exact units.
class EntropyOfTwo {
 public:
  EntropyOfTwo(const CaseData& cases, const ExactLogTable& logs)
      : cases_(&cases), logs_(&logs) {}

  double part(const double* sums) const {
    const auto first = static_cast<std::size_t>(sums[0]);
    const auto second = static_cast<std::size_t>(sums[1]);
    const std::int64_t total =
        (*logs_)(first) + (*logs_)(second) - (*logs_)(first + second);
    return static_cast<double>(total) * logs_->unit();
  }

  void start(const double* known) {
    mark_ = cases_->mark.data();
    ones_ = static_cast<std::size_t>(known[1]);
    total_ = static_cast<std::size_t>(known[0]) + ones_;
    left_ = left_ones_ = 0;
  }
  void move(std::uint32_t number) {
    // Cases of whole weight are rows, so there is a mark.
    const std::size_t mark = mark_[number];
    left_ += mark >> 1U;
    left_ones_ += (mark & 1U) * (mark >> 1U);
  }
  double score() const {
    const ExactLogTable& logs = *logs_;
    const std::size_t right = total_ - left_;
    const std::size_t right_ones = ones_ - left_ones_;
    const std::int64_t total = logs(left_ones_) + logs(left_ - left_ones_) +
                               logs(right_ones) + logs(right - right_ones) -
                               logs(left_) - logs(right);
    return static_cast<double>(total) * logs.unit();
  }
  double left_weight() const { return static_cast<double>(left_); }
  double right_weight() const { return static_cast<double>(total_ - left_); }

 private:
  const CaseData* cases_;
  const std::uint32_t* mark_ = nullptr;
  const ExactLogTable* logs_;
  std::size_t ones_ = 0, total_ = 0, left_ = 0, left_ones_ = 0;
};

/// Entropy of any number of classes of whole weights, in exact units.
class EntropyOfCounts {
 public:
  EntropyOfCounts(const CaseData& cases, const ExactLogTable& logs,
                  std::size_t n_classes)
      : cases_(&cases),
        logs_(&logs),
        left_counts_(n_classes),
        right_counts_(n_classes) {}

  double part(const double* sums) const {
    std::size_t total = 0;
    std::int64_t cells = 0;
    for (std::size_t c = 0; c < left_counts_.size(); ++c) {
      const auto count = static_cast<std::size_t>(sums[c]);
      cells += (*logs_)(count);
      total += count;
    }
    return static_cast<double>(cells - (*logs_)(total)) * logs_->unit();
  }

  void start(const double* known) {
    label_ = cases_->label.data();
    count_ = cases_->count.data();
    left_ = right_ = 0;
    cells_ = 0;
    for (std::size_t c = 0; c < left_counts_.size(); ++c) {
      left_counts_[c] = 0;
      right_counts_[c] = static_cast<std::size_t>(known[c]);
      right_ += right_counts_[c];
      cells_ += (*logs_)(right_counts_[c]);
    }
  }
  void move(std::uint32_t number) {
    const ExactLogTable& logs = *logs_;
    const std::size_t count = count_[number];
    std::size_t& here = left_counts_[label_[number]];
    std::size_t& there = right_counts_[label_[number]];
    cells_ += logs(here + count) - logs(here) + logs(there - count) - logs(there);
    here += count;
    there -= count;
    left_ += count;
    right_ -= count;
  }
  double score() const {
    return static_cast<double>(cells_ - (*logs_)(left_) - (*logs_)(right_)) *
           logs_->unit();
  }
  double left_weight() const { return static_cast<double>(left_); }
  double right_weight() const { return static_cast<double>(right_); }

 private:
  const CaseData* cases_;
  const std::uint32_t* label_ = nullptr;
  const std::uint32_t* count_ = nullptr;
  const ExactLogTable* logs_;
  std::vector<std::size_t> left_counts_, right_counts_;
  std::size_t left_ = 0, right_ = 0;
  std::int64_t cells_ = 0;
};

/// Entropy of classes of any weights. A logarithm is taken only for classes that moved.
class EntropyOfWeights {
 public:
  EntropyOfWeights(const CaseData& cases, std::size_t n_classes)
      : cases_(&cases), known_(n_classes), left_(n_classes), terms_(n_classes) {}

  double part(const double* sums) const {
    double total = 0;
    double cells = 0;
    for (std::size_t c = 0; c < left_.size(); ++c) {
      cells += x_log2_x(sums[c]);
      total += sums[c];
    }
    return cells - x_log2_x(total);
  }

  void start(const double* known) {
    label_ = cases_->label.data();
    weight_ = cases_->weight.data();
    total_ = left_weight_ = 0;
    for (std::size_t c = 0; c < left_.size(); ++c) {
      known_[c] = known[c];
      left_[c] = 0;
      total_ += known[c];
      terms_[c] = x_log2_x(known[c]);
    }
    moved_.clear();
  }
  void move(std::uint32_t number) {
    const std::uint32_t label = label_[number];
    left_[label] += weight_[number];
    left_weight_ += weight_[number];
    if (moved_.empty() || moved_.back() != label) moved_.push_back(label);
  }
  double score() {
    for (const std::uint32_t c : moved_)
      terms_[c] = x_log2_x(left_[c]) + x_log2_x(known_[c] - left_[c]);
    moved_.clear();
    double cells = 0;
    for (const double term : terms_) cells += term;
    return cells - x_log2_x(left_weight_) - x_log2_x(right_weight());
  }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return std::max(0.0, total_ - left_weight_); }

 private:
  const CaseData* cases_;
  const std::uint32_t* label_ = nullptr;
  const double* weight_ = nullptr;
  std::vector<double> known_, left_, terms_;
  std::vector<std::uint32_t> moved_;
  double total_ = 0, left_weight_ = 0;
};

/// Gini's impurity of classes of any weights.
class Gini {
 public:
  Gini(const CaseData& cases, std::size_t n_classes)
      : cases_(&cases), known_(n_classes), left_(n_classes) {}

  double part(const double* sums) const {
    double total = 0;
    double squares = 0;
    for (std::size_t c = 0; c < left_.size(); ++c) {
      squares += sums[c] * sums[c];
      total += sums[c];
    }
    return total > 0 ? squares / total : 0.0;
  }

  void start(const double* known) {
    label_ = cases_->label.data();
    weight_ = cases_->weight.data();
    total_ = left_weight_ = left_squares_ = right_squares_ = 0;
    for (std::size_t c = 0; c < left_.size(); ++c) {
      known_[c] = known[c];
      left_[c] = 0;
      total_ += known[c];
      right_squares_ += known[c] * known[c];
    }
  }
  void move(std::uint32_t number) {
    const std::uint32_t label = label_[number];
    const double weight = weight_[number];
    const double right = known_[label] - left_[label];
    left_squares_ += weight * (2 * left_[label] + weight);
    right_squares_ += weight * (weight - 2 * right);
    left_[label] += weight;
    left_weight_ += weight;
  }
  double score() const {
    const double right = total_ - left_weight_;
    return (left_weight_ > 0 ? left_squares_ / left_weight_ : 0.0) +
           (right > 0 ? std::max(0.0, right_squares_) / right : 0.0);
  }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return std::max(0.0, total_ - left_weight_); }

 private:
  const CaseData* cases_;
  const std::uint32_t* label_ = nullptr;
  const double* weight_ = nullptr;
  std::vector<double> known_, left_;
  double total_ = 0, left_weight_ = 0, left_squares_ = 0, right_squares_ = 0;
};

/// Variance of a number. Responses are centred on their mean by the caller, so that
/// squares lose nothing.
class Variance {
 public:
  explicit Variance(const CaseData& cases) : cases_(&cases) {}

  double part(const double* sums) const {
    return sums[0] > 0 ? sums[1] * sums[1] / sums[0] : 0.0;
  }

  void start(const double* known) {
    response_ = cases_->response.data();
    weight_ = cases_->weight.data();
    total_ = known[0];
    sum_ = known[1];
    left_weight_ = left_sum_ = 0;
  }
  void move(std::uint32_t number) {
    left_weight_ += weight_[number];
    left_sum_ += weight_[number] * response_[number];
  }
  double score() const {
    const double right = total_ - left_weight_;
    const double right_sum = sum_ - left_sum_;
    return (left_weight_ > 0 ? left_sum_ * left_sum_ / left_weight_ : 0.0) +
           (right > 0 ? right_sum * right_sum / right : 0.0);
  }
  double left_weight() const { return left_weight_; }
  double right_weight() const { return std::max(0.0, total_ - left_weight_); }

 private:
  const CaseData* cases_;
  const double* response_ = nullptr;
  const double* weight_ = nullptr;
  double total_ = 0, sum_ = 0, left_weight_ = 0, left_sum_ = 0;
};

}  // namespace featsieve
