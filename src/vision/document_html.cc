// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "coracle/vision/document_output.h"
#include "vision/document_blocks.h"
#include "vision/document_titles.h"
#include "vision/layout_block.h"
#include "vision/table_structure.h"

namespace coracle::vision::document_html {
namespace {

constexpr int kLeastShared = 3;  // Pixels in both directions that a line and its region share at least.

/// The table alone, without the page that a model puts round it.
std::string table_alone(const std::string& text) {
  const std::size_t begin = text.find("<table>");
  const std::size_t end = text.rfind("</table>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return text;
  return text.substr(begin, end + std::string_view("</table>").size() - begin);
}

std::string base64(const std::string& bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \n");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

/// Paragraphs, of which the first may go on with what is there.
void add_paragraphs(std::string& page, const std::string& text, const std::string& element, bool goes_on) {
  constexpr std::string_view kEnd = "</p>\n";
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string part = html_text(trimmed(text.substr(at, end - at)));
    at = end + 1;
    if (part.empty()) continue;
    if (goes_on && page.ends_with(kEnd)) {
      page.resize(page.size() - kEnd.size());
      const auto last = static_cast<unsigned char>(page.back());
      page += (last < 0x80 && static_cast<unsigned char>(part[0]) < 0x80 ? " " : "") + part + std::string(kEnd);
    } else {
      page += "<" + element + ">" + part + "</" + element.substr(0, element.find(' ')) + ">\n";
    }
    goes_on = false;
  }
}

/// Text between quotation marks.
std::string attribute(const std::string& text) {
  std::string result;
  for (const char c : html_text(trimmed(text))) result += c == '"' ? std::string("&quot;") : std::string(1, c);
  return result;
}

bool is_picture(const Block& block) {
  for (const char* label : {"image", "chart", "formula", "display_formula", "seal", "figure", "flowchart"}) {
    if (block.label == label) return true;
  }
  return block.label == "table" && block.text.empty();
}

void add_picture(std::string& page, const Document& document, const Block& block) {
  const auto [left, top] =
      std::pair(std::clamp(block.box[0], 0, document.page.width), std::clamp(block.box[1], 0, document.page.height));
  Image part(std::max(0, std::min(block.box[2], document.page.width) - left),
             std::max(0, std::min(block.box[3], document.page.height) - top));
  if (document.page.bgr.empty() || part.bgr.empty()) return;
  for (int y = 0; y < part.height; ++y) std::copy_n(document.page.row(top + y) + 3 * left, 3 * part.width, part.row(y));
  page += "<p class=\"picture\"><img src=\"data:image/jpeg;base64," + base64(encode_jpeg(part)) + "\" alt=\"" +
          attribute(block.text) + "\" width=\"" + std::to_string(100 * part.width / document.page.width) + "%\"></p>\n";
}

void add_block(std::string& page, const Document& document, const Block& block, bool goes_on) {
  const reading::Kind kind = reading::kind_of(block.label);
  if (block.label == "table" && !block.text.empty()) {
    page += table_alone(block.text) + "\n";
  } else if (is_picture(block)) {
    add_picture(page, document, block);
    if (block.label == "seal") add_paragraphs(page, block.text, "p", false);
  } else if (kind == reading::Kind::kDocTitle) {
    add_paragraphs(page, block.text, "h1", false);
  } else if (kind == reading::Kind::kParagraphTitle) {
    const LeveledTitle title = leveled(trimmed(block.text));
    add_paragraphs(page, title.text, "h" + std::to_string(std::min(6, title.level + 1)), false);
  } else {
    const bool caption = kind == reading::Kind::kVisionTitle;
    add_paragraphs(page, block.text, caption ? "p class=\"caption\"" : "p", goes_on);
  }
}

bool is_in_region(const TextLine& line, const Document& document) {
  const auto [left, right] = std::minmax({line.corners[0].x, line.corners[1].x, line.corners[2].x, line.corners[3].x});
  const auto [top, bottom] = std::minmax({line.corners[0].y, line.corners[1].y, line.corners[2].y, line.corners[3].y});
  for (const Object& o : document.regions) {
    const float width = std::min(o.right, static_cast<float>(right)) - std::max(o.left, static_cast<float>(left));
    const float height = std::min(o.bottom, static_cast<float>(bottom)) - std::max(o.top, static_cast<float>(top));
    if (width > kLeastShared && height > kLeastShared) return true;
  }
  return false;
}

}  // namespace
}  // namespace coracle::vision::document_html

namespace coracle::vision {

std::string to_html(const Document& document, const std::string& title) {
  std::string page = "<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>" + html_text(title) +
                     "</title>\n<style>table { border-collapse: collapse } td { border: 1px solid; padding: 2px 6px } "
                     ".caption, .picture { text-align: center }</style></head>\n<body>\n";
  const std::vector<Block> blocks = blocks_or_made(document);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const bool goes_on = i > 0 && blocks[i].label == "text" && blocks[i - 1].label == "text" &&
                         !reading::continuity(blocks[i].flow, &blocks[i - 1].flow).begins;
    document_html::add_block(page, document, blocks[i], goes_on);
  }
  for (const TextLine& line : document.lines) {
    if (!document.regions.empty() && !document_html::is_in_region(line, document))
      document_html::add_paragraphs(page, line.text, "p", false);
  }
  return page + "</body>\n</html>\n";
}

}  // namespace coracle::vision
