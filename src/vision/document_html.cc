// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "coracle/vision/document_reader.h"
#include "vision/table_structure.h"

namespace coracle::vision {
namespace {

/// The element of HTML for a region of this class.
const char* element_of(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> kElements[] = {
      {"doc_title", "h1"}, {"title", "h1"}, {"Title", "h1"}, {"paragraph_title", "h2"}, {"figure_title", "h4"}};
  for (const auto& [known, element] : kElements) {
    if (name == known) return element;
  }
  return "p";
}

bool line_within(const TextLine& line, const Object& region) {
  float x = 0;
  float y = 0;
  for (const Point& p : line.corners) {
    x += static_cast<float>(p.x) / 4;
    y += static_cast<float>(p.y) / 4;
  }
  return region.left <= x && x <= region.right && region.top <= y && y <= region.bottom;
}

/// The table alone, without the page that a model puts round it.
std::string table_alone(const std::string& html) {
  const std::size_t begin = html.find("<table>");
  const std::size_t end = html.rfind("</table>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return html;
  return html.substr(begin, end + std::string_view("</table>").size() - begin);
}

/// The seal in this region; null where there is none.
const Seal* seal_of(const Document& document, const Object& region) {
  const std::array<float, 4> box{region.left, region.top, region.right, region.bottom};
  const auto seal =
      std::find_if(document.seals.begin(), document.seals.end(), [&](const Seal& s) { return s.box == box; });
  return seal == document.seals.end() ? nullptr : &*seal;
}

std::string paragraph_of(const Seal& seal) {
  std::string text;
  for (const TextLine& line : seal.lines) text += (text.empty() ? "" : "\n") + html_text(line.text);
  return text.empty() ? "" : "<p>" + text + "</p>\n";
}

}  // namespace

std::string to_html(const Document& document, const std::string& title) {
  std::string html = "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>" + html_text(title) +
                     "</title>\n<style>table { border-collapse: collapse } td { border: 1px solid; padding: 2px 6px }"
                     "</style></head>\n<body>\n";
  std::vector<bool> told(document.lines.size());
  const auto is_table = [&](const Object& region) {
    return std::find_if(document.tables.begin(), document.tables.end(), [&](const Table& t) {
      return t.box == std::array<float, 4>{region.left, region.top, region.right, region.bottom};
    });
  };
  for (const Object& region : document.regions) {
    const auto table = is_table(region);
    std::string text;
    for (std::size_t i = 0; i < document.lines.size(); ++i) {
      if (told[i] || !line_within(document.lines[i], region)) continue;
      told[i] = true;
      text += (text.empty() ? "" : "\n") + html_text(document.lines[i].text);
    }
    const Seal* seal = seal_of(document, region);
    if (table != document.tables.end()) {
      html += table_alone(table->html) + "\n";
    } else if (seal != nullptr) {
      html += paragraph_of(*seal);
    } else if (!text.empty()) {
      const std::string element = element_of(region.name);
      html += "<" + element + ">" + text + "</" + element + ">\n";
    }
  }
  if (document.regions.empty()) {
    for (const Seal& seal : document.seals) html += paragraph_of(seal);
  }
  if (document.regions.empty() && !document.tables.empty()) {  // The page is a table, with all lines.
    for (const Table& table : document.tables) html += table_alone(table.html) + "\n";
  } else {
    for (std::size_t i = 0; i < document.lines.size(); ++i) {
      if (!told[i]) html += "<p>" + html_text(document.lines[i].text) + "</p>\n";
    }
  }
  return html + "</body>\n</html>\n";
}

}  // namespace coracle::vision
