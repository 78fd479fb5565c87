#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "featsieve/trees.hpp"
#include "trees/cut_scan.hpp"
#include "trees/split_scores.hpp"

namespace featsieve {

/// The cases of one node: a stretch of every list.
struct Segment {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t n_copies = 0;  // copies of cases that were alive when it was made
  bool whole = false;        // all weights are whole numbers

  std::size_t size() const { return end - begin; }
};

/// Which cases are in which node of a tree that grows depth first.
///
/// Every node owns the same stretch of the list of members and, if columns are sorted
/// beforehand, of one sorted list per numeric column. A split divides the stretch of
/// the node among its branches; the last branch comes first, so that the stretch of the
/// node that is grown next is always the last one and may become longer.
class CaseLists {
 public:
  CaseLists(const TreeColumns& columns, const TreeTarget& target,
            std::span<const double> weights, bool sort_columns);

  const CaseData& data() const { return data_; }
  std::size_t n_sums() const { return n_sums_; }
  Segment root() const { return root_; }
  /// Greatest sum of whole weights that a set of cases can have; 0 if not all are
  /// whole.
  std::size_t whole_total() const { return whole_total_; }

  std::uint32_t row(std::uint32_t number) const {
    return number < n_rows_ ? number : copied_[number - n_rows_];
  }
  std::span<const std::uint32_t> members(const Segment& segment) const {
    return {members_.data() + segment.begin, segment.size()};
  }
  /// Cases in the order of a numeric column, missing values last.
  std::span<const CodedCase> sorted(std::size_t column, const Segment& segment) const {
    return {sorted_[column].data() + segment.begin, segment.size()};
  }
  bool is_sorted() const { return sort_columns_; }

  void add(std::uint32_t number, double* sums) const {
    add(number, data_.weight[number], sums);
  }
  /// With a part of its weight.
  void add(std::uint32_t number, double weight, double* sums) const {
    if (data_.response.empty()) {
      sums[data_.label[number]] += weight;
      return;
    }
    const double response = data_.response[number];
    sums[0] += weight;
    sums[1] += weight * response;
    sums[2] += weight * response * response;
  }
  /// Forgets the copies of nodes that are done; call it with a node about to be grown.
  void forget_copies(const Segment& segment);

  // A split, step by step. ---------------------------------------------------------

  /// Sends cases to branch 0 if their code is at most `cut`, else to branch 1.
  void assign_cut(const Segment& segment, std::size_t column, std::uint32_t cut);
  /// Sends cases to the branch of their level.
  void assign_levels(const Segment& segment, std::size_t column,
                     std::span<const std::uint32_t> branch_of_level,
                     std::size_t n_branches);
  /// Weight of the cases sent to each branch so far: those whose value is known.
  std::span<const double> known_weights() const { return known_weights_; }
  std::size_t n_unassigned() const { return unassigned_.size(); }
  /// The branch of greatest known weight, the first of equals.
  std::uint32_t heaviest() const;

  /// Sends the unassigned cases to one branch.
  void send_to(std::uint32_t branch);
  /// Sends the unassigned cases to every branch whose share of the known weight is
  /// above `least_share`, with that part of their weight. Cases of which some
  /// branch would get less than `least_part` of the weight of their row go to the
  /// heaviest branch instead.
  void send_copies(double least_share, double least_part);

  /// Sums per branch, one after another.
  void branch_sums(const Segment& segment, std::vector<double>& sums) const;
  /// Divides the lists; only branches that are `open` get a segment, and copies of the
  /// cases sent to several: of very many levels hardly any are.
  void divide(const Segment& segment, std::span<const std::uint8_t> open,
              std::vector<Segment>& segments);

 private:
  static constexpr std::uint32_t kNowhere = 0xFFFFFFFFU;

  void sort_column(const TreeColumns& columns, std::size_t column);
  void begin_split(std::size_t n_branches);
  void make_copies(std::span<const std::uint8_t> open);
  template <class Item>
  void filter(std::vector<Item>& list, const Segment& segment,
              std::span<const std::uint8_t> open, std::span<const Segment> segments);
  template <class Item>
  void filter_two(std::vector<Item>& list, const Segment& segment,
                  std::span<const std::uint8_t> open);

  const TreeColumns* columns_;
  std::size_t n_rows_;
  std::size_t n_sums_;
  bool sort_columns_;
  std::size_t whole_total_ = 0;
  Segment root_;
  CaseData data_;
  std::vector<std::uint32_t> copied_;  // row of each copy
  std::vector<std::uint32_t> members_;
  std::vector<std::vector<CodedCase>> sorted_;

  // Of the split that is being made.
  std::size_t n_branches_ = 0;
  std::vector<std::uint32_t> branch_;  // by case
  std::vector<double> known_weights_;
  std::vector<std::uint32_t> unassigned_;
  std::vector<double> copy_shares_;           // by branch; 0: no copy goes there
  std::vector<std::uint32_t> copy_branches_;  // open ones that copies go to
  std::vector<std::uint32_t> copy_slot_;      // by branch: which copy goes there
  std::vector<std::uint32_t> first_copy_;     // by case

  std::vector<std::uint32_t> member_scratch_;
  std::vector<CodedCase> sorted_scratch_;
  std::vector<std::size_t> cursors_;
};

}  // namespace featsieve
