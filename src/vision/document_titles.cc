// SPDX-License-Identifier: Apache-2.0
#include "vision/document_titles.h"

#include <algorithm>
#include <string_view>

#include "vision/block_text.h"

namespace coracle::vision::document_titles {
namespace {

bool is_one(std::string_view text, std::initializer_list<std::string_view> characters) {
  return std::find(characters.begin(), characters.end(), text) != characters.end();
}

/// How many bytes at the beginning are spaces.
std::size_t spaces(std::string_view text) {
  std::size_t size = 0;
  for (std::string_view c;
       size < text.size() && reading::is_space(reading::code_of(c = reading::first_character(text.substr(size))));
       size += c.size()) {
  }
  return size;
}

/// The length of a number without a leading zero, or 0.
std::size_t arabic(std::string_view text) {
  if (text.empty() || text[0] < '1' || text[0] > '9') return 0;
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

std::size_t chinese(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size()) {
    const std::string_view c = reading::first_character(text.substr(size));
    if (!is_one(c, {"一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "百", "千", "万",
                    "亿", "零", "壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖", "拾"}))
      break;
    size += c.size();
  }
  return size;
}

/// 1, 1.2, 1.2.3 and so on, with a point or comma after it.
std::size_t dotted(std::string_view text) {
  std::size_t size = arabic(text);
  if (size == 0) return 0;
  while (size < text.size() && text[size] == '.') {
    const std::size_t more = arabic(text.substr(size + 1));
    if (more == 0) break;
    size += 1 + more;
  }
  const std::string_view mark = reading::first_character(text.substr(size));
  return is_one(mark, {".", "、"}) ? size + mark.size() : size;
}

std::size_t in_brackets(std::string_view text) {
  const std::string_view open = reading::first_character(text);
  if (!is_one(open, {"(", "（"})) return 0;
  const std::string_view inner = text.substr(open.size());
  for (const std::size_t size : {arabic(inner), chinese(inner)}) {
    const std::string_view close = reading::first_character(inner.substr(size));
    if (size > 0 && is_one(close, {")", "）"})) return open.size() + size + close.size();
  }
  return 0;
}

std::size_t chinese_with_mark(std::string_view text) {
  const std::size_t size = chinese(text);
  if (size == 0) return 0;
  const std::string_view mark = reading::first_character(text.substr(size));
  return is_one(mark, {"、", "."}) ? size + mark.size() : size;
}

/// I to X with a point or a space after it.
std::size_t roman(std::string_view text) {
  const std::size_t size = std::min(text.find_first_not_of("IVX"), text.size());
  if (!is_one(text.substr(0, size), {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"})) return 0;
  const std::string_view mark = reading::first_character(text.substr(size));
  return mark == "." || (!mark.empty() && reading::is_space(reading::code_of(mark))) ? size + mark.size() : 0;
}

/// The bytes of the number that a title begins with, or 0.
std::size_t number(std::string_view text) {
  for (const auto kind : {dotted, in_brackets, chinese_with_mark, roman}) {
    if (const std::size_t size = kind(text); size > 0) return size;
  }
  return 0;
}

std::string_view without_spaces_behind(std::string_view text) {
  while (!text.empty() && reading::is_space(reading::code_of(reading::last_character(text))))
    text.remove_suffix(reading::last_character(text).size());
  return text;
}

}  // namespace
}  // namespace coracle::vision::document_titles

namespace coracle::vision {

LeveledTitle leveled(const std::string& title) {
  LeveledTitle result{title, 1};
  const std::string_view text = std::string_view(title).substr(document_titles::spaces(title));
  if (const std::size_t size = document_titles::number(text); size > 0) {
    std::string_view rest = text.substr(size);
    rest.remove_prefix(document_titles::spaces(rest));
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    // A title of several lines is left as it is.
    if (rest.find('\n') == std::string_view::npos)
      result.text = std::string(document_titles::without_spaces_behind(text.substr(0, size))) + " " + std::string(rest);
  }
  while (result.text.ends_with('.')) result.text.pop_back();
  result.level = 1 + static_cast<int>(std::count(result.text.begin(), result.text.end(), '.'));
  return result;
}

}  // namespace coracle::vision
