#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "featsieve/text_coder.hpp"

using namespace featsieve;

namespace {

/// The same texts in both forms, spread over two buffers where they are views.
struct Column {
  std::vector<std::uint8_t> views;
  std::vector<std::string> buffers{"", ""};
  std::string text;
  std::vector<std::int64_t> offsets{0};

  explicit Column(const std::vector<std::string>& texts) {
    for (const std::string& each : texts) {
      std::uint8_t view[16];
      std::memset(view, 0xEE, sizeof view);  // what lies behind a text is no matter
      const auto size = static_cast<std::int32_t>(each.size());
      std::memcpy(view, &size, 4);
      if (each.size() <= 12) {
        std::memcpy(view + 4, each.data(), each.size());
      } else {
        const std::int32_t buffer = size % 2;
        std::string& target = buffers[static_cast<std::size_t>(buffer)];
        const auto place = static_cast<std::int32_t>(target.size());
        std::memcpy(view + 4, each.data(), 4);
        std::memcpy(view + 8, &buffer, 4);
        std::memcpy(view + 12, &place, 4);
        target += each;
      }
      views.insert(views.end(), view, view + 16);
      text += each;
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
  }

  TextColumn as_views() const {
    TextColumn column;
    column.views = views.data();
    for (const std::string& buffer : buffers) column.buffers.push_back(buffer);
    return column;
  }

  TextColumn as_offsets() const {
    TextColumn column;
    column.offsets = offsets.data();
    column.buffers.push_back(text);
    return column;
  }
};

void texts_are_numbered() {
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
  TextCoder coder({});
  for (const TextColumn& form : {column.as_views(), column.as_offsets()}) {
    std::vector<std::int32_t> codes(texts.size());
    coder.code(form, codes);
    check::that(codes == expected, "order of appearance");
  }
  texts.resize(300);
  check::that(coder.levels() == texts, "levels");
}

void missing_texts() {
  const std::string words = "not available, sorry";
  const Column column({"a", "", "?", words, "b", "b?", words + "!"});
  const std::uint8_t validity = 0b1101111;
  for (TextColumn form : {column.as_views(), column.as_offsets()}) {
    TextCoder coder({"", "?", "?", words});
    std::vector<std::int32_t> codes(5);
    form.validity = &validity;
    form.offset = 2;
    coder.code(form, codes);
    check::that(codes == std::vector<std::int32_t>{-1, -1, -1, 0, 1}, "codes");
    check::that(coder.levels() == std::vector<std::string>{"b?", words + "!"},
                "levels");
  }
}

void texts_outside_their_buffer() {
  const Column column({"a long text that is no view"});
  TextCoder coder({});
  std::vector<std::int32_t> codes(1);
  TextColumn form = column.as_views();
  form.buffers.back() = form.buffers.back().subspan(1);
  check::throws<std::invalid_argument>([&] { coder.code(form, codes); }, "views");
  form.buffers.clear();
  check::throws<std::invalid_argument>([&] { coder.code(form, codes); }, "no buffer");
  form = column.as_offsets();
  form.buffers[0] = form.buffers[0].subspan(1);
  check::throws<std::invalid_argument>([&] { coder.code(form, codes); }, "offsets");
}

}  // namespace

int main() {
  return check::run({{"texts are numbered", texts_are_numbered},
                     {"missing texts", missing_texts},
                     {"texts outside their buffer", texts_outside_their_buffer}});
}
