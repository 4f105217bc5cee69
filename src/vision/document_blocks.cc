// SPDX-License-Identifier: Apache-2.0
#include "vision/document_blocks.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "vision/block_text.h"
#include "vision/layout_block.h"
#include "vision/reading_page.h"

namespace coracle::vision::document_blocks {
namespace {

using reading::Kind;
using reading::LayoutBlock;
using reading::Piece;
using Edges = std::array<double, 4>;

constexpr double kSharedOfSmaller = 0.5;  // Of two regions of which one is dropped.
constexpr double kSameLine = 0.8;         // Of the smaller of a line and a part that is read once more.
constexpr double kTitleArea = 0.3;        // Of the largest region: a lone title of that area is the document's.
constexpr double kLeastShared = 3;        // Pixels in both directions that a line and its region share at least.

double area_of_edges(const Edges& e) { return (e[2] - e[0]) * (e[3] - e[1]); }

Edges common(const Edges& a, const Edges& b) {
  return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::min(a[2], b[2]), std::min(a[3], b[3])};
}

std::array<int, 4> whole(const Edges& e) {
  return {static_cast<int>(e[0]), static_cast<int>(e[1]), static_cast<int>(e[2]), static_cast<int>(e[3])};
}

/// Classes of older models by the names of newer ones.
std::string label_of_region(const std::string& name) {
  static constexpr std::pair<std::string_view, const char*> kNames[] = {
      {"Text", "text"},       {"List", "text"},    {"Title", "paragraph_title"},       {"title", "paragraph_title"},
      {"Table", "table"},     {"Figure", "image"}, {"figure_caption", "figure_title"}, {"table_caption", "table_title"},
      {"equation", "formula"}};
  for (const auto& [known, label] : kNames) {
    if (name == known) return label;
  }
  return name;
}

bool has_own_content(std::string_view label) { return label == "formula" || label == "table" || label == "seal"; }

/// What is numbered: all text but that of margins, which is left out of the running text.
bool is_numbered(std::string_view label) {
  static constexpr std::string_view kNumbered[] = {"text",           "formula",     "algorithm",       "reference",
                                                   "content",        "abstract",    "paragraph_title", "doc_title",
                                                   "abstract_title", "refer_title", "content_title"};
  return std::find(std::begin(kNumbered), std::end(kNumbered), label) != std::end(kNumbered);
}

Edges edges_of(const std::array<float, 4>& box) {
  Edges edges{};
  std::copy(box.begin(), box.end(), edges.begin());
  return edges;
}

std::string text_of(const Seal& seal) {
  std::string text;
  for (const TextLine& line : seal.lines) text += (text.empty() ? "" : "\n") + line.text;
  return text;
}

struct Part {
  std::string label;
  Edges edges;
  std::size_t region;
  std::string content;             ///< HTML of a table, text of a seal
  std::vector<std::size_t> lines;  ///< of the page
};

class Maker {
 public:
  Maker(const Document& document, const ReadPart& read) : document_(document), read_(read) {
    for (const TextLine& line : document.lines) {
      const auto [left, right] =
          std::minmax({line.corners[0].x, line.corners[1].x, line.corners[2].x, line.corners[3].x});
      const auto [top, bottom] =
          std::minmax({line.corners[0].y, line.corners[1].y, line.corners[2].y, line.corners[3].y});
      lines_.push_back({{static_cast<double>(left), static_cast<double>(top), static_cast<double>(right),
                         static_cast<double>(bottom)},
                        line.text});
    }
  }

  BlocksOfPage made(bool ordered) {
    take_regions();
    match_lines();
    correct_labels();
    if (read_) {
      read_shared_lines();
      read_empty_regions();
    } else {
      share_out_lines();
    }
    if (parts_.empty()) take_rest();
    std::vector<LayoutBlock> all;
    for (const Part& part : parts_) all.push_back(block_of(part));
    std::vector<std::size_t> order;
    if (ordered || (document_.regions.empty() && !document_.tables.empty())) {
      for (std::size_t i = 0; i < all.size(); ++i) order.push_back(i);
      return result(all, order);
    }
    reading::Page page(std::move(all), bounds());
    order = reading::order_of(page);
    return result(page.blocks, order);
  }

 private:
  /// Of two regions that lie in each other one is left: of a picture and another the other, else the larger.
  void take_regions() {
    const std::vector<Object>& regions = document_.regions;
    std::vector<bool> dropped(regions.size(), false);
    const auto edges = [&](std::size_t i) {
      return Edges{static_cast<double>(regions[i].left), static_cast<double>(regions[i].top),
                   static_cast<double>(regions[i].right), static_cast<double>(regions[i].bottom)};
    };
    for (std::size_t i = 0; i < regions.size(); ++i) {
      for (std::size_t j = i + 1; j < regions.size() && !dropped[i]; ++j) {
        if (dropped[j] || reading::shared_of_smaller(edges(i), edges(j)) <= kSharedOfSmaller) continue;
        const bool first = regions[i].name == "image";
        const bool second = regions[j].name == "image";
        const bool smaller = area_of_edges(edges(i)) <= area_of_edges(edges(j));
        const bool drops_first = first != second ? first : smaller;
        dropped[drops_first ? i : j] = true;
        covered_by_[drops_first ? i : j] = drops_first ? j : i;
      }
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (dropped[i]) continue;
      const std::string label = label_of_region(regions[i].name);
      parts_.push_back({label, edges(i), i, content_at(label, edges(i)), {}});
    }
  }

  /// What the table or the seal of a region has; nothing of other regions.
  std::string content_at(std::string_view label, const Edges& edges) const {
    if (label == "table") {
      for (const Table& table : document_.tables) {
        if (edges_of(table.box) == edges) return table.html;
      }
    }
    if (label == "seal") {
      for (const Seal& seal : document_.seals) {
        if (edges_of(seal.box) == edges) return text_of(seal);
      }
    }
    return {};
  }

  std::vector<std::size_t> lines_in(const Edges& edges) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Edges both = common(edges, lines_[i].sides);
      if (both[2] - both[0] > kLeastShared && both[3] - both[1] > kLeastShared) found.push_back(i);
    }
    return found;
  }

  void match_lines() {
    for (Part& part : parts_) {
      if (!has_own_content(part.label)) part.lines = lines_in(part.edges);
    }
  }

  /// A footnote that is not at the foot is text, and a lone large title is the document's.
  void correct_labels() {
    double lowest = 0;
    double largest = 0;
    std::size_t doc_titles = 0;
    std::vector<Part*> titles;
    for (Part& part : parts_) {
      largest = std::max(largest, area_of_edges(part.edges));
      if (part.label == "text") lowest = std::max(lowest, part.edges[3]);
      if (part.label == "doc_title") ++doc_titles;
      if (part.label == "paragraph_title") titles.push_back(&part);
    }
    for (Part& part : parts_) {
      if (part.label == "footnote" && part.edges[3] < lowest) part.label = "text";
    }
    if (titles.size() == 1 && doc_titles == 0 && area_of_edges(titles[0]->edges) > largest * kTitleArea)
      titles[0]->label = "doc_title";
  }

  /// In the order in which regions meet them, the lines in several regions with these.
  std::vector<std::pair<std::size_t, std::vector<std::size_t>>> shared_lines() const {
    std::map<std::size_t, std::vector<std::size_t>> owners;
    std::vector<std::size_t> met;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (const std::size_t line : parts_[i].lines) {
        if (owners[line].empty()) met.push_back(line);
        owners[line].push_back(i);
      }
    }
    std::vector<std::pair<std::size_t, std::vector<std::size_t>>> found;
    for (const std::size_t line : met) {
      if (owners[line].size() > 1) found.emplace_back(line, owners[line]);
    }
    return found;
  }

  void read_shared_lines() {
    for (const auto& [line, owners] : shared_lines()) {
      const Edges before = lines_[line].sides;
      bool first = true;
      for (const std::size_t owner : owners) {
        const Edges cut = common(before, parts_[owner].edges);
        for (const std::size_t i : parts_[owner].lines) {
          if (reading::shared_of_smaller(lines_[i].sides, cut) > kSameLine) lines_[i].text.clear();
        }
        const std::optional<std::string> text = read_(whole(cut));
        if (!text) continue;
        if (first) {
          const std::array<int, 4> pixels = whole(cut);
          lines_[line] = {cut, *text};
          if (whole_) std::copy(pixels.begin(), pixels.end(), lines_[line].sides.begin());
        } else {
          whole_ = whole_ && cut == before;
          std::erase(parts_[owner].lines, line);
          parts_[owner].lines.push_back(lines_.size());
          lines_.push_back({cut, *text});
        }
        first = false;
      }
    }
  }

  void read_empty_regions() {
    for (Part& part : parts_) {
      const bool has_text =
          std::any_of(part.lines.begin(), part.lines.end(), [&](std::size_t i) { return !lines_[i].text.empty(); });
      if (has_text || has_own_content(part.label) || reading::kind_of(part.label) == Kind::kVision) continue;
      const std::optional<std::string> text = read_(whole(part.edges));
      if (!text) continue;
      part.lines.push_back(lines_.size());
      lines_.push_back({part.edges, *text});
      whole_ = false;
    }
  }

  void share_out_lines() {
    for (const auto& [line, owners] : shared_lines()) {
      const auto share = [&, line = line](std::size_t i) {
        return area_of_edges(common(lines_[line].sides, parts_[i].edges));
      };
      const std::size_t best = *std::max_element(owners.begin(), owners.end(),
                                                 [&](std::size_t a, std::size_t b) { return share(a) < share(b); });
      for (const std::size_t owner : owners) {
        if (owner != best) std::erase(parts_[owner].lines, line);
      }
    }
  }

  /// Without regions: the seals, and the tables, or else each line.
  void take_rest() {
    for (const Seal& seal : document_.seals) parts_.push_back({"seal", edges_of(seal.box), 0, text_of(seal), {}});
    for (const Table& table : document_.tables) parts_.push_back({"table", edges_of(table.box), 0, table.html, {}});
    if (!document_.tables.empty()) return;
    for (std::size_t i = 0; i < lines_.size(); ++i) parts_.push_back({"text", lines_[i].sides, 0, {}, {i}});
  }

  LayoutBlock block_of(const Part& part) const {
    LayoutBlock block(part.label, part.edges);
    if (!part.content.empty()) {
      block.text = part.content;
      return block;
    }
    std::vector<Piece> pieces;
    for (const std::size_t i : part.label == "formula" ? lines_in(part.edges) : part.lines) pieces.push_back(lines_[i]);
    reading::set_text(block, pieces);
    return block;
  }

  reading::Box bounds() const {
    constexpr int kMost = 65535;
    reading::Box all{kMost, kMost, 0, 0};
    for (const Part& part : parts_) {
      const std::array<int, 4> box = whole(part.edges);
      for (std::size_t i = 0; i < 2; ++i) {
        all.at(i) = std::min(all.at(i), box.at(i));
        all.at(i + 2) = std::max(all.at(i + 2), box.at(i + 2));
      }
    }
    return all;
  }

  BlocksOfPage result(const std::vector<LayoutBlock>& all, const std::vector<std::size_t>& order) const {
    BlocksOfPage found;
    int number = 0;
    for (const std::size_t i : order) {
      const LayoutBlock& one = all[i];
      Block block{one.label, one.text, one.box, {}, one.flow()};
      if (is_numbered(one.label)) block.order = ++number;
      found.blocks.push_back(std::move(block));
      if (!document_.regions.empty()) add_region(parts_[i].region, found.regions);
    }
    return found;
  }

  /// A region with those that it covers, or that one covers which it covers.
  void add_region(std::size_t region, std::vector<std::size_t>& regions) const {
    regions.push_back(region);
    for (const auto& [covered, by] : covered_by_) {
      std::size_t above = by;
      for (auto next = covered_by_.find(above); next != covered_by_.end(); next = covered_by_.find(above))
        above = next->second;
      if (above == region) regions.push_back(covered);
    }
  }

  const Document& document_;
  const ReadPart& read_;
  std::vector<Part> parts_;
  std::vector<Piece> lines_;
  std::map<std::size_t, std::size_t> covered_by_;  ///< regions that give no block
  bool whole_ = true;                              ///< sides of lines are whole pixels
};

}  // namespace
}  // namespace coracle::vision::document_blocks

namespace coracle::vision {

BlocksOfPage blocks_of(const Document& document, bool ordered, const ReadPart& read) {
  return document_blocks::Maker(document, read).made(ordered);
}

void set_blocks(Document& document, bool ordered, const ReadPart& read) {
  BlocksOfPage made = blocks_of(document, ordered, read);
  document.blocks = std::move(made.blocks);
  if (ordered) return;
  std::vector<Object> regions;
  for (const std::size_t i : made.regions) regions.push_back(std::move(document.regions[i]));
  document.regions = std::move(regions);
  const auto place = [&](const std::array<float, 4>& box) {
    return std::find_if(document.regions.begin(), document.regions.end(),
                        [&](const Object& o) {
                          return box == std::array<float, 4>{o.left, o.top, o.right, o.bottom};
                        }) -
           document.regions.begin();
  };
  const auto is_before = [&](const auto& a, const auto& b) { return place(a.box) < place(b.box); };
  std::stable_sort(document.tables.begin(), document.tables.end(), is_before);
  std::stable_sort(document.seals.begin(), document.seals.end(), is_before);
}

std::vector<Block> blocks_or_made(const Document& document) {
  return document.blocks.empty() ? blocks_of(document, true, {}).blocks : document.blocks;
}

}  // namespace coracle::vision
