#include "neighbours/subset_list.hpp"

#include <algorithm>
#include <stdexcept>

namespace featsieve {

void check_subsets(const SubsetList& subsets, std::size_t n_columns) {
  if (subsets.begins.empty() || subsets.begins.front() != 0 ||
      subsets.begins.back() != static_cast<std::int64_t>(subsets.columns.size()))
    throw std::invalid_argument("begins must lead from 0 to the number of columns");
  for (std::size_t i = 0; i + 1 < subsets.begins.size(); ++i)
    if (subsets.begins[i] >= subsets.begins[i + 1])
      throw std::invalid_argument("a subset must have columns");
  for (const std::int32_t column : subsets.columns)
    if (column < 0 || static_cast<std::size_t>(column) >= n_columns)
      throw std::out_of_range("a subset names a column that does not exist");
}

std::size_t common_beginning(std::span<const std::int32_t> a,
                             std::span<const std::int32_t> b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t length = 0;
  while (length < most && a[length] == b[length]) ++length;
  return length;
}

}  // namespace featsieve
