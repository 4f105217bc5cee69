// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "coracle/vision/document_reader.h"
#include "support/temporary_folder.h"

// Whole pages with tables and seals against PaddleX's pipelines (table_pages.txt, which make_table_pages.py makes).
// Where models would run the same rules as there give their outputs.
namespace coracle::vision {
namespace table_pages_test {

constexpr int kWidth = 420;
constexpr int kHeight = 360;
constexpr std::size_t kCharacters = 32;  // with the blank
constexpr std::size_t kTokens = 50;

/// A page and what its models find.
struct Case {
  std::string name;
  bool layout = false;
  std::size_t kind = 0;
  int degrees = 0;
  std::array<bool, 2> wired{};  ///< structure, cells
  std::array<bool, 2> wireless{};
  bool split = false;
  std::vector<float> dark;
  std::vector<float> discs;
  std::vector<float> regions;
  std::vector<float> cells;
  std::vector<float> tokens;
  std::vector<float> places;
  std::string html;
  std::vector<float> found;
  std::vector<std::pair<std::string, std::vector<float>>> seals;
};

std::vector<float> floats(std::istringstream& in) {
  std::vector<float> values;
  for (float value = 0; in >> value;) values.push_back(value);
  return values;
}

std::vector<Case> read_cases() {
  std::ifstream file(CORACLE_VISION_TESTS "/table_pages.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "case") {
      Case& c = cases.emplace_back();
      in >> c.layout >> c.kind >> c.degrees >> c.wired[0] >> c.wired[1] >> c.wireless[0] >> c.wireless[1] >> c.split;
      std::getline(in >> std::ws, c.name);
    } else if (word == "html") {
      cases.back().html = line.substr(5);
    } else if (word == "seal") {
      std::string text;
      in >> text;
      cases.back().seals.emplace_back(text, floats(in));
    } else {
      Case& c = cases.back();
      const std::pair<const char*, std::vector<float>*> parts[] = {
          {"dark", &c.dark},     {"discs", &c.discs},   {"regions", &c.regions}, {"cells", &c.cells},
          {"tokens", &c.tokens}, {"places", &c.places}, {"found", &c.found}};
      for (const auto& [name, values] : parts) {
        if (word == name) *values = floats(in);
      }
    }
  }
  return cases;
}

Image page_of(const Case& c) {
  Image page(kWidth, kHeight);
  const auto whole = [](float value) { return static_cast<int>(value); };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      bool inside = false;
      for (std::size_t i = 0; i + 3 < c.dark.size(); i += 4) {
        inside = inside || (x >= whole(c.dark[i]) && y >= whole(c.dark[i + 1]) && x < whole(c.dark[i + 2]) &&
                            y < whole(c.dark[i + 3]));
      }
      for (std::size_t i = 0; i + 2 < c.discs.size(); i += 3) {
        const int across = x - whole(c.discs[i]);
        const int down = y - whole(c.discs[i + 1]);
        inside = inside || across * across + down * down <= whole(c.discs[i + 2]) * whole(c.discs[i + 2]);
      }
      for (int channel = 0; channel < 3; ++channel) {
        page.row(y)[3 * x + channel] = static_cast<std::uint8_t>(inside ? (7 * x + 13 * y + 29 * channel) % 80 : 255);
      }
    }
  }
  return page;
}

struct Made {
  coracle::Dims dims;
  std::vector<float> values;
};

/// Probabilities of steps that are sure of their classes.
Made sure(std::size_t classes, const std::vector<std::size_t>& chosen) {
  Made made{{1, static_cast<std::int64_t>(chosen.size()), static_cast<std::int64_t>(classes)},
            std::vector<float>(classes * chosen.size())};
  for (std::size_t i = 0; i < chosen.size(); ++i) made.values[i * classes + chosen[i]] = 0.9F;
  return made;
}

Made dark_is_text(const RunInput& picture) {
  const std::int64_t height = picture.dims[2];
  const std::int64_t width = picture.dims[3];
  Made map{{1, 1, height, width}, {}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(height * width); ++i)
    map.values.push_back(picture.values[i] < 0 ? 0.95F : 0.05F);
  return map;
}

Made read_darkness(const RunInput& lines) {
  const auto count = static_cast<std::size_t>(lines.dims[0]);
  const auto height = static_cast<std::size_t>(lines.dims[2]);
  const auto width = static_cast<std::size_t>(lines.dims[3]);
  Made all{{lines.dims[0], static_cast<std::int64_t>(width / 8), kCharacters}, {}};
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::size_t> classes;
    for (std::size_t part = 0; part < width / 8; ++part) {
      double sum = 0;
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < 8; ++x)
          sum += static_cast<double>(lines.values[(n * 3 * height + y) * width + 8 * part + x]);
      }
      const double mean = sum / static_cast<double>(8 * height);
      classes.push_back(static_cast<std::size_t>(std::clamp(std::floor((mean + 1) / 2 * 12) + 1, 1.0, 31.0)));
    }
    const Made line = sure(kCharacters, classes);
    all.values.insert(all.values.end(), line.values.begin(), line.values.end());
  }
  return all;
}

Made objects(const std::vector<float>& rows) { return {{static_cast<std::int64_t>(rows.size() / 6), 6}, rows}; }

/// What a model of this name, its folder's, gives.
class Rule final : public ModelRunner {
 public:
  Rule(std::string name, const Case& c) : name_(std::move(name)), case_(c) {
    inputs_.push_back({.name = "image", .dims = {-1, 3, -1, -1}});
    outputs_.resize(1);
    if (name_ == "layout" || name_ == "cells") {
      inputs_.push_back({.name = "scale_factor", .dims = {-1, 2}});
      outputs_ = {{.name = "boxes", .dims = {-1, 6}}, {.name = "count", .dims = {-1}}};
    } else if (name_ == "structure") {
      outputs_ = {{.name = "places", .dims = {-1, -1, 8}}, {.name = "tokens", .dims = {-1, -1, kTokens}}};
    }
  }

  const std::vector<coracle::TensorInfo>& inputs() const override { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const override { return outputs_; }
  void run(const std::vector<RunInput>& inputs, const std::atomic<std::uint32_t>* /*cancelled*/) override {
    made_.clear();
    if (name_ == "det" || name_ == "seal") {
      made_ = {dark_is_text(inputs[0])};
    } else if (name_ == "rec") {
      made_ = {read_darkness(inputs[0])};
    } else if (name_ == "kind" || name_ == "orientation") {
      const bool kind = name_ == "kind";
      made_ = {sure(kind ? 2 : 4, {kind ? case_.kind : static_cast<std::size_t>(case_.degrees / 90)})};
      made_[0].dims.erase(made_[0].dims.begin());
    } else if (name_ == "structure") {
      const std::vector<std::size_t> tokens(case_.tokens.begin(), case_.tokens.end());
      made_ = {{{1, static_cast<std::int64_t>(tokens.size()), 8}, case_.places}, sure(kTokens, tokens)};
    } else {
      const std::vector<float>& rows = name_ == "layout" ? case_.regions : case_.cells;
      made_ = {objects(rows), {{1}, {static_cast<float>(rows.size() / 6)}}};
    }
  }
  coracle::View output(std::size_t index) const override {
    coracle_tensor_view view{};
    view.dtype = CORACLE_FLOAT32;
    view.rank = static_cast<std::int32_t>(made_[index].dims.size());
    std::copy(made_[index].dims.begin(), made_[index].dims.end(), view.dims);
    view.data = made_[index].values.data();
    view.bytes = made_[index].values.size() * sizeof(float);
    return {view, {}};
  }

 private:
  std::string name_;
  const Case& case_;
  std::vector<coracle::TensorInfo> inputs_;
  std::vector<coracle::TensorInfo> outputs_;
  std::vector<Made> made_;
};

std::vector<Point> points_of(const std::vector<float>& numbers) {
  std::vector<Point> points;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
    points.push_back({static_cast<int>(numbers[i]), static_cast<int>(numbers[i + 1])});
  return points;
}

/// How far a point of one outline is from another outline, at most.
double farthest(const std::vector<Point>& outline, const std::vector<Point>& other) {
  double most = 0;
  for (const Point& p : outline) {
    double least = 1e9;
    for (std::size_t i = 0; i < other.size(); ++i) {
      const Point& a = other[i];
      const Point& b = other[(i + 1) % other.size()];
      const double x = b.x - a.x;
      const double y = b.y - a.y;
      const double square = x * x + y * y;
      const double part = square > 0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0.0, 1.0) : 0;
      least = std::min(least, std::hypot(a.x + part * x - p.x, a.y + part * y - p.y));
    }
    most = std::max(most, least);
  }
  return most;
}

class TablePages : public testing::Test {
 protected:
  TablePages() {
    const std::filesystem::path tests = CORACLE_VISION_TESTS;
    const std::pair<const char*, const char*> descriptions[] = {
        {"orientation", "orientation/inference.yml"}, {"kind", "descriptions/table_kind.yml"},
        {"layout", "descriptions/seal_layout.yml"},   {"structure", "table/inference.yml"},
        {"cells", "descriptions/table_cells.yml"},    {"det", "descriptions/text_detection.yml"},
        {"seal", "descriptions/text_polygons.yml"},   {"rec", "descriptions/made_up_line.yml"}};
    for (const auto& [name, file] : descriptions) {
      std::filesystem::create_directory(folder_.path(name));
      std::filesystem::copy_file(tests / file, folder_.path(name) + "/inference.yml");
    }
  }

  std::string model(const char* name) const { return folder_.path(name); }

  Document read(const Case& c) const {
    DocumentReaderFiles files;
    files.text.detector = model("det");
    files.text.recognizer = model("rec");
    files.tables.classifier = model("kind");
    files.tables.orientation = model("orientation");
    if (c.wired[0]) files.tables.wired_structure = model("structure");
    if (c.wired[1]) files.tables.wired_cells = model("cells");
    if (c.wireless[0]) files.tables.wireless_structure = model("structure");
    if (c.wireless[1]) files.tables.wireless_cells = model("cells");
    if (c.layout) {
      files.layout = model("layout");
      files.seals.detector = model("seal");
    }
    const ReaderOptions options{.open = [&](const std::string& path, const std::string&) {
      return std::make_unique<Rule>(std::filesystem::path(path).filename().string(), c);
    }};
    DocumentReading how;
    how.split_lines = c.split;
    return DocumentReader(files, options).read(page_of(c), how);
  }

  internal::test::TemporaryFolder folder_;
};

TEST_F(TablePages, AreReadAsPaddleXReadsThem) {
  const std::vector<Case> cases = read_cases();
  ASSERT_EQ(cases.size(), 9U);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Document document = read(c);
    ASSERT_EQ(document.tables.size(), 1U);
    EXPECT_EQ(document.tables[0].html, c.html);
    std::vector<std::vector<float>> got;
    std::vector<std::vector<float>> want;
    for (const std::array<float, 4>& cell : document.tables[0].cells) got.emplace_back(cell.begin(), cell.end());
    for (auto at = c.found.begin(); at != c.found.end(); at += 4) want.emplace_back(at, at + 4);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      for (std::size_t side = 0; side < 4; ++side) EXPECT_NEAR(got[i][side], want[i][side], 1e-3) << i;
    }
    if (!c.layout) continue;
    ASSERT_EQ(document.seals.size(), 1U);
    ASSERT_EQ(c.seals.size(), 2U);
    ASSERT_EQ(document.seals[0].lines.size(), c.seals.size());
    for (std::size_t i = 0; i < c.seals.size(); ++i) {
      const TextLine& line = document.seals[0].lines[i];
      EXPECT_EQ(line.text, c.seals[i].first);
      ASSERT_GE(line.polygon.size(), 4U);
      EXPECT_LE(farthest(line.polygon, points_of(c.seals[i].second)), 1.5);
      EXPECT_LE(farthest(points_of(c.seals[i].second), line.polygon), 1.5);
    }
    EXPECT_NE(to_html(document, "t").find("<p>" + c.seals[0].first), std::string::npos);
  }
}

std::string refusal(const DocumentReaderFiles& files, const ReaderOptions& options) {
  try {
    DocumentReader reader(files, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

TEST_F(TablePages, ModelsThatMakeUpNoWayAreRefused) {
  const Case c;
  const ReaderOptions options{.open = [&](const std::string& path, const std::string&) {
    return std::make_unique<Rule>(std::filesystem::path(path).filename().string(), c);
  }};
  DocumentReaderFiles files;
  files.tables.orientation = model("orientation");
  EXPECT_EQ(refusal(files, options), "tables need a model for their structure or for their cells");
  files.tables.wired_structure = model("structure");
  EXPECT_EQ(refusal(files, options), "no error");
  files.tables.wireless_cells = model("cells");
  EXPECT_EQ(refusal(files, options),
            "models for wired and for wireless tables need a classifier that tells both apart");
  files.tables.wireless_cells.clear();
  files.tables.classifier = model("kind");
  EXPECT_EQ(refusal(files, options), "a classifier of tables needs models for wired and for wireless ones");
  files.table = model("structure");
  EXPECT_EQ(refusal(files, options),
            "a model for all tables leaves nothing to models for wired or wireless ones: give either");
  files = {};
  files.seals.recognizer = model("rec");
  files.layout = model("layout");
  EXPECT_EQ(refusal(files, options), "a recogniser of seals needs a detector of them beside it");
}

TEST_F(TablePages, AClassifierOfOtherThingsIsNamed) {
  std::vector<Case> cases = read_cases();
  DocumentReaderFiles files;
  files.tables.classifier = model("orientation");
  files.tables.wired_structure = files.tables.wireless_structure = model("structure");
  const ReaderOptions options{.open = [&](const std::string& path, const std::string&) {
    return std::make_unique<Rule>(std::filesystem::path(path).filename().string(), cases[0]);
  }};
  DocumentReader reader(files, options);
  try {
    reader.read(page_of(cases[0]), 0);
    FAIL() << "it is no classifier of tables";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), model("orientation") +
                                         ": a classifier of tables has the classes wired_table and wireless_table, "
                                         "this one has '0'");
  }
}

}  // namespace table_pages_test
}  // namespace coracle::vision
