// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "vision/reading_page.h"

namespace coracle::vision::reading {
namespace {

constexpr double kOverlaps = 0.1;      // Of the area of two blocks that do not merely touch.
constexpr double kLettersOfText = 10;  // How many heights of a line a block of text in a column is long at least.

using Bits = std::vector<std::uint64_t>;

/// What each two blocks share, as sets of blocks.
class Pairs {
 public:
  Pairs(const Page& page, const std::vector<std::size_t>& members)
      : touches_(members.size()), overlaps_(members.size()), along_(members.size()), across_(members.size()) {
    const std::size_t words = (members.size() + 63) / 64;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::vector<Bits>* sets : {&touches_, &overlaps_, &along_, &across_}) (*sets)[i].resize(words);
      const Box& a = page.blocks[members[i]].box;
      for (std::size_t j = 0; j < members.size(); ++j) {
        const Box& b = page.blocks[members[j]].box;
        const double area = shared_area(a, b);
        set(touches_[i], j, area > 0);
        set(overlaps_[i], j, area > kOverlaps);
        set(along_[i], j, shared_along(a, b, page.direction) > 0);
        set(across_[i], j, shared_along(a, b, other(page.direction)) > 0);
      }
    }
  }

  bool touch(std::size_t i, std::size_t j) const { return has(touches_[i], j); }
  bool overlap(std::size_t i, std::size_t j) const { return has(overlaps_[i], j); }
  bool along(std::size_t i, std::size_t j) const { return has(along_[i], j); }

  /// Whether `k` shares a column with `i` but none with `j`, beside which it is.
  bool beside(std::size_t i, std::size_t j, std::size_t k) const {
    return has(along_[i], k) && !has(along_[j], k) && has(across_[j], k);
  }
  /// The blocks that overlap `i`, or are beside `j` as above; ascending.
  std::vector<std::size_t> third(std::size_t i, std::size_t j) const {
    std::vector<std::size_t> found;
    for (std::size_t word = 0; word < along_[i].size(); ++word) {
      std::uint64_t bits = overlaps_[i][word] | (along_[i][word] & ~along_[j][word] & across_[j][word]);
      for (; bits != 0; bits &= bits - 1) found.push_back(64 * word + static_cast<std::size_t>(std::countr_zero(bits)));
    }
    return found;
  }

 private:
  static void set(Bits& bits, std::size_t i, bool value) { bits[i / 64] |= std::uint64_t{value ? 1U : 0U} << (i % 64); }
  static bool has(const Bits& bits, std::size_t i) { return (bits[i / 64] >> (i % 64) & 1U) != 0; }

  std::vector<Bits> touches_;
  std::vector<Bits> overlaps_;
  std::vector<Bits> along_;
  std::vector<Bits> across_;
};

bool is_apart(const LayoutBlock& b) {
  return b.role == Role::kDocTitle || b.role == Role::kCross || b.role == Role::kCrossReference;
}

bool is_column_text(const LayoutBlock& b) {
  return b.role == Role::kText && b.long_side() > b.line_height * kLettersOfText;
}

}  // namespace

void tell_crossing(Page& page, std::vector<std::size_t>& members) {
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(page.blocks[a].box[0], page.blocks[a].width) <
           std::pair(page.blocks[b].box[0], page.blocks[b].width);
  });
  const Pairs pairs(page, members);
  const auto at = [&](std::size_t i) -> LayoutBlock& { return page.blocks[members[i]]; };
  for (std::size_t i = 0; i < members.size(); ++i) {
    LayoutBlock& block = at(i);
    if (is_apart(block)) continue;
    for (std::size_t j = 0; j < members.size(); ++j) {
      LayoutBlock& second = at(j);
      if (i == j || is_apart(second)) continue;
      if (pairs.touch(i, j)) {
        if (second.role == Role::kVision) {
          second.role = Role::kCross;
          break;
        }
        if (pairs.overlap(i, j) && block.area < second.area) {
          block.role = Role::kCross;
          break;
        }
      }
      if (!pairs.along(i, j)) continue;
      for (const std::size_t k : pairs.third(i, j)) {
        LayoutBlock& third = at(k);
        if (k == i || k == j || is_apart(third)) continue;
        if (pairs.overlap(i, k)) {
          if (third.role == Role::kVision) {
            third.role = Role::kCross;
            break;
          }
          if (block.role == Role::kVision || block.area < third.area) {
            block.role = Role::kCross;
            break;
          }
        }
        // Of two that stand beside each other in columns the block covers both.
        const bool covers = pairs.beside(i, j, k);
        if (covers && (block.role == Role::kVision || (is_column_text(second) && is_column_text(third))))
          block.role = block.label == "reference" ? Role::kCrossReference : Role::kCross;
      }
    }
  }
}

}  // namespace coracle::vision::reading
