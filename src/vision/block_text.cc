// SPDX-License-Identifier: Apache-2.0
#include "vision/block_text.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace coracle::vision::reading {
namespace {

constexpr double kOneRow = 0.6;       // Of the lower of two pieces: what they share in height in one row.
constexpr double kShortRow = 0.3;     // Of the longest row: what is free at the end of a paragraph.
constexpr double kHalfRow = 0.5;      // The same of the block, for rows that end in a letter or digit.
constexpr double kIndented = 0.4;     // Of the block: what is free before a row that begins a paragraph.
constexpr double kFreeHeights = 1.5;  // The same in heights of the row.

// Each begins ten digits.
constexpr char32_t kDigits[] = {
    0x30,    0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,   0xC66,
    0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,  0x1810,  0x1946,
    0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,  0xA8D0,  0xA900,  0xA9D0,
    0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0,
    0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60,
    0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0,
};

bool is_letter(std::string_view c) {
  return c.size() == 1 && ((c[0] >= 'a' && c[0] <= 'z') || (c[0] >= 'A' && c[0] <= 'Z'));
}

bool is_digit(std::string_view c) {
  const char32_t code = code_of(c);
  const auto* after = std::upper_bound(std::begin(kDigits), std::end(kDigits), code);
  return after != std::begin(kDigits) && code - after[-1] < 10;
}

/// What never ends a paragraph.
bool is_joining(std::string_view c) {
  static constexpr std::string_view kJoining[] = {",", "，", "、", ";", "；", ":", "：", "-", "'", "\"", "“"};
  return std::find(std::begin(kJoining), std::end(kJoining), c) != std::end(kJoining);
}

struct Row {
  std::vector<Piece> pieces;
  std::array<double, 4> sides{};
  bool ends = false;  ///< a paragraph
  std::string text;

  double extent(std::size_t i) const { return std::abs(sides.at(i + 2) - sides.at(i)); }
};

/// The lines of a block from its pieces.
class BlockRows {
 public:
  BlockRows(LayoutBlock& block, std::vector<Piece> pieces) : block_(block), pieces_(std::move(pieces)) {
    std::size_t upright = 0;
    for (const Piece& p : pieces_) upright += (p.sides[2] - p.sides[0]) * 1.5 >= p.sides[3] - p.sides[1] ? 1 : 0;
    block.turn_to(2 * upright >= pieces_.size() ? Direction::kHorizontal : Direction::kVertical);
    along_ = begin_of(block.direction);
    across_ = 1 - along_;
    start_ = block.box.at(along_);
    stop_ = block.box.at(along_ + 2);
    if (block.label != "reference") return;
    start_ = pieces_.front().sides.at(along_);
    stop_ = pieces_.front().sides.at(along_ + 2);
    for (const Piece& p : pieces_) {
      start_ = std::min(start_, p.sides.at(along_));
      stop_ = std::max(stop_, p.sides.at(along_ + 2));
    }
  }

  void set() {
    make_rows();
    if (!horizontal()) drop_broad_rows();
    measure();
    double longest = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      longest = std::max(longest, rows_[i].extent(along_));
      write(rows_[i], longest);
      if (i == 0) {
        block_.first_start = rows_[i].pieces.front().sides[0];
      } else if (i + 1 == rows_.size()) {
        block_.last_end = rows_[i].pieces.back().sides[2];
      }
    }
    block_.text = block_.label == "doc_title" ? joined(" ") : block_.label == "content" ? joined("\n") : paragraphs();
    block_.lines = static_cast<int>(rows_.size());
  }

 private:
  bool horizontal() const { return block_.direction == Direction::kHorizontal; }

  void make_rows() {
    std::stable_sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) {
      return horizontal() ? a.sides[1] < b.sides[1] : a.sides[0] > b.sides[0];
    });
    for (const Piece& piece : pieces_) {
      if (!rows_.empty() && shared(rows_.back().sides, piece.sides) >= kOneRow) {
        Row& row = rows_.back();
        row.pieces.push_back(piece);
        for (std::size_t i = 0; i < 2; ++i) {
          row.sides.at(i) = std::min(row.sides.at(i), piece.sides.at(i));
          row.sides.at(i + 2) = std::max(row.sides.at(i + 2), piece.sides.at(i + 2));
        }
      } else {
        rows_.push_back({{piece}, piece.sides, false, {}});
      }
    }
  }

  /// Of the lower one, what two pieces have in common across the row.
  double shared(const std::array<double, 4>& a, const std::array<double, 4>& b) const {
    const double both = std::min(a.at(across_ + 2), b.at(across_ + 2)) - std::max(a.at(across_), b.at(across_));
    const double lower = std::min(a.at(across_ + 2) - a.at(across_), b.at(across_ + 2) - b.at(across_));
    return both <= 0 || lower <= 0 ? 0 : both / lower;
  }

  /// Of columns some are much broader than the others: annotations, where few are as narrow as the narrowest.
  void drop_broad_rows() {
    double least = rows_.front().extent(across_);
    double most = least;
    for (const Row& row : rows_) {
      least = std::min(least, row.extent(across_));
      most = std::max(most, row.extent(across_));
    }
    if (most <= least * 2) return;
    const double limit = least * 1.1;
    const auto narrow =
        std::count_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.extent(across_) < limit; });
    if (static_cast<double>(narrow) < static_cast<double>(rows_.size()) * 0.4)
      std::erase_if(rows_, [&](const Row& r) { return r.extent(across_) > limit; });
  }

  void measure() {
    double heights = 0;
    double lengths = 0;
    for (const Row& row : rows_) {
      heights += row.extent(across_);
      lengths += row.extent(along_);
    }
    block_.line_height = heights / static_cast<double>(rows_.size());
    block_.line_length = lengths / static_cast<double>(rows_.size());
  }

  /// Joins the pieces of a row and tells whether a paragraph ends there.
  void write(Row& row, double longest) {
    std::stable_sort(row.pieces.begin(), row.pieces.end(), [&](const Piece& a, const Piece& b) {
      const double at_a = std::floor(a.sides.at(along_) / 2);
      const double at_b = std::floor(b.sides.at(along_) / 2);
      if (at_a != at_b) return at_a < at_b;
      return horizontal() ? a.sides[1] < b.sides[1] : a.sides[3] > b.sides[3];
    });
    std::string& text = row.text;
    for (const Piece& piece : row.pieces) {
      text += piece.text;
      if (!piece.text.empty() && is_letter(last_character(text))) text += ' ';
    }
    if (text.ends_with(' ')) text.pop_back();
    if (text.empty()) return;
    const std::string last(last_character(text));
    const bool letter = is_letter(last);
    const bool digit = is_digit(last);
    const double free = stop_ - row.pieces.back().sides.at(along_ + 2);
    const double gap = row.extent(across_) * kFreeHeights;
    if ((!letter && !digit && !is_joining(last)) || free > longest * kShortRow) {
      row.ends = free > gap || (!horizontal() && row.pieces.front().sides[1] - start_ > gap);
    }
    if (last == "-") {
      text.pop_back();
      return;
    }
    if (letter || last == "$") text += ' ';
    if ((!letter && !digit) || !horizontal()) {
      if (free <= longest * kShortRow || is_joining(last)) return;
    } else if (free <= (stop_ - start_) * kHalfRow) {
      return;
    }
    text += '\n';
    row.ends = true;
  }

  std::string joined(std::string_view between) const {
    std::string text;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i > 0) text += between;
      text += rows_[i].text;
    }
    return text;
  }

  std::string paragraphs() const {
    const auto ends =
        static_cast<double>(std::count_if(rows_.begin(), rows_.end(), [](const Row& r) { return r.ends; }));
    const auto count = static_cast<double>(rows_.size());
    std::string text;
    std::string last;
    bool after_short = false;
    for (const Row& row : rows_) {
      if (row.text.empty()) continue;
      const double indent = row.sides.at(along_) - start_;
      const bool deep = indent > (stop_ - start_) * kIndented ||
                        (indent > row.extent(across_) * kFreeHeights && !is_letter(last) && !is_digit(last));
      const bool parted = after_short && deep && !text.ends_with('\n');
      const std::string part = (parted ? "\n" : "") + row.text;
      text += part;
      last = last_character(part);
      if (last == " ") {
        const std::string_view before = std::string_view(part).substr(0, part.size() - 1);
        if (!last_character(before.substr(0, before.size() - last_character(before).size())).empty())
          last = last_character(before);
      }
      const bool closes = !part.ends_with('\n') && !is_letter(last) && !is_joining(last) && !is_digit(last);
      if ((closes && ends > count * 0.5) || ends > count * 0.6) text += '\n';
      if (stop_ - row.sides.at(along_ + 2) > (stop_ - start_) * kShortRow) after_short = true;
    }
    return text;
  }

  LayoutBlock& block_;
  std::vector<Piece> pieces_;
  std::vector<Row> rows_;
  std::size_t along_ = 0;
  std::size_t across_ = 1;
  double start_ = 0;
  double stop_ = 0;
};

}  // namespace

std::string_view last_character(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0) {
    --at;
    if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80) break;
  }
  return text.substr(at);
}

std::string_view first_character(std::string_view text) {
  std::size_t size = text.empty() ? 0 : 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80) ++size;
  return text.substr(0, size);
}

char32_t code_of(std::string_view character) {
  if (character.empty()) return 0;
  const auto first = static_cast<unsigned char>(character[0]);
  char32_t code = first < 0x80 ? first : first < 0xE0 ? first & 0x1FU : first < 0xF0 ? first & 0xFU : first & 0x7U;
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

bool is_chinese(std::string_view character) {
  const char32_t code = code_of(character);
  return code >= 0x4E00 && code <= 0x9FFF;
}

bool is_space(char32_t code) {
  return (code >= 0x9 && code <= 0xD) || (code >= 0x1C && code <= 0x20) || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F ||
         code == 0x205F || code == 0x3000;
}

void set_text(LayoutBlock& block, const std::vector<Piece>& pieces) {
  if (pieces.empty()) {
    block.text.clear();
    return;
  }
  BlockRows(block, pieces).set();
}

}  // namespace coracle::vision::reading
