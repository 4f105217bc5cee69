// SPDX-License-Identifier: Apache-2.0
// Blocks of a page with their text, and the page as Markdown.
#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "coracle/vision/document_reader.h"

namespace coracle::serve {

/// A region of a page and what is in it.
struct PageBlock {
  std::string label;  ///< "text", "table", "image" ...
  std::array<int, 4> box{};
  std::string content;  ///< lines, or a table in HTML
};

/// The regions in the order of reading, each with its lines or as the table that it is; then lines in no region.
std::vector<PageBlock> blocks_of(const vision::Document& document);

/// The name of a block's picture in Markdown; empty for those that are text.
std::string picture_name(const PageBlock& block);

/// What Markdown shows of a page.
struct MarkdownOptions {
  std::set<std::string, std::less<>> left_out{"number", "footnote",     "header",    "header_image",
                                              "footer", "footer_image", "aside_text"};  ///< labels
  bool pretty = true;  ///< pictures and tables are HTML, in the middle
};

std::string markdown_of(const std::vector<PageBlock>& blocks, int page_width, const MarkdownOptions& options);

/// The part of a picture.
vision::Image cut_out(const vision::Image& page, const std::array<int, 4>& box);

}  // namespace coracle::serve
