// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "coracle/vision/document_output.h"
#include "vision/document_blocks.h"

// Blocks, their order and text, and Markdown against what PaddleX makes of the same pages (make_reading_order.py).
namespace coracle::vision::reading_order_test {
namespace {

std::string unquoted(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
    } else {
      ++i;
      result += text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i];
    }
  }
  return result;
}

/// What is left of a line after one space.
std::string rest_of(std::istringstream& in) {
  std::string text;
  in.get();
  std::getline(in, text);
  return unquoted(text);
}

struct Expected {
  Document page;
  std::vector<Block> blocks;
  std::string markdown;  // hashes
  std::string plain;
  bool begins = false;
  bool ends = false;
};

std::vector<Expected> expected_pages() {
  const char* other = std::getenv("CORACLE_READING_ORDER");
  std::ifstream file(other != nullptr ? other : CORACLE_VISION_TESTS "/reading_order.txt");
  std::vector<Expected> pages;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "page") {
      int width = 0;
      int height = 0;
      in >> width >> height;
      pages.emplace_back();
      pages.back().page.page.width = width;  // without pixels
      pages.back().page.page.height = height;
      continue;
    }
    Expected& e = pages.back();
    if (word == "region") {
      Object o{.id = static_cast<int>(e.page.regions.size()), .name = {}};
      in >> o.name >> o.left >> o.top >> o.right >> o.bottom;
      e.page.regions.push_back(o);
    } else if (word == "table") {
      const Object& o = e.page.regions.back();
      e.page.tables.push_back({{o.left, o.top, o.right, o.bottom}, {}, rest_of(in), 1});
    } else if (word == "line") {
      int l = 0;
      int t = 0;
      int r = 0;
      int b = 0;
      in >> l >> t >> r >> b;
      e.page.lines.push_back({{Point{l, t}, {r, t}, {r, b}, {l, b}}, rest_of(in), 1});
    } else if (word == "block") {
      Block b;
      int order = 0;
      in >> b.label >> b.box[0] >> b.box[1] >> b.box[2] >> b.box[3] >> order;
      if (order > 0) b.order = order;
      b.text = rest_of(in);
      e.blocks.push_back(b);
    } else if (word == "markdown") {
      in >> e.markdown >> e.plain >> e.begins >> e.ends;
    }
  }
  return pages;
}

std::string shown(const Block& b) {
  std::ostringstream out;
  out << b.label << " " << b.box[0] << " " << b.box[1] << " " << b.box[2] << " " << b.box[3] << " "
      << b.order.value_or(0) << " " << b.text;
  return out.str();
}

/// FNV-1a, as made_up_numbers.py has it.
std::string hash_of(const std::string& text) {
  std::uint64_t total = 0xCBF29CE484222325U;
  for (const char c : text) total = (total ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(total));
  return digits;
}

/// The stand-in for a recogniser of make_reading_order.py: the size of the part.
ReadPart size_of_part(const Document& page) {
  return [&page](const std::array<int, 4>& part) -> std::optional<std::string> {
    const int width = std::max(0, std::min(part[2], page.page.width) - part[0]);
    const int height = std::max(0, std::min(part[3], page.page.height) - part[1]);
    if ((width + height) % 5 == 0) return std::nullopt;
    return std::to_string(width) + "x" + std::to_string(height);
  };
}

TEST(ReadingOrder, BlocksAndMarkdownOfPaddleX) {
  const std::vector<Expected> pages = expected_pages();
  ASSERT_GT(pages.size(), 50U);
  std::size_t blocks = 0;
  for (std::size_t n = 0; n < pages.size(); ++n) {
    SCOPED_TRACE("page " + std::to_string(n + 1) + " of the file");
    const std::vector<Block>& want = pages[n].blocks;
    Document page = pages[n].page;
    set_blocks(page, false, size_of_part(pages[n].page));
    ASSERT_EQ(page.blocks.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(shown(page.blocks[i]), shown(want[i])) << "block " << i + 1;
    const Markdown markdown = to_markdown(page);
    ASSERT_EQ(hash_of(markdown.text), pages[n].markdown) << markdown.text;
    ASSERT_EQ(markdown.begins_paragraph, pages[n].begins);
    ASSERT_EQ(markdown.ends_paragraph, pages[n].ends);
    const std::string plain = to_markdown(page, {.pretty = false}).text;
    ASSERT_EQ(hash_of(plain), pages[n].plain) << plain;
    blocks += want.size();
  }
  EXPECT_GT(blocks, 500U);
}

Object region(const char* name, float left, float top, float right, float bottom) {
  return {.id = 0, .name = name, .score = 1, .left = left, .top = top, .right = right, .bottom = bottom};
}

TextLine line_at(int left, int top, int right, int bottom, const char* text) {
  return {{Point{left, top}, {right, top}, {right, bottom}, {left, bottom}}, text, 1};
}

/// Two columns, a picture with its title, and a header.
Document page_of_columns() {
  Document page;
  page.page = Image(400, 600);
  page.regions = {region("text", 210, 60, 390, 120), region("image", 10, 150, 190, 300),
                  region("figure_title", 10, 305, 190, 325), region("text", 10, 60, 190, 120),
                  region("header", 10, 5, 390, 25)};
  page.lines = {line_at(10, 5, 100, 25, "Journal"),       line_at(10, 60, 190, 80, "Left begins"),
                line_at(10, 90, 190, 110, "and goes on"), line_at(210, 60, 390, 80, "to the right"),
                line_at(210, 90, 300, 110, "ends."),      line_at(10, 305, 150, 325, "Figure 1"),
                line_at(10, 500, 100, 520, "<apart>")};
  return page;
}

TEST(ReadingOrder, PagesAreWrittenInTheirOrder) {
  Document page = page_of_columns();
  set_blocks(page, false, {});
  ASSERT_EQ(page.blocks.size(), 5U);
  EXPECT_EQ(page.blocks[1].text, "Left begins and goes on ");
  EXPECT_EQ(page.regions[0].name, "header");
  EXPECT_EQ(page.regions[3].name, "figure_title");
  const Markdown markdown = to_markdown(page, {.pictures = "p/x_"});
  EXPECT_EQ(markdown.text,
            "Left begins and goes on \n\n"
            "<div style=\"text-align: center;\"><img src=\"p/x_img_in_image_box_10_150_190_300.jpg\" alt=\"Image\" "
            "width=\"45%\" /></div>\n\n\n<div style=\"text-align: center;\">Figure 1</div>\n\n\n"
            "to the right ends.\n\n");
}

TEST(ReadingOrder, ModelsThatTellTheOrderAreBelieved) {
  Document page = page_of_columns();
  set_blocks(page, true, {});
  EXPECT_EQ(page.regions[0].name, "text");
  ASSERT_EQ(page.blocks.size(), 5U);
  EXPECT_EQ(page.blocks[0].box[0], 210);
  EXPECT_EQ(page.blocks[4].label, "header");
}

TEST(ReadingOrder, CoveredRegionsGiveNoBlock) {
  Document page;
  page.regions = {region("text", 0, 100, 100, 150), region("text", 10, 105, 60, 140), region("text", 0, 0, 100, 50)};
  page.regions[1].id = 1;
  set_blocks(page, false, {});
  ASSERT_EQ(page.blocks.size(), 2U);
  ASSERT_EQ(page.regions.size(), 3U);
  EXPECT_EQ(page.regions[0].top, 0);
  EXPECT_EQ(page.regions[1].top, 100);
  EXPECT_EQ(page.regions[2].id, 1);
  // Of three in the same place the last is left.
  for (int i = 0; i < 3; ++i) {
    page.regions[static_cast<std::size_t>(i)] = region("text", 0, 0, 100, 50);
    page.regions[static_cast<std::size_t>(i)].id = i;
  }
  set_blocks(page, false, {});
  ASSERT_EQ(page.blocks.size(), 1U);
  EXPECT_EQ(page.regions[0].id, 2);
  EXPECT_EQ(page.regions[1].id, 0);
  EXPECT_EQ(page.regions[2].id, 1);
}

TEST(ReadingOrder, HtmlHasPicturesInside) {
  Document page = page_of_columns();
  set_blocks(page, false, {});
  const std::string html = to_html(page, "t");
  EXPECT_NE(html.find("<img src=\"data:image/jpeg;base64,/9j/"), std::string::npos) << html;
  EXPECT_NE(html.find("<p class=\"caption\">Figure 1</p>"), std::string::npos) << html;
  EXPECT_NE(html.find("<p>&lt;apart&gt;</p>\n</body>"), std::string::npos) << html;
  EXPECT_LT(html.find("Journal"), html.find("Left begins"));
}

TEST(ReadingOrder, ParagraphsGoOnOverPages) {
  std::vector<Markdown> pages(3);
  pages[0] = {.text = "It ends", .ends_paragraph = false};
  pages[1] = {.text = "here. 我们", .begins_paragraph = false, .ends_paragraph = false};
  pages[2] = {.text = "阅读", .begins_paragraph = false};
  EXPECT_EQ(joined_text(pages), "It ends here. 我们阅读");
  pages[2].begins_paragraph = true;
  EXPECT_EQ(joined_text(pages), "It ends here. 我们\n\n阅读");
  EXPECT_EQ(joined_text({}), "");
}

TEST(ReadingOrder, JsonHasBlocksInTheirOrder) {
  Document page = page_of_columns();
  set_blocks(page, false, {});
  const std::string json = to_json(page, {.path = "a\\b.png", .page_index = 1, .page_count = 2});
  EXPECT_EQ(
      json.rfind(R"({"input_path": "a\\b.png", "page_index": 1, "page_count": 2, "width": 400, "height": 600)", 0), 0U)
      << json;
  EXPECT_NE(json.find(R"({"block_label": "text", "block_content": "Left begins and goes on ", )"
                      R"("block_bbox": [10, 60, 190, 120], "block_id": 1, "block_order": 1})"),
            std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("block_id": 0, "block_order": null})"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("rec_boxes": [[10, 5, 100, 25], )"), std::string::npos) << json;
}

}  // namespace
}  // namespace coracle::vision::reading_order_test
