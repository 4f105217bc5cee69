// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "coracle/vision/document_reader.h"
#include "vision/table_structure.h"
#include "vision/text_stages.h"
#include "vision/unwarp.h"
#include "vision/warp.h"

// Against the numbers of PaddleX in document_numbers.txt, which make_document_numbers.py makes, and what stages refuse.
namespace coracle::vision {
namespace {

/// The lines of document_numbers.txt, one after the other.
class Numbers {
 public:
  Numbers() : file_(CORACLE_VISION_TESTS "/document_numbers.txt") {}

  /// Goes to the next line that begins with the word; false at the end.
  bool find(const std::string& word) {
    while (std::getline(file_, line_)) {
      if (line_.rfind(word + " ", 0) == 0) return take(word);
    }
    return false;
  }
  /// The next line, which begins with the word.
  std::istringstream& next(const std::string& word) {
    EXPECT_TRUE(std::getline(file_, line_) && line_.rfind(word, 0) == 0) << "'" << word << "' expected: " << line_;
    take(word);
    return rest_;
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

std::vector<float> numbers_of(std::istringstream& in) {
  std::vector<float> values;
  for (float value = 0; in >> value;) values.push_back(value);
  return values;
}

std::string text_of(std::istringstream& in) { return in.str(); }

std::vector<std::string> dictionary() {
  std::vector<std::string> tokens = {"<thead>", "</thead>", "<tbody>", "</tbody>", "<tr>",
                                     "</tr>",   "<td>",     "<td",     ">",        "</td>"};
  for (const char* kind : {"colspan", "rowspan"}) {
    for (int n = 2; n <= 20; ++n) tokens.push_back(" " + std::string(kind) + "=\"" + std::to_string(n) + "\"");
  }
  return tokens;
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string all;
  for (const std::string& token : tokens) all += token;
  return all;
}

Output output_of(std::vector<float> values, std::vector<std::int64_t> dims) {
  Output output;
  output.dims = std::move(dims);
  output.converted = std::move(values);
  output.data = output.converted.data();
  output.size = output.converted.size();
  return output;
}

TEST(Documents, StructuresOfTables) {
  Numbers numbers;
  int checked = 0;
  for (; numbers.find("table"); ++checked) {
    bool merge = false;
    Description d;
    Prepared prepared;
    std::int64_t steps = 0;
    numbers.rest() >> merge >> d.table.of_picture >> prepared.width >> prepared.picture_width >>
        prepared.picture_height >> steps;
    prepared.height = prepared.width;
    const std::vector<std::string> tokens = table_tokens(dictionary(), merge);
    std::vector<float> scores(static_cast<size_t>(steps) * tokens.size());
    std::vector<float> places;
    for (size_t step = 0; step < static_cast<size_t>(steps); ++step) {
      size_t token = 0;
      std::istringstream& in = numbers.next("step");
      in >> token;
      in >> scores.at(step * tokens.size() + token);
      for (const float place : numbers_of(in)) places.push_back(place);
    }
    const Output cells = output_of(places, {1, steps, 8});
    const Output probabilities = output_of(scores, {1, steps, static_cast<std::int64_t>(tokens.size())});
    const TableStructure table = table_structure(probabilities, &cells, tokens, prepared, d);
    std::istringstream& in = numbers.next("cells");
    float score = 0;
    size_t count = 0;
    in >> score >> count;
    EXPECT_NEAR(table.score, score, 2e-6);
    ASSERT_EQ(table.cells.size(), count);
    for (const auto& cell : table.cells) {
      for (const Point& p : cell) {
        Point want;
        in >> want.x >> want.y;
        EXPECT_EQ(p.x, want.x);
        EXPECT_EQ(p.y, want.y);
      }
    }
    EXPECT_EQ(joined(table.tokens), text_of(numbers.next("html")));
    EXPECT_TRUE(table_structure(probabilities, nullptr, tokens, prepared, d).cells.empty());
  }
  EXPECT_EQ(checked, 24);
}

TEST(Documents, TextOfCells) {
  Numbers numbers;
  int checked = 0;
  for (; numbers.find("match"); ++checked) {
    size_t rows = 0;
    size_t columns = 0;
    numbers.rest() >> rows >> columns;
    std::vector<Span> cells;
    const std::vector<float> sides = numbers_of(numbers.next("cells"));
    for (size_t i = 0; i + 3 < sides.size(); i += 4)
      cells.push_back({static_cast<double>(sides[i]), static_cast<double>(sides[i + 1]),
                       static_cast<double>(sides[i + 2]), static_cast<double>(sides[i + 3])});
    ASSERT_EQ(cells.size(), rows * columns);
    std::vector<Span> lines;
    std::vector<size_t> owners;
    std::vector<std::string> texts;
    std::string html;
    for (std::istringstream* in = nullptr; html.empty();) {
      in = &numbers.next("");
      if (in->str().rfind("tml ", 0) == 0) {
        html = in->str().substr(4);
        break;
      }
      std::istringstream line(in->str().substr(4));
      Span span;
      size_t owner = 0;
      line >> span.left >> span.top >> span.right >> span.bottom >> owner;
      lines.push_back(span);
      owners.push_back(owner);
      const std::string rest = in->str();
      const size_t begin = rest.find('[') + 1;
      texts.push_back(rest.substr(begin, rest.rfind(']') - begin));
    }
    EXPECT_EQ(cells_of_lines(cells, lines), owners);
    std::vector<std::string> tokens = {"<html>", "<body>", "<table>"};
    for (size_t r = 0; r < rows; ++r) {
      tokens.emplace_back("<tr>");
      tokens.insert(tokens.end(), columns, "<td></td>");
      tokens.emplace_back("</tr>");
    }
    tokens.insert(tokens.end(), {"</table>", "</body>", "</html>"});
    EXPECT_EQ(table_html(tokens, texts, owners), html);
  }
  EXPECT_EQ(checked, 30);
}

std::vector<int> whole_numbers(std::istringstream& in) {
  std::vector<int> values;
  for (int value = 0; in >> value;) values.push_back(value);
  return values;
}

TEST(Documents, PicturesAreTurnedAndMadeFlat) {
  Numbers numbers;
  int checked = 0;
  for (; numbers.find("turned"); ++checked) {
    int degrees = 0;
    int width = 0;
    int height = 0;
    numbers.rest() >> degrees >> width >> height;
    Image image(width, height);
    const std::vector<int> from = whole_numbers(numbers.next("from"));
    std::copy(from.begin(), from.end(), image.bgr.begin());
    const std::vector<std::uint8_t> got = turned(image, degrees).bgr;
    EXPECT_EQ(std::vector<int>(got.begin(), got.end()), whole_numbers(numbers.next("to"))) << degrees;
  }
  EXPECT_EQ(checked, 16);
  Numbers flat;
  ASSERT_TRUE(flat.find("flat"));
  int width = 0;
  int height = 0;
  flat.rest() >> width >> height;
  const Output output = output_of(numbers_of(flat.rest()), {1, 3, height, width});
  const std::vector<std::uint8_t> got = flat_page(output, {}).bgr;
  EXPECT_EQ(std::vector<int>(got.begin(), got.end()), whole_numbers(flat.next("to")));
  EXPECT_EQ(flat_page(output_of({-1, 2, NAN}, {1, 3, 1, 1}), {}).bgr, (std::vector<std::uint8_t>{0, 255, 0}));
}

std::string message(const std::function<void()>& run, Problem problem) {
  try {
    run();
  } catch (const Error& e) {
    EXPECT_EQ(e.problem(), problem) << e.what();
    return e.what();
  }
  return "no error";
}

TEST(Documents, OutputsOfOtherModelsAreRefused) {
  Description d;
  d.file = "inference.yml";
  const std::vector<std::string> tokens = table_tokens(dictionary(), true);
  const Output probabilities = output_of(std::vector<float>(2 * tokens.size()), {1, 2, 50});
  const Output places = output_of(std::vector<float>(8), {1, 2, 4});
  EXPECT_EQ(
      message([&] { table_structure(places, nullptr, tokens, {}, d); }, Problem::kDescription),
      "inference.yml: an output for table-structure has a row of 50 probabilities for each step (the beginning, 48 "
      "tokens and the end), the model gives rows of 4");
  EXPECT_EQ(
      message([&] { table_structure(probabilities, &places, tokens, {}, d); }, Problem::kDescription),
      "inference.yml: an output for table-structure has 8 coordinates for each of 2 steps, the model gives 8 numbers");
  EXPECT_EQ(
      message([&] { flat_page(places, d); }, Problem::kDescription),
      "inference.yml: an output for unwarping is a picture, [1, 3, height, width]; the model gives 3 dimensions with "
      "8 numbers");
}

TEST(Documents, DamagedNumbersMakeNoCellsBeyondMeasure) {
  const std::vector<std::string> tokens = table_tokens({"<td>"}, false);  // sos, <td>, eos
  const Output probabilities = output_of({0, 1, 0}, {1, 1, 3});
  const Output places = output_of({NAN, 1e30F, -1e30F, INFINITY, 0, 0, 1, 1}, {1, 1, 8});
  Prepared prepared;
  prepared.width = prepared.height = prepared.picture_width = prepared.picture_height = 10;
  const TableStructure table = table_structure(probabilities, &places, tokens, prepared, {});
  ASSERT_EQ(table.cells.size(), 1U);
  EXPECT_EQ(table.cells[0][0].x, 0);
  EXPECT_EQ(table.cells[0][1].x, -1000000);
}

TEST(Documents, TextIsNoMarkup) {
  EXPECT_EQ(table_html({"<td></td>", "<td></td>"}, {"a<b>&c"}, {1}), "<td></td><td>a&lt;b&gt;&amp;c</td>");
  Document document;
  document.lines.push_back({{}, "1 < 2", 1});
  const std::string page = to_html(document, "<script>");
  EXPECT_NE(page.find("<title>&lt;script&gt;</title>"), std::string::npos);
  EXPECT_NE(page.find("<p>1 &lt; 2</p>"), std::string::npos);
}

TEST(Documents, PagesHaveRegionsInOrderAndTablesInTheirPlace) {
  Document document;
  document.regions = {
      {0, "doc_title", 1, 0, 0, 100, 20}, {1, "table", 1, 0, 20, 100, 60}, {2, "image", 1, 0, 60, 9, 70}};
  document.lines = {{{Point{5, 30}, {20, 30}, {20, 40}, {5, 40}}, "cell", 1},
                    {{Point{5, 2}, {20, 2}, {20, 12}, {5, 12}}, "Title", 1},
                    {{Point{50, 80}, {60, 80}, {60, 90}, {50, 90}}, "apart", 1}};
  document.tables = {{{0, 20, 100, 60}, {}, "<html><body><table><tr><td>cell</td></tr></table></body></html>", 1}};
  const std::string page = to_html(document, "t");
  EXPECT_NE(page.find("<body>\n<h1>Title</h1>\n<table><tr><td>cell</td></tr></table>\n<p>apart</p>\n</body>"),
            std::string::npos)
      << page;
}

TEST(Documents, LinesAreBatchedByTheirWidth) {
  const std::vector<double> ratios = {9, 1, 5, 1, 7, 3, 2, 8};
  const std::vector<std::vector<std::size_t>> batches = batches_by_width(ratios);
  EXPECT_EQ(batches, (std::vector<std::vector<std::size_t>>{{1, 3, 6, 5, 2, 4}, {7, 0}}));
  EXPECT_TRUE(batches_by_width({}).empty());
}

TEST(Documents, StagesThatDoNotFitAreNamed) {
  const std::string here = CORACLE_VISION_TESTS;
  EXPECT_EQ(message([] { DocumentReader({}); }, Problem::kUsage), "all stages are left out, there is nothing to do");
  DocumentReaderFiles files;
  files.text.classifier = here + "/orientation";
  EXPECT_EQ(message([&] { DocumentReader r(files); }, Problem::kUsage),
            "a classifier of lines needs a detector or a recogniser of text beside it");
  files = {};
  files.unwarper = here + "/orientation";
  EXPECT_EQ(message([&] { DocumentReader r(files); }, Problem::kUsage),
            here + "/orientation/inference.yml describes a model for classification, not for unwarping");
  files = {};
  files.table = here + "/objects";  // Without description.
  EXPECT_EQ(message([&] { DocumentReader r(files); }, Problem::kUsage),
            here + "/objects: table structure needs the dictionary of tokens; give 'labels', a file with one per line");
}

TEST(Documents, StagesFollowEachOther) {
  const std::string here = CORACLE_VISION_TESTS;
  Image image(300, 200);
  for (int y = 0; y < 200; ++y) std::fill_n(image.row(y) + 3 * 225, 3 * 75, std::uint8_t{255});  // Bright to the right.
  DocumentReaderFiles files;
  files.orientation = here + "/orientation";
  files.unwarper = here + "/unwarp";
  files.table = here + "/table";
  DocumentReader reader(files, 1);
  const Document document = reader.read(image);
  EXPECT_EQ(document.turned, 90);
  EXPECT_EQ(document.page.width, 200);
  EXPECT_EQ(document.page.height, 300);
  ASSERT_EQ(document.tables.size(), 1U);
  EXPECT_EQ(document.tables[0].html,
            "<html><body><table><thead><tr><td colspan=\"2\"></td><td></td></tr></thead><tbody><tr><td></td><td></td>"
            "<td></td></tr><tr><td></td><td></td><td></td></tr></tbody></table></body></html>");
  EXPECT_EQ(document.tables[0].cells.size(), 8U);
  EXPECT_TRUE(document.lines.empty());
}

}  // namespace
}  // namespace coracle::vision
