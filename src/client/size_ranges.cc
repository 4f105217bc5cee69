// SPDX-License-Identifier: Apache-2.0
#include "client/size_ranges.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "client/error.h"

namespace coracle::client {
namespace {

constexpr size_t kMostSizes = 10000;  // combinations

struct SizeRange {
  std::string text;
  std::vector<int64_t> sizes;  // the largest first
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// `shape` is where the text stands, for messages.
SizeRange parse_size_range(std::string_view text, const std::string& shape) {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::string_view before, int64_t& value) {
    if (!std::string_view(at, static_cast<size_t>(end - at)).starts_with(before)) return false;
    const auto [next, error] = std::from_chars(at + before.size(), end, value);
    at = next;
    return error == std::errc() && value >= 0;
  };
  const bool good = number("", first) && number("..", last) && (at == end || number("/", step)) && at == end;
  const std::string quoted = shape.substr(0, 255) + ": '" + std::string(text.substr(0, 255)) + "'";
  if (!good || first > last || step < 1)
    fail(CORACLE_INVALID_ARGUMENT,
         quoted + " is not a range of sizes, expected FIRST..LAST or FIRST..LAST/STEP, as in 32..128/32");
  const int64_t rest = (last - first) % step;
  if (rest != 0)
    fail(CORACLE_INVALID_ARGUMENT, quoted + " does not end with its last size: steps of " + std::to_string(step) +
                                       " from " + std::to_string(first) + " on lead to " + std::to_string(last - rest));
  if ((last - first) / step >= static_cast<int64_t>(kMostSizes))
    fail(CORACLE_INVALID_ARGUMENT, quoted + " has more than " + std::to_string(kMostSizes) + " sizes");
  SizeRange range{std::string(text), {}};
  for (int64_t size = last; size >= first; size -= step) range.sizes.push_back(size);
  return range;
}

/// A text in pieces: numbers of ranges stand between the texts.
struct Piece {
  std::string text;
  size_t range = SIZE_MAX;
};

/// The pieces of a text; its ranges are added to those that are there already.
std::vector<Piece> pieces_of(const std::string& text, std::vector<SizeRange>& ranges) {
  std::vector<Piece> pieces;
  size_t begin = 0;  // of what is in no piece yet
  const size_t name_end = text.find_last_of("=:");
  size_t dots = text.find("..", name_end == std::string::npos ? 0 : name_end);
  for (; dots != std::string::npos; dots = text.find("..", begin)) {
    size_t from = dots;
    while (from > begin && is_digit(text[from - 1])) --from;
    size_t to = dots + 2;
    while (to < text.size() && (is_digit(text[to]) || text[to] == '/' || text[to] == '.')) ++to;
    SizeRange range = parse_size_range(std::string_view(text).substr(from, to - from), text);
    const auto same =
        std::find_if(ranges.begin(), ranges.end(), [&](const SizeRange& other) { return other.text == range.text; });
    pieces.push_back({text.substr(begin, from - begin), static_cast<size_t>(same - ranges.begin())});
    if (same == ranges.end()) ranges.push_back(std::move(range));
    begin = to;
  }
  pieces.push_back({text.substr(begin)});
  return pieces;
}

}  // namespace

std::vector<std::vector<std::string>> each_size(const std::vector<std::string>& shapes) {
  std::vector<SizeRange> ranges;
  std::vector<std::vector<Piece>> pieces;
  for (const std::string& shape : shapes) pieces.push_back(pieces_of(shape, ranges));
  size_t count = 1;
  for (const SizeRange& range : ranges) {
    count *= range.sizes.size();
    if (count > kMostSizes)
      fail(CORACLE_INVALID_ARGUMENT,
           "the ranges of sizes have more than " + std::to_string(kMostSizes) + " combinations");
  }
  std::vector<std::vector<std::string>> all;
  for (size_t i = 0; i < count; ++i) {
    std::vector<std::string>& texts = all.emplace_back();
    for (const std::vector<Piece>& of_shape : pieces) {
      std::string& text = texts.emplace_back();
      for (const Piece& piece : of_shape) {
        text += piece.text;
        if (piece.range == SIZE_MAX) continue;
        // The last range varies fastest.
        size_t behind = 1;
        for (size_t r = piece.range + 1; r < ranges.size(); ++r) behind *= ranges[r].sizes.size();
        const std::vector<int64_t>& sizes = ranges[piece.range].sizes;
        text += std::to_string(sizes[i / behind % sizes.size()]);
      }
    }
  }
  return all;
}

}  // namespace coracle::client
