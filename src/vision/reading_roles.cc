// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "vision/reading_page.h"

namespace coracle::vision::reading {
namespace {

constexpr double kBeside = 0.1;      // Of the shorter of two blocks that lie in one column.
constexpr double kInside = 0.9;      // Of the smaller of two blocks of which one holds the other.
constexpr int kCentreDistance = 10;  // Pixels between the centres of a picture and a line that belongs to it.

struct Neighbours {
  std::vector<std::size_t> before;  ///< the nearest first
  std::vector<std::size_t> after;
};

Neighbours neighbours(const Page& page, std::size_t self, const std::vector<std::size_t>& others, Direction d) {
  const std::size_t i = begin_of(other(d));
  const auto top = [&](std::size_t n) { return page.blocks[n].box.at(i); };
  Neighbours found;
  for (const std::size_t n : others) {
    if (n == self || shared_of_shorter(page.blocks[self].box, page.blocks[n].box, d) <= kBeside) continue;
    (top(n) <= top(self) ? found.before : found.after).push_back(n);
  }
  std::stable_sort(found.before.begin(), found.before.end(),
                   [&](std::size_t a, std::size_t b) { return top(a) > top(b); });
  std::stable_sort(found.after.begin(), found.after.end(),
                   [&](std::size_t a, std::size_t b) { return top(a) < top(b); });
  return found;
}

bool contains(const std::vector<std::size_t>& list, std::size_t n) {
  return std::find(list.begin(), list.end(), n) != list.end();
}

std::vector<std::size_t> both(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  std::vector<std::size_t> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

void take(Page& page, std::size_t self, std::size_t child, Role role, std::vector<std::size_t>& from) {
  page.blocks[child].role = role;
  page.blocks[self].adopt(page.blocks, self, child);
  std::erase(from, child);
}

/// Small text above or below the title of a document, such as authors.
void match_doc_title(Page& page, std::size_t self) {
  const std::vector<std::size_t> others = page.texts;
  const Neighbours near = neighbours(page, self, others, page.blocks[self].direction);
  for (const std::vector<std::size_t>* side : {&near.before, &near.after}) {
    if (side->empty()) continue;
    const std::size_t n = side->front();
    const LayoutBlock& title = page.blocks[self];
    const LayoutBlock& text = page.blocks[n];
    const bool length = text.long_side() < title.long_side() || text.long_side() > 1.5 * title.long_side();
    if (text.direction == title.direction && text.label == "text" && text.short_side() < title.short_side() * 0.8 &&
        length && text.lines < 3 && edge_distance(title.box, text.box) < text.line_height * 2) {
      take(page, self, n, Role::kDocTitleText, page.texts);
    }
  }
  for (const std::size_t n : others) {
    const LayoutBlock& text = page.blocks[n];
    if (text.role == Role::kDocTitleText) continue;
    if (shared_of_smaller(page.blocks[self].box, text.box) > kInside && text.direction == page.blocks[self].direction)
      take(page, self, n, Role::kDocTitleText, page.texts);
  }
}

/// Titles just above or below that begin at the same place.
void match_paragraph_title(Page& page, std::size_t self) {
  const Neighbours near = neighbours(page, self, both(page.paragraph_titles, page.texts), page.blocks[self].direction);
  for (const std::vector<std::size_t>* side : {&near.before, &near.after}) {
    for (const std::size_t n : *side) {
      const LayoutBlock& title = page.blocks[self];
      const LayoutBlock& one = page.blocks[n];
      if (kind_of(one.label) != Kind::kParagraphTitle) break;
      const double height = std::min(title.line_height, one.line_height);
      if (one.direction == title.direction && std::abs(one.start - title.start) < height * 2 &&
          edge_distance(title.box, one.box) <= height * 1.5) {
        take(page, self, n, Role::kSubTitle, page.paragraph_titles);
      }
    }
  }
}

/// A short line of text beside a picture, in its column.
bool is_vision_footnote(const LayoutBlock& vision, const LayoutBlock& text, double distance) {
  if (text.direction != vision.direction || text.long_side() >= vision.long_side() || distance > text.line_height * 2)
    return false;
  const bool centred = text.short_side() < vision.short_side() && text.long_side() < 0.5 * vision.long_side() &&
                       std::abs(vision.centre_x() - text.centre_x()) < kCentreDistance;
  const bool at_side = vision.box[0] - text.box[0] < kCentreDistance || vision.box[2] - text.box[2] < kCentreDistance;
  return centred || (at_side && text.lines == 1);
}

/// Titles of pictures and tables, and the text that explains them.
class VisionMatch {
 public:
  VisionMatch(Page& page, std::size_t self) : page_(page), self_(self) {}

  void run() {
    const std::vector<std::size_t> others = both(page_.texts, page_.vision_titles);
    for (const Direction d : {vision().direction, other(vision().direction)}) {
      const Neighbours near = neighbours(page_, self_, others, d);
      match_before(near.before);
      match_after(near.after);
      if (titled_) break;
    }
    for (const std::size_t n : others) {
      if (!contains(page_.texts, n) || shared_of_smaller(vision().box, page_.blocks[n].box) <= kInside) continue;
      page_.blocks[n].label = "vision_footnote";
      take(page_, self_, n, Role::kVisionFootnote, page_.texts);
    }
  }

 private:
  const LayoutBlock& vision() const { return page_.blocks[self_]; }

  double distance(std::size_t n) const { return edge_distance(vision().box, page_.blocks[n].box); }

  void match_title(std::size_t n) {
    if (distance(n) > page_.blocks[n].line_height * 2) return;
    titled_ = true;
    take(page_, self_, n, Role::kVisionTitle, page_.vision_titles);
  }

  bool match_footnote(std::size_t n) {
    if (footnoted_ || !is_vision_footnote(vision(), page_.blocks[n], distance(n))) return false;
    footnoted_ = true;
    take(page_, self_, n, Role::kVisionFootnote, page_.texts);
    return true;
  }

  void match_before(const std::vector<std::size_t>& before) {
    for (const std::size_t n : before) {
      const bool title = kind_of(page_.blocks[n].label) == Kind::kVisionTitle;
      if (title) match_title(n);
      if (title) continue;
      if (page_.blocks[n].label == "text") match_footnote(n);
      break;
    }
  }

  void match_after(const std::vector<std::size_t>& after) {
    for (const std::size_t n : after) {
      const bool text = page_.blocks[n].label == "text";
      if (text && footnoted_) break;
      if (kind_of(page_.blocks[n].label) == Kind::kVisionTitle) match_title(n);
      if (!text) continue;
      if (match_footnote(n)) page_.blocks[n].label = "vision_footnote";
      break;
    }
  }

  Page& page_;
  std::size_t self_;
  bool titled_ = false;
  bool footnoted_ = false;
};

}  // namespace

double edge_distance(const Box& a, const Box& b, const EdgeWeights& weights) {
  const bool beside = shared_along(a, b, Direction::kVertical) > 0;
  const bool above = shared_along(a, b, Direction::kHorizontal) > 0;
  double x = 0;
  double y = 0;
  if (!above) x = std::min(std::abs(a[0] - b[2]), std::abs(a[2] - b[0])) * (a[2] < b[0] ? weights.left : weights.right);
  if (!beside) y = std::min(std::abs(a[1] - b[3]), std::abs(a[3] - b[1])) * (a[3] < b[1] ? weights.up : weights.down);
  return x + y;
}

void tell_role(Page& page, std::size_t self) {
  LayoutBlock& block = page.blocks[self];
  switch (kind_of(block.label)) {
    case Kind::kHeader: block.role = Role::kHeader; break;
    case Kind::kFooter: block.role = Role::kFooter; break;
    case Kind::kUnordered: block.role = Role::kUnordered; break;
    case Kind::kDocTitle:
      block.role = Role::kDocTitle;
      match_doc_title(page, self);
      break;
    case Kind::kParagraphTitle:
      block.role = Role::kParagraphTitle;
      match_paragraph_title(page, self);
      break;
    case Kind::kVision:
      block.role = Role::kVision;
      block.lines = 1;
      block.turn_to(page.direction);
      VisionMatch(page, self).run();
      break;
    case Kind::kVisionTitle:
    case Kind::kOther: block.role = Role::kText; break;
  }
}

}  // namespace coracle::vision::reading
