#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "text/text_coder.hpp"

using namespace featsieve;

namespace {

/// Texts one after the other, with where each begins.
struct Column {
  std::string text;
  std::vector<std::int64_t> offsets{0};

  explicit Column(const std::vector<std::string>& texts) {
    for (const std::string& each : texts) {
      text += each;
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
  }

  TextColumn view() const { return {0, nullptr, offsets.data(), text}; }
};

CASE("texts are numbered") {
  std::vector<std::string> texts;
  std::vector<std::int32_t> expected;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 300; ++i) {
      // All lengths up to 40, alike but for the last byte.
      texts.push_back(std::string(i % 40, 'x') + static_cast<char>('a' + i / 40));
      expected.push_back(static_cast<std::int32_t>(i));
    }
  }
  const Column column(texts);
  TextCoder coder;
  for (int time = 0; time < 2; ++time) {
    std::vector<std::int32_t> codes(texts.size());
    coder.code(column.view(), codes);
    check::that(codes == expected, "order of appearance");
  }
  texts.resize(300);
  check::that(coder.levels() == texts, "levels");
}

CASE("missing texts") {
  const std::string words = "not available, sorry";
  const Column column({"a", "", "?", words, "b", "", words});
  const std::uint8_t validity = 0b1101011;
  TextCoder coder;
  std::vector<std::int32_t> codes(5);
  TextColumn form = column.view();
  form.validity = &validity;
  form.offset = 2;
  coder.code(form, codes);
  check::that(codes == std::vector<std::int32_t>{-1, 0, -1, 1, 0}, "codes");
  check::that(coder.levels() == std::vector<std::string>{words, ""}, "levels");
}

CASE("texts outside their buffer") {
  const Column column({"a text"});
  TextCoder coder;
  std::vector<std::int32_t> codes(1);
  TextColumn form = column.view();
  form.text = form.text.subspan(1);
  check::refuses([&] { coder.code(form, codes); }, "offsets");
}

}  // namespace
