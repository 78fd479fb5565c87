#include <string>

#include "check.hpp"
#include "featsieve/plain_rows.hpp"

using namespace featsieve;

namespace {

void expect(const std::string& text, std::size_t end, bool plain) {
  // In front of it, rows of all lengths: what is looked for crosses every border of a
  // word of 64 bytes.
  for (std::size_t length = 0; length < 70; ++length) {
    const std::string before = length == 0 ? "" : std::string(length, 'x') + ",y\n";
    const RowsEnd rows = plain_rows(before + text, ',', 2);
    check::equal(static_cast<double>(rows.end),
                 static_cast<double>(before.size() + end), "end of " + text);
    check::that(rows.plain == plain, "plain: " + text);
  }
}

void plain_text() {
  expect("", 0, true);
  expect("a,b\n", 4, true);
  expect("a,b\nc", 4, true);
  expect("a,b\nc,d\n\"e", 8, true);
  expect(",\n\"\",\"\"\n", 8, true);
  expect("\"a\",\"b,c\"\r\n1,2\r\n", 16, true);
  expect("\"say \"\"x\"\"\",\"\"\"\"\n", 17, true);
  expect("a,\"b\rc\"\n", 8, true);
}

void anything_else() {
  expect("a\n", 2, false);
  expect("a,b,c\n", 6, false);
  expect("\n", 1, false);
  expect("a,b\n\nc,d\n", 9, false);
  expect("a,b\rc,d\n", 8, false);
  expect("a,\"b\nc\"\nd", 8, false);
  expect("a,b\"c\n", 6, false);
  expect("a,b\"c\nd,\"e\n", 6, false);
  expect("a,\"b\"c\n", 7, false);
  expect("a,\"b\" \"c\n\"\n", 9, false);
  expect("a,\"b\n", 0, false);
  expect("a\r\"b\n", 0, false);
  check::that(!plain_rows("a\n", ',', 1).plain, "one column");
}

void rows_are_counted() {
  std::string text;
  for (std::size_t i = 0; i < 200; ++i) {
    check::that(plain_rows(text, ';', 3).n_rows == i, "rows");
    text += std::string(i % 7, 'x') + ";\"a;b\";\n";
  }
}

}  // namespace

int main() {
  return check::run({{"plain text", plain_text},
                     {"anything else", anything_else},
                     {"rows", rows_are_counted}});
}
