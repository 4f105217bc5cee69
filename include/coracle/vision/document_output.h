// SPDX-License-Identifier: Apache-2.0
// Documents as Markdown and as JSON, in the forms of PaddleX's pipeline PP-StructureV3.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "coracle/vision/document_reader.h"

namespace coracle::vision {

struct MarkdownOptions {
  /// Pictures, tables and captions are centred by HTML; otherwise pictures and captions are plain Markdown.
  bool pretty = true;
  /// Goes before the names of pictures: a folder and what tells this page's pictures from others'.
  std::string pictures = "imgs/";
  /// Classes of blocks that are not part of the running text.
  std::vector<std::string> left_out = {"number", "footnote",     "header",    "header_image",
                                       "footer", "footer_image", "aside_text"};
};

/// A part of the page to which the Markdown refers.
struct MarkdownPicture {
  std::string path;  ///< as the Markdown has it, from where that lies
  Image image;
};

struct Markdown {
  std::string text{};
  std::vector<MarkdownPicture> pictures{};
  bool begins_paragraph = true;  ///< the page's first block does; otherwise it may go on with that of the page before
  bool ends_paragraph = true;    ///< the page's last block does
};

/// A page as Markdown: titles by the level of their numbers, paragraphs, tables as HTML, formulas and pictures as
/// references to parts of the page, in the order of reading. The text is as it was read, without escapes.
CORACLE_VISION_API Markdown to_markdown(const Document& document, const MarkdownOptions& options = {});

/// The text of several pages: paragraphs that go on over the end of a page are joined.
CORACLE_VISION_API std::string joined_text(std::span<const Markdown> pages);

/// What `to_json` says of the picture.
struct JsonOptions {
  std::string path;     ///< of the file; JSON has null where it is empty
  int page_index = -1;  ///< from 0 on, of a file with several pages; negative: null
  int page_count = 0;   ///< 0: null
};

/// The page in the structure of PP-StructureV3's res.json: `parsing_res_list` with `block_label`, `block_content`,
/// `block_bbox`, `block_id` and `block_order`, `layout_det_res`, `overall_ocr_res`, `table_res_list`, `seal_res_list`
/// and others. UTF-8.
CORACLE_VISION_API std::string to_json(const Document& document, const JsonOptions& options = {});

}  // namespace coracle::vision
