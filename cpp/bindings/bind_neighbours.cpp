#include <nanobind/stl/tuple.h>

#include <optional>
#include <tuple>

#include "bindings.hpp"
#include "neighbours/neighbour_scan.hpp"
#include "numpy_views.hpp"

namespace featsieve::bindings {

namespace {

Span<Difference> kinds_of(Span<std::uint8_t> kinds) {
  for (const std::uint8_t kind : kinds)
    if (kind > static_cast<std::uint8_t>(Difference::kNominal))
      throw std::invalid_argument("kinds must be 0, 1 or 2");
  return {reinterpret_cast<const Difference*>(kinds.data()), kinds.size()};
}

SubsetList subsets_of(Span<std::int32_t> columns, Span<std::int64_t> begins) {
  if (begins.empty()) throw std::invalid_argument("begins must not be empty");
  return {columns, begins};
}

void construct_scanner(NeighbourScanner* self, const RowMajor<double>& values,
                       Span<std::uint8_t> kinds, const RowMajor<std::int32_t>& codes,
                       Span<std::int32_t> n_levels, Span<std::int32_t> classes,
                       std::size_t n_classes,
                       const std::optional<RowMajor<std::int32_t>>& left_out,
                       bool leave_one_out, Path path) {
  ScannedRows rows{
      all_of(values), kinds_of(kinds), {all_of(codes), n_levels, classes.size()},
      classes,        n_classes,       {},
      leave_one_out};
  if (left_out) {
    if (left_out->shape(1) != 2)
      throw std::invalid_argument("left_out must have two columns");
    rows.left_out = {reinterpret_cast<const LeftOut*>(left_out->data()),
                     left_out->shape(0)};
  }
  nb::gil_scoped_release release;
  new (self) NeighbourScanner(rows, path);
}

void bind_scanner(nb::module_& module) {
  nb::class_<NeighbourScanner>(module, "NeighbourScanner",
                               "How well neighbours in subsets tell the classes.")
      .def("__init__", construct_scanner, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(),
           nb::keep_alive<1, 6>(), nb::keep_alive<1, 8>(), "values"_a.noconvert(),
           "kinds"_a, "codes"_a.noconvert(), "n_levels"_a, "classes"_a, "n_classes"_a,
           "left_out"_a.noconvert() = nb::none(), "leave_one_out"_a = true,
           "instructions"_a = nb::none(),
           "Columns by rows, in values and in codes of equal values.")
      .def(
          "right",
          [](const NeighbourScanner& self, Span<std::int32_t> columns,
             Span<std::int64_t> begins, std::size_t k) {
            const SubsetList subsets = subsets_of(columns, begins);
            return to_numpy(without_gil([&] { return self.right(subsets, k); }));
          },
          "columns"_a, "begins"_a, "n_neighbours"_a,
          "Rows that are classified rightly, per subset.")
      .def(
          "boosting",
          [](const NeighbourScanner& self, Span<std::int32_t> columns,
             Span<std::int64_t> begins, std::size_t k, std::size_t n_rounds, Vote vote,
             Conflict conflict) {
            const SubsetList subsets = subsets_of(columns, begins);
            return to_numpy(without_gil([&] {
                              return self.boosting(subsets, k,
                                                   {n_rounds, vote, conflict});
                            }),
                            {subsets.size(), n_rounds});
          },
          "columns"_a, "begins"_a, "n_neighbours"_a, "n_rounds"_a, "vote"_a,
          "conflict"_a, "Z after 1, 2, ... rounds, per subset.")
      .def(
          "rounds",
          [](const NeighbourScanner& self, Span<std::int32_t> subset, std::size_t k,
             std::size_t positive, std::size_t n_rounds, Vote vote, Conflict conflict) {
            BoostingRounds result = without_gil([&] {
              return self.rounds(subset, k, positive, {n_rounds, vote, conflict});
            });
            return std::tuple(to_numpy(std::move(result.correlations)),
                              to_numpy(std::move(result.confidences)),
                              to_numpy(std::move(result.criterion)),
                              to_numpy(std::move(result.weights)),
                              to_numpy(std::move(result.margins)));
          },
          "subset"_a, "n_neighbours"_a, "positive"_a, "n_rounds"_a, "vote"_a,
          "conflict"_a,
          "r, alpha and Z of the rounds; weights and margins of the rows.");
}

/// Rows that vote for other rows, the queries.
class Electorate {
 public:
  Electorate(const NeighbourTable& table, std::span<const std::int32_t> classes,
             Instructions instructions)
      : search_(table, {}, instructions), classes_(classes) {}

  const NeighbourSearch& search() const { return search_; }
  std::span<const std::int32_t> classes() const { return classes_; }

 private:
  NeighbourSearch search_;
  std::span<const std::int32_t> classes_;
};

void construct_votes(Electorate* self, const RowMajor<double>& rows,
                     const RowMajor<double>& queries, Span<std::uint8_t> kinds,
                     Span<std::int32_t> classes, Path path) {
  const NeighbourTable table{all_of(rows), all_of(queries), kinds_of(kinds),
                             rows.shape(1), queries.shape(1)};
  new (self) Electorate(table, classes, path);
}

void bind_votes(nb::module_& module) {
  nb::class_<Electorate>(module, "NeighbourVotes",
                         "Classes of queries by the votes of the nearest rows.")
      .def("__init__", construct_votes, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>(), "rows"_a.noconvert(),
           "queries"_a.noconvert(), "kinds"_a, "classes"_a,
           "instructions"_a = nb::none(), "Both column by column.")
      .def(
          "of_exactly",
          [](const Electorate& self, Span<std::int32_t> columns,
             Span<std::int64_t> begins, std::size_t k, std::size_t n_classes,
             Span<double> slack) {
            const SubsetList subsets = subsets_of(columns, begins);
            return to_numpy(without_gil([&] {
                              return votes_of_exactly(self.search(), subsets, k,
                                                      self.classes(), n_classes, slack);
                            }),
                            {subsets.size(), self.search().table().n_queries});
          },
          "columns"_a, "begins"_a, "n_neighbours"_a, "n_classes"_a, "slack"_a,
          "By so many rows and no more; -1 where equal distances leave it open.")
      .def(
          "with_ties",
          [](const Electorate& self, Span<std::int32_t> columns,
             Span<std::int64_t> begins, std::size_t k, Span<std::int32_t> order) {
            const SubsetList subsets = subsets_of(columns, begins);
            return to_numpy(without_gil([&] {
                              return votes_with_ties(self.search(), subsets, k,
                                                     self.classes(), order);
                            }),
                            {subsets.size(), self.search().table().n_queries});
          },
          "columns"_a, "begins"_a, "n_neighbours"_a, "order"_a,
          "By these and all as near as the last; equal votes go by the order.");
}

}  // namespace

void bind_neighbours(nb::module_& module) {
  nb::enum_<Vote>(module, "NeighbourVote", "What neighbours say.")
      .value("REAL", Vote::kReal)
      .value("SIGN", Vote::kSign);
  nb::enum_<Conflict>(module, "ConflictScope", "What conflicting labels weigh less in.")
      .value("NONE", Conflict::kNone)
      .value("ROUNDS", Conflict::kRounds)
      .value("ROUNDS_AND_CRITERION", Conflict::kRoundsAndCriterion);
  bind_scanner(module);
  bind_votes(module);
}

}  // namespace featsieve::bindings
