// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "vision/reading_cuts.h"
#include "vision/reading_page.h"

namespace coracle::vision::reading {
namespace {

constexpr int kNoCut = std::numeric_limits<int>::max();
constexpr double kWideGap = 3;      // Heights of a line: a gap that always parts.
constexpr double kNarrowGap = 1.2;  // A gap that parts where the columns above and below it differ.

bool is_child_or_margin(const LayoutBlock& b) {
  switch (b.role) {
    case Role::kHeader:
    case Role::kFooter:
    case Role::kUnordered:
    case Role::kVisionFootnote:
    case Role::kVisionTitle:
    case Role::kSubTitle:
    case Role::kDocTitleText: return true;
    default: return false;
  }
}

/// Cuts a page across its columns into parts that are read one after the other.
class PreCut {
 public:
  explicit PreCut(Page& page) : page_(page), across_(other(page.direction)) {}

  std::vector<std::vector<std::size_t>> parts() {
    const std::vector<std::size_t> centred = tell_roles();
    std::vector<Box> boxes;
    std::vector<Box> texts;
    for (const LayoutBlock& b : page_.blocks) {
      if (is_child_or_margin(b)) continue;
      boxes.push_back(b.box);
      if (b.role != Role::kVision) texts.push_back(b.box);
    }
    if (boxes.empty()) return {};
    const std::vector<Covered> rows = covered_parts(boxes, across_);
    cut_round(centred, rows);
    if (!texts.empty() && covered_parts(texts, page_.direction).size() == 1) cut_at_gaps(rows);
    std::vector<std::vector<std::size_t>> found = cut();
    if (page_.direction == Direction::kVertical) std::reverse(found.begin(), found.end());
    return found;
  }

 private:
  /// The blocks in the middle of the page.
  std::vector<std::size_t> tell_roles() {
    std::vector<std::size_t> centred;
    for (std::size_t i = 0; i < page_.blocks.size(); ++i) {
      if (!is_child_or_margin(page_.blocks[i])) tell_role(page_, i);
      const LayoutBlock& b = page_.blocks[i];
      const double tolerance =
          b.direction == Direction::kHorizontal ? whole_parts(b.long_side(), 5) : whole_parts(b.short_side(), 10);
      const std::size_t along = begin_of(page_.direction);
      if (std::abs((b.box.at(along) + b.box.at(along + 2)) / 2.0 - page_.centre) <= tolerance) centred.push_back(i);
    }
    return centred;
  }

  /// Blocks in the middle that are alone in their rows are parts of their own.
  void cut_round(const std::vector<std::size_t>& centred, const std::vector<Covered>& rows) {
    for (const std::size_t i : centred) {
      const LayoutBlock& b = page_.blocks[i];
      if (is_child_or_margin(b) || b.direction != page_.direction) continue;
      const auto row = std::find_if(rows.begin(), rows.end(),
                                    [&](const Covered& r) { return r.from == b.across_start && r.to == b.across_end; });
      if (row != rows.end() && row->boxes == 1) cuts_.insert({row->from, row->to});
    }
  }

  void cut_at_gaps(const std::vector<Covered>& rows) {
    int since = std::max(rows.front().from, 0);
    for (const int at : cuts_) {
      if (at < rows.front().to) since = std::max(since, at);
    }
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const int gap = rows[i].from - rows[i - 1].to;
      if (gap >= page_.line_height * kWideGap) {
        cuts_.insert(rows[i - 1].to);
      } else if (gap > page_.line_height * kNarrowGap && columns_differ(since, rows[i - 1].to, rows[i].to)) {
        since = rows[i - 1].to;
        cuts_.insert(since);
      }
    }
  }

  /// Whether the gaps between columns are at other places above than below the cut.
  bool columns_differ(int from, int at, int to) const {
    std::vector<Box> gaps;
    std::size_t most = 0;
    for (const auto& [begin, end] : {std::pair(from, at), std::pair(at, to)}) {
      const std::vector<std::pair<int, int>> found = valleys(boxes_between(begin, end), page_.direction);
      most = std::max(most, found.size());
      for (const auto& [first, last] : found) {
        Box box{};
        box.at(begin_of(page_.direction)) = first;
        box.at(begin_of(page_.direction) + 2) = last;
        gaps.push_back(box);
      }
    }
    return most > 0 && covered_parts(gaps, page_.direction).size() != most;
  }

  std::vector<Box> boxes_between(int from, int to) const {
    const std::size_t i = begin_of(across_);
    std::vector<Box> boxes;
    for (const LayoutBlock& b : page_.blocks) {
      if (b.box.at(i) >= from && b.box.at(i + 2) <= to) boxes.push_back(b.box);
    }
    return boxes;
  }

  std::vector<std::vector<std::size_t>> cut() {
    const std::size_t end = begin_of(across_) + 2;
    std::vector<std::size_t> sorted(page_.blocks.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
      return page_.blocks[a].box.at(end) < page_.blocks[b].box.at(end);
    });
    cuts_.insert(kNoCut);
    std::vector<std::vector<std::size_t>> parts;
    std::size_t next = 0;
    for (const int at : cuts_) {
      std::vector<std::size_t> part;
      for (; next < sorted.size() && page_.blocks[sorted[next]].box.at(end) <= at; ++next) {
        if (!is_child_or_margin(page_.blocks[sorted[next]])) part.push_back(sorted[next]);
      }
      if (!part.empty()) parts.push_back(std::move(part));
    }
    return parts;
  }

  Page& page_;
  Direction across_;
  std::set<int> cuts_;
};

/// The order of blocks none of which reaches across others.
std::vector<std::size_t> cut_order(const Page& page, const std::vector<std::size_t>& members) {
  if (members.empty()) return {};
  const Direction along = page.direction;
  const Direction across = other(along);
  std::vector<Box> boxes;
  int lines = 0;
  for (const std::size_t n : members) {
    boxes.push_back(page.blocks[n].box);
    lines = std::max(lines, page.blocks[n].lines);
  }
  const bool one_column = lines == 1 || covered_parts(boxes, along).size() == 1;
  std::vector<std::pair<std::size_t, Box>> sorted;
  for (std::size_t i = 0; i < members.size(); ++i) {
    Box box = boxes[i];
    if (along == Direction::kVertical) box = {-box[0], box[1], -box[2], box[3]};
    sorted.emplace_back(members[i], box);
  }
  const Direction rough = one_column ? across : along;
  const double step = whole_parts(one_column ? page.line_height : page.line_length, 2);
  const auto key = [&](const std::pair<std::size_t, Box>& one) {
    return std::pair(whole_parts(one.second.at(begin_of(rough)), step), one.second.at(begin_of(other(rough))));
  };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < sorted.size(); ++i) boxes[i] = sorted[i].second;
  draw_apart(boxes, across);
  std::vector<std::size_t> order;
  for (const std::size_t i : order_by_cuts(boxes, rough)) order.push_back(sorted[i].first);
  return order;
}

/// A block among its children.
std::vector<std::size_t> family(Page& page, std::size_t parent) {
  std::vector<std::size_t> members = page.blocks[parent].release();
  const bool horizontal = page.blocks[members.front()].direction == Direction::kHorizontal;
  members.push_back(parent);
  const auto key = [&](std::size_t n) {
    const LayoutBlock& b = page.blocks[n];
    const double x = b.centre_x();
    const double y = b.centre_y();
    return horizontal ? std::tuple(b.box[1], b.box[0], x * x + y * y) : std::tuple(-b.box[2], b.box[1], y * y - x * x);
  };
  std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return members;
}

}  // namespace

Page::Page(std::vector<LayoutBlock> all, const Box& box) : blocks(std::move(all)) {
  double heights = 0;
  double lengths = 0;
  std::size_t upright = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    switch (kind_of(blocks[i].label)) {
      case Kind::kHeader: headers.push_back(i); break;
      case Kind::kFooter: footers.push_back(i); break;
      case Kind::kUnordered: unordered.push_back(i); break;
      case Kind::kParagraphTitle: paragraph_titles.push_back(i); break;
      case Kind::kVisionTitle: vision_titles.push_back(i); break;
      case Kind::kDocTitle:
      case Kind::kVision: break;
      case Kind::kOther:
        texts.push_back(i);
        heights += blocks[i].line_height;
        lengths += blocks[i].line_length;
        upright += blocks[i].direction == Direction::kHorizontal ? 1 : 0;
    }
  }
  direction = 2 * upright >= texts.size() ? Direction::kHorizontal : Direction::kVertical;
  if (!texts.empty()) {
    line_height = heights / static_cast<double>(texts.size());
    line_length = lengths / static_cast<double>(texts.size());
  }
  centre = (box.at(begin_of(direction)) + box.at(begin_of(direction) + 2)) / 2.0;
}

std::vector<std::size_t> order_of(Page& page) {
  const std::vector<std::vector<std::size_t>> parts = PreCut(page).parts();
  std::vector<std::size_t> ordered;
  std::vector<std::size_t> left_out;
  for (std::vector<std::size_t> part : parts) {
    tell_crossing(page, part);
    std::vector<std::size_t> titles;
    std::vector<std::size_t> others;
    for (const std::size_t n : part) {
      const Role role = page.blocks[n].role;
      const bool apart = role == Role::kCross || role == Role::kCrossReference || role == Role::kDocTitle;
      (!apart ? others : kind_of(page.blocks[n].label) == Kind::kDocTitle ? titles : left_out).push_back(n);
    }
    std::vector<std::size_t> of_part = cut_order(page, others);
    insert_left_out(page, titles, of_part);
    ordered.insert(ordered.end(), of_part.begin(), of_part.end());
  }
  insert_left_out(page, left_out, ordered);
  sort_by_lines(page, page.headers);
  sort_by_lines(page, page.footers);
  sort_by_lines(page, page.unordered);
  ordered.insert(ordered.begin(), page.headers.begin(), page.headers.end());
  ordered.insert(ordered.end(), page.footers.begin(), page.footers.end());
  ordered.insert(ordered.end(), page.unordered.begin(), page.unordered.end());
  std::vector<std::size_t> all;
  for (const std::size_t n : ordered) {
    if (page.blocks[n].children.empty()) {
      all.push_back(n);
    } else {
      const std::vector<std::size_t> members = family(page, n);
      all.insert(all.end(), members.begin(), members.end());
    }
  }
  return all;
}

}  // namespace coracle::vision::reading
