#pragma once

#include <cstddef>
#include <string_view>

namespace featsieve {

/// How far whole rows of delimited text reach, and whether they are plain.
struct RowsEnd {
  std::size_t end = 0;  // one past the line break of the last whole row
  bool plain = false;
  std::size_t n_rows = 0;  // of plain ones
};

/// Finds the last whole row of `text`, which begins with a row.
///
/// A quote opens at the start of a cell only, two quotes within quotes stand for one,
/// and what follows a closing quote up to the separator is part of the cell. Rows are
/// plain if no reader of such text can disagree about them: each has `n_cells` cells
/// (at least two, so that an empty line is never a row), quotes enclose cells wholly,
/// no line break is within quotes, and a carriage return stands before a line feed
/// only. `separator` is no quote and no line break.
RowsEnd plain_rows(std::string_view text, char separator, std::size_t n_cells);

}  // namespace featsieve
