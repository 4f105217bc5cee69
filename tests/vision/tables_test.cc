// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "coracle/vision/document_reader.h"
#include "vision/bent_line.h"
#include "vision/clusters.h"
#include "vision/table_cells.h"

// Against the numbers of PaddleX in table_numbers.txt, which make_table_numbers.py makes, and what tables and seals
// refuse.
namespace coracle::vision {
namespace tables_test {

/// The lines of table_numbers.txt, word by word.
class Golden {
 public:
  Golden() : file_(CORACLE_VISION_TESTS "/table_numbers.txt") {}

  /// Goes to the next line that begins with the word; false at the end.
  bool find(const std::string& word) {
    while (std::getline(file_, line_)) {
      if (line_.rfind(word + " ", 0) == 0) return take(word);
    }
    return false;
  }
  /// What follows the word in the next line.
  std::string text(const std::string& word) {
    EXPECT_TRUE(std::getline(file_, line_) && line_.rfind(word, 0) == 0) << "'" << word << "' expected: " << line_;
    take(word);
    return line_.substr(std::min(line_.size(), word.size() + 1));
  }
  std::vector<Span> spans(const std::string& word) {
    std::istringstream in(text(word));
    std::vector<Span> all;
    for (Span s; in >> s.left >> s.top >> s.right >> s.bottom;) all.push_back(s);
    return all;
  }
  /// As many lines with their texts in brackets.
  PlacedTexts lines(const std::string& word, std::size_t count) {
    PlacedTexts all;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string line = text(word);
      std::istringstream in(line);
      Span s;
      in >> s.left >> s.top >> s.right >> s.bottom;
      all.spans.push_back(s);
      const std::size_t begin = line.find('[') + 1;
      all.texts.push_back(line.substr(begin, line.rfind(']') - begin));
    }
    return all;
  }
  std::istringstream& rest() { return rest_; }

 private:
  bool take(const std::string& word) {
    rest_ = std::istringstream(line_.substr(std::min(line_.size(), word.size() + 1)));
    return true;
  }

  std::ifstream file_;
  std::string line_;
  std::istringstream rest_;
};

void expect_same(const std::vector<Span>& got, const std::vector<Span>& want, int number) {
  ASSERT_EQ(got.size(), want.size()) << number;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i].left, want[i].left, 1e-5) << number;
    EXPECT_NEAR(got[i].top, want[i].top, 1e-5) << number;
    EXPECT_NEAR(got[i].right, want[i].right, 1e-5) << number;
    EXPECT_NEAR(got[i].bottom, want[i].bottom, 1e-5) << number;
  }
}

TEST(Tables, CellsThatOverlapBetterOnesAreDropped) {
  Golden golden;
  int checked = 0;
  for (; golden.find("overlaps"); ++checked) {
    std::size_t count = 0;
    golden.rest() >> count;
    std::vector<FoundCell> cells;
    for (std::size_t i = 0; i < count; ++i) {
      std::istringstream in(golden.text("cell"));
      FoundCell cell;
      in >> cell.span.left >> cell.span.top >> cell.span.right >> cell.span.bottom >> cell.score;
      cells.push_back(cell);
    }
    std::istringstream in(golden.text("kept"));
    std::vector<float> want;
    for (std::size_t i = 0; in >> i;) want.push_back(cells[i].score);
    std::vector<float> got;
    for (const FoundCell& cell : without_overlaps(cells)) got.push_back(cell.score);
    EXPECT_EQ(got, want) << checked;
  }
  EXPECT_EQ(checked, 12);
}

TEST(Tables, CellsAreFittedToTheStructure) {
  Golden golden;
  int checked = 0;
  for (; golden.find("fit"); ++checked) {
    std::size_t wanted = 0;
    golden.rest() >> wanted;
    std::vector<FoundCell> cells;
    float score = 1;
    for (const Span& span : golden.spans("cells")) cells.push_back({span, score -= 0.001F});
    std::vector<Span> got = fitted_cells(cells, golden.spans("lines"), wanted);
    std::sort(got.begin(), got.end(), [](const Span& a, const Span& b) {
      return std::array{a.left, a.top, a.right, a.bottom} < std::array{b.left, b.top, b.right, b.bottom};
    });
    expect_same(got, golden.spans("fitted"), checked);
  }
  EXPECT_GE(checked, 30);
}

TEST(Tables, LinesThroughSeveralCellsAreSplit) {
  Golden golden;
  int checked = 0;
  for (; golden.find("split"); ++checked) {
    std::size_t cells = 0;
    std::size_t lines = 0;
    std::size_t parts = 0;
    golden.rest() >> cells >> lines >> parts;
    const std::vector<Span> spans = golden.spans("cells");
    const PlacedTexts from = golden.lines("line", lines);
    const PlacedTexts got = split_at_cells(from, spans, [](const Span& part) {
      const auto pixel = [](double side) { return std::to_string(static_cast<int>(side)); };
      return pixel(part.left) + "-" + pixel(part.right) + "/" + pixel(part.top) + "-" + pixel(part.bottom);
    });
    const PlacedTexts want = golden.lines("part", parts);
    expect_same(got.spans, want.spans, checked);
    EXPECT_EQ(got.texts, want.texts) << checked;
  }
  EXPECT_EQ(checked, 20);
}

TEST(Tables, CellsMakeAStructure) {
  Golden golden;
  int checked = 0;
  for (; golden.find("grid"); ++checked) {
    const std::vector<Span> cells = golden.spans("cells");
    std::string html;
    for (const std::string& token : tokens_of_cells(cells)) html += token;
    EXPECT_EQ(html, golden.text("html")) << checked;
  }
  EXPECT_EQ(checked, 30);
  EXPECT_EQ(tokens_of_cells({}).size(), 4U);
}

TEST(Tables, TextsOfDetectedCells) {
  Golden golden;
  int checked = 0;
  for (; golden.find("table"); ++checked) {
    std::size_t cells = 0;
    std::size_t count = 0;
    golden.rest() >> cells >> count;
    const CellRows rows = cell_rows(golden.spans("cells"));
    const PlacedTexts lines = golden.lines("line", count);
    std::vector<std::string> tokens;
    std::istringstream in(golden.text("tokens"));
    for (std::string token; std::getline(in, token, '|');) tokens.push_back(token);
    expect_same(rows.cells, golden.spans("sorted"), checked);
    EXPECT_EQ(table_html(tokens, rows, lines), golden.text("html")) << checked;
  }
  EXPECT_GE(checked, 35);
}

/// As the generator makes it.
Image picture(int width, int height) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c)
        image.row(y)[3 * x + c] = static_cast<std::uint8_t>((7 * x + 3 * y + 60 * c + 5 * ((x * y) % 23)) % 256);
    }
  }
  return image;
}

std::string hash(const std::vector<std::uint8_t>& bytes) {
  std::uint64_t total = 0xCBF29CE484222325U;
  for (const std::uint8_t byte : bytes) total = (total ^ byte) * 0x100000001B3U;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(total));
  return text;
}

TEST(Seals, BentLinesAreStraightened) {
  Golden golden;
  const Image page = picture(240, 240);
  int checked = 0;
  int straightened = 0;
  int other_rectangles = 0;  // Corners of rectangles differ in their last bit now and then, and so do some pixels.
  for (; golden.find("bent"); ++checked) {
    int bent = 0;
    int width = 0;
    int height = 0;
    std::size_t points = 0;
    std::string want;
    golden.rest() >> bent >> width >> height >> points >> want;
    straightened += bent;
    Polygon outline;
    std::istringstream in(golden.text("points"));
    for (Point p; in >> p.x >> p.y;) outline.push_back(p);
    ASSERT_EQ(outline.size(), points);
    const Image got = cut_out_bent(page, outline);
    EXPECT_EQ(got.width, width) << checked;
    EXPECT_EQ(got.height, height) << checked;
    if (bent != 0) {
      EXPECT_EQ(hash(got.bgr), want) << checked;
    } else if (hash(got.bgr) != want) {
      ++other_rectangles;
    }
  }
  EXPECT_GE(checked, 150);
  EXPECT_GE(straightened, 50);
  EXPECT_LE(other_rectangles, 3);
}

}  // namespace tables_test
}  // namespace coracle::vision
