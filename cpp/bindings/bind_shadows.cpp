#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "forests/shadow_growth.hpp"
#include "numpy_views.hpp"
#include "tree_arrays.hpp"

namespace featsieve::bindings {

void bind_shadows(nb::module_& module) {
  nb::class_<Shadows>(module, "Shadows", "Row-permuted copies of training columns.")
      .def(nb::init<const TreeColumns&, std::size_t, std::size_t, std::uint64_t>(),
           "columns"_a, "n_shadows"_a, "n_orders"_a, "seed"_a, nb::keep_alive<1, 2>())
      .def(
          "__init__",
          [](Shadows* self, const TreeColumns& columns, std::size_t n_shadows,
             const std::vector<Vector<std::uint32_t>>& orders) {
            std::vector<std::vector<std::uint32_t>> rows;
            rows.reserve(orders.size());
            for (const auto& order : orders)
              rows.emplace_back(order.data(), order.data() + order.size());
            new (self) Shadows(columns, n_shadows, std::move(rows));
          },
          "columns"_a, "n_shadows"_a, "orders"_a.noconvert(), nb::keep_alive<1, 2>())
      .def_prop_ro("n_shadows", &Shadows::n_shadows)
      .def(
          "rows",
          [](const Shadows& self, std::size_t column, std::size_t shadow) {
            if (shadow >= self.n_shadows() || column >= self.columns().n_columns())
              throw std::out_of_range("there is no such shadow");
            return to_numpy(self.order(self.order_of(column, shadow)));
          },
          "column"_a, "shadow"_a, "For each row: whose values it gets.");

  module.def(
      "grow_with_shadows",
      [](const Shadows& shadows, const GrowthRules& rules, Span<std::uint64_t> seeds,
         double power, Maybe<std::int32_t> classes, std::size_t n_classes,
         Maybe<double> numbers, Maybe<double> row_chances,
         Maybe<std::uint32_t> row_groups, Maybe<double> chances,
         Maybe<std::uint8_t> used_up_by) -> Arrays {
        GrowthRules own = rules;
        own.features.chances = chances;
        auto sums = without_gil([&] {
          return grow_with_shadows(shadows, {classes, n_classes, numbers}, row_chances,
                                   row_groups, own, seeds, {power, used_up_by});
        });
        const std::size_t n_features = sums.weight.size();
        const std::size_t n_shadows = sums.n_shadows;
        Arrays arrays;
        arrays["n_draws"] = to_numpy(std::move(sums.n_draws));
        arrays["weight"] = to_numpy(std::move(sums.weight));
        arrays["gain"] = to_numpy(std::move(sums.gain));
        arrays["shadow_gain"] =
            to_numpy(std::move(sums.shadow_gain), {n_features, n_shadows});
        return arrays;
      },
      "shadows"_a, "rules"_a, "seeds"_a, "power"_a, nb::kw_only(),
      "classes"_a = nb::none(), "n_classes"_a = 0, "numbers"_a = nb::none(),
      "row_chances"_a = nb::none(), "row_groups"_a = nb::none(),
      "chances"_a = nb::none(), "used_up_by"_a = nb::none(),
      "Sums over trees of what drawn features and their shadows gained.");
}

}  // namespace featsieve::bindings
