// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "files.h"
#include "program.h"
#include "support/archive_writer.h"
#include "support/npy.h"

// coracle run: the formats of inputs besides .npy, what is made of pictures, and folders of them.
namespace coracle::internal {
namespace {

using test::Outcome;

class Inputs : public testing::Test {
 protected:
  Outcome run(const std::string& model, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run", model, "--output-dir", folder_.path("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
  std::vector<double> first(const std::string& folder = "out") const {
    return test::read_npy(folder_.path(folder + "/0.npy")).doubles();
  }
  /// "x" of the product model, whose first result is twice that.
  std::vector<double> twice(const std::vector<std::string>& more) const {
    EXPECT_EQ(run(product_, more).err, "");
    return first();
  }
  std::string npy_content() const {
    const std::vector<float> x{1, 0, -2, 0.5F};
    test::write_npy(folder_.path("x.npy"), Tensor::of<float>({2, 2}, x));
    std::ifstream file(folder_.path("x.npy"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// What the picture model makes of a picture: red + 10 green + 100 blue of each pixel.
  std::vector<double> colours(const std::string& file, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--input", "x=" + folder_.path(file)});
    run(picture_, more);
    return first();
  }

  const test::TemporaryFolder folder_;
  const std::string product_ = test::write_model(folder_, test::product_model());
  const std::string picture_ = test::write_model(folder_, test::picture_model());
  const std::vector<double> wanted_{2, 0, -4, 1};
};

TEST_F(Inputs, Archives) {
  const std::string npy = npy_content();
  for (bool deflated : {false, true}) {
    const std::string path = folder_.write("x.NPZ", test::zip_archive({{"x.npy", npy}}, deflated));
    EXPECT_EQ(twice({"--input", "x=" + path}), wanted_);
    EXPECT_EQ(twice({"--input", path}), wanted_) << "by the names in it";
  }
  const std::string other = folder_.write("other.npz", test::zip_archive({{"arr_0.npy", npy}}, true));
  EXPECT_EQ(twice({"--input", "x=" + other}), wanted_) << "the only one";
}

TEST_F(Inputs, Json) {
  EXPECT_EQ(twice({"--input", "x=" + folder_.write("list.json", "[[1, 0], [-2.0, 5e-1]]")}), wanted_);
  const std::string object = folder_.write("object.json", R"({"comment": "two rows", "x": [[1, 0], [-2, 0.5]]})");
  EXPECT_EQ(twice({"--input", "x=" + object}), wanted_);
  EXPECT_EQ(twice({"--input", folder_.write("all.json", R"({"x": [[1, 0], [-2, 0.5]]})")}), wanted_);
}

TEST_F(Inputs, RawBytes) {
  const std::vector<float> x{1, 0, -2, 0.5F};
  const std::string bytes(reinterpret_cast<const char*>(x.data()), 16);
  EXPECT_EQ(twice({"--input", "x=" + folder_.write("x.bin", bytes)}), wanted_) << "the free dimension follows";
  EXPECT_EQ(twice({"--input", "x=" + folder_.path("x.bin"), "--shape", "x=[2, 2]"}), wanted_);
  const std::string small("\x01\x00\xFE\x03", 4);
  EXPECT_EQ(twice({"--input", "x=" + folder_.write("x.raw", small), "--dtype", "x=int8"}),
            (std::vector<double>{2, 0, -4, 6}));
}

/// NumPy has no float8: files have its codes as uint8, both ways.
TEST_F(Inputs, Float8AsItsCodes) {
  const std::string model = test::write_model(folder_, test::float8_model());
  const std::vector<uint8_t> codes{0x38, 0xB9, 0x7E, 0x01};
  test::write_npy(folder_.path("codes.npy"), Tensor::of<uint8_t>({2, 2}, codes));
  const std::string npy = "x=" + folder_.path("codes.npy");
  EXPECT_EQ(run(model, {"--input", npy}).err, "");
  EXPECT_EQ(first(), (std::vector<double>{1, -1.125, 448, 0x1p-9}));
  const Tensor narrow = test::read_npy(folder_.path("out/1.npy"));
  EXPECT_EQ(narrow.dtype(), DType::kUint8);
  EXPECT_EQ(narrow.integers(), (std::vector<int64_t>{0x38, 0xB9, 0x7E, 0x01}));
  const std::string raw(codes.begin(), codes.end());
  run(model, {"--input", "x=" + folder_.write("codes.bin", raw)});
  EXPECT_EQ(first(), (std::vector<double>{1, -1.125, 448, 0x1p-9}));

  const Outcome json = test::coracle_program({"run", model, "--input", npy, "--json", "--values"});
  EXPECT_NE(json.out.find("\"float8_e4m3fn\""), std::string::npos) << json.out << json.err;
  EXPECT_NE(json.out.find("-1.125"), std::string::npos) << json.out;
  test::write_npy(folder_.path("wide.npy"), Tensor::of<float>({1, 2}, std::vector<float>{1, 2}));
  test::expect_failure({"run", model, "--input", "x=" + folder_.path("wide.npy")}, 2,
                       {"the file has float32[1, 2], the input takes float8_e4m3fn[?, 2]",
                        "x.astype(ml_dtypes.float8_e4m3fn).view('uint8')"});
  for (const char* type : {"<V1", "<f1", "<V2"}) {
    std::string file = npy_content();
    file.replace(file.find("<f4"), 3, type);
    test::expect_failure({"run", model, "--input", "x=" + folder_.write("foreign.npy", file)}, 5,
                         {type, "x.view('uint8') of float8"});
  }
}

TEST_F(Inputs, ShapesAndSizesAsPeopleWriteThem) {
  for (const char* shape : {"3,2", "3x2", "[3,2]", "[3, 2]"}) {
    EXPECT_EQ(twice({"--shape", std::string("x=") + shape}).size(), 6U) << shape;
  }
  for (const char* size : {"100000", "100kB", "100 KiB", "1.5GiB", "2mb"}) {
    EXPECT_EQ(twice({"--memory-limit", size, "--cache-bytes", size}).size(), 2U) << size;
  }
  EXPECT_EQ(twice({"--shape", "x=3,2", "--padding", "x=4..8/4x2"}).size(), 6U);
  test::expect_failure({"run", product_, "--shape", "x=3,2", "--padding", "x=4..8/4"}, 2, {"padding 'x=4..8/4'"});
  test::expect_failure({"run", product_, "--shape", "x=300,2", "--memory-limit", "1.5KiB"}, 6,
                       {"the memory limit is 1536"});
}

TEST_F(Inputs, PictureFormats) {
  const std::array<uint8_t, 3> colour{51, 102, 255};
  test::write_png(folder_.path("a.PNG"), 4, 6, colour);
  test::write_bmp(folder_.path("b.bmp"), 4, 6, colour, 24);
  test::write_bmp(folder_.path("c.Bmp"), 4, 6, colour, 8);
  test::write_bmp(folder_.path("d.bmp"), 4, 6, colour, 32);
  std::vector<std::string> files{"a.PNG", "b.bmp", "c.Bmp", "d.bmp"};
  if (test::write_webp(folder_.path("e.webp"), 4, 6, colour)) files.emplace_back("e.webp");
  for (const std::string& file : files) {
    const std::vector<double> values = colours(file);
    EXPECT_EQ(values.size(), 24U) << file;
    for (double v : values) EXPECT_NEAR(v, 0.2 + 4 + 100, 1e-3) << file;
  }
  test::write_cmyk_jpeg(folder_.path("f.JPEG"), 8, 8, {51, 102, 255});
  for (double v : colours("f.JPEG")) EXPECT_NEAR(v, 0.2 + 4 + 100, 0.5);
}

TEST_F(Inputs, OrientationOfPictures) {
  // Pixels 0 to 5 in two rows of three, and how they are shown.
  struct Case {
    int orientation;
    std::vector<double> shown;
  };
  const std::vector<Case> cases{{1, {0, 1, 2, 3, 4, 5}}, {2, {2, 1, 0, 5, 4, 3}}, {3, {5, 4, 3, 2, 1, 0}},
                                {4, {3, 4, 5, 0, 1, 2}}, {5, {0, 3, 1, 4, 2, 5}}, {6, {3, 0, 4, 1, 5, 2}},
                                {7, {5, 2, 4, 1, 3, 0}}, {8, {2, 5, 1, 4, 0, 3}}};
  for (const Case& c : cases) {
    test::write_oriented_png(folder_.path("o.png"), 2, 3, c.orientation);
    const std::vector<double> values = colours("o.png", {"--scale", "1"});
    EXPECT_EQ(values, c.shown) << "orientation " << c.orientation;
    EXPECT_EQ(test::read_npy(folder_.path("out/0.npy")).shape(),
              (c.orientation < 5 ? Shape{1, 1, 2, 3} : Shape{1, 1, 3, 2}));
  }
}

TEST_F(Inputs, Normalisation) {
  test::write_png(folder_.path("a.png"), 4, 6, {51, 102, 255});
  const std::string assumed = run(picture_, {"--input", "x=" + folder_.path("a.png")}).err;
  EXPECT_NE(assumed.find("no normalisation is stated, assumed RGB, (pixel * 1/255 - mean 0,0,0) / std 1,1,1"),
            std::string::npos)
      << assumed;
  const auto value = [&](const std::vector<std::string>& more) { return colours("a.png", more)[0]; };
  EXPECT_EQ(run(picture_, {"--input", "x=" + folder_.path("a.png"), "--mean", "0"}).err, "");
  EXPECT_NEAR(value({"--scale", "1"}), 51 + 1020 + 25500, 1e-2);
  EXPECT_NEAR(value({"--bgr"}), 1 + 4 + 20, 1e-3);
  EXPECT_NEAR(value({"--mean", "0.5", "--std", "0.5"}), -0.6 - 2 + 100, 1e-3);
  EXPECT_NEAR(value({"--mean", "0.1,0.2,0.3", "--std", "1,2,0.5"}), 0.1 + 1 + 140, 1e-3);
  EXPECT_NEAR(value({"--bgr", "--mean", "1,0,0", "--scale", "1/51"}), 4 + 20 + 100, 1e-3);
}

TEST_F(Inputs, Resizing) {
  test::write_png(folder_.path("white.png"), 4, 8, {255, 255, 255});
  const auto rows = [&](const std::vector<std::string>& more) {
    colours("white.png", more);
    return test::read_npy(folder_.path("out/0.npy"));
  };
  EXPECT_EQ(rows({"--resize", "short:2"}).shape(), (Shape{1, 1, 2, 4}));
  EXPECT_EQ(rows({"--resize", "short:2", "--shape", "x=1,3,2,2"}).shape(), (Shape{1, 1, 2, 2}));
  EXPECT_EQ(rows({"--resize", "none"}).shape(), (Shape{1, 1, 4, 8}));
  const std::vector<double> boxed = rows({"--resize", "letterbox:0", "--shape", "x=1,3,8,8"}).doubles();
  for (size_t i = 0; i < boxed.size(); ++i) {
    EXPECT_NEAR(boxed[i], i / 8 >= 2 && i / 8 < 6 ? 111 : 0, 1e-3) << "row " << i / 8;
  }
}

TEST_F(Inputs, StatisticsAndValues) {
  npy_content();
  rapidjson::Document d;
  const std::vector<std::string> json{"run", product_, "--input", "x=" + folder_.path("x.npy"), "--json"};
  d.Parse(test::coracle_program(json).out.c_str());
  ASSERT_FALSE(d.HasParseError());
  EXPECT_EQ(d["outputs"][0]["min"].GetDouble(), -4);
  EXPECT_EQ(d["outputs"][0]["max"].GetDouble(), 2);
  EXPECT_EQ(d["outputs"][0]["mean"].GetDouble(), -0.25);
  EXPECT_FALSE(d["outputs"][0].HasMember("values"));
  std::vector<std::string> values = json;
  values.emplace_back("--values");
  d.Parse(test::coracle_program(values).out.c_str());
  ASSERT_EQ(d["outputs"][0]["values"].Size(), 4U);
  EXPECT_EQ(d["outputs"][0]["values"][2].GetDouble(), -4);
  const std::string nan = folder_.write("nan.json", "[[1, NaN], [Infinity, 3]]");
  values[3] = "x=" + nan;
  d.Parse(test::coracle_program(values).out.c_str());
  EXPECT_EQ(d["outputs"][0]["not_finite"].GetInt(), 2);
  EXPECT_EQ(d["outputs"][0]["mean"].GetDouble(), 4);
  EXPECT_TRUE(d["outputs"][0]["values"][1].IsNull());
}

TEST_F(Inputs, Folders) {
  std::filesystem::create_directory(folder_.path("in"));
  for (int i = 0; i < 5; ++i) {
    folder_.write("in/" + std::to_string(i) + ".json", "[[" + std::to_string(i) + ", 0]]");
  }
  folder_.write("in/readme.txt", "no input");
  for (const char* jobs : {"1", "3"}) {
    const Outcome outcome = run(product_, {"--input", "x=" + folder_.path("in"), "--jobs", jobs, "--json"});
    EXPECT_EQ(outcome.err, "");
    for (int i = 0; i < 5; ++i) {
      const std::string name = std::to_string(i) + ".json";
      EXPECT_EQ(first("out/" + name)[0], 2 * i);
    }
    // A line for each, in their order.
    EXPECT_LT(outcome.out.find("\"file\":\"0.json\""), outcome.out.find("\"file\":\"4.json\"")) << outcome.out;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
  }
  folder_.write("in/3.json", "[[broken");
  const Outcome outcome = test::coracle_program({"run", product_, "--input", "x=" + folder_.path("in")});
  EXPECT_EQ(outcome.code, 5);
  EXPECT_NE(outcome.err.find("3.json: not JSON"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("coracle: 1 of 5 files failed"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("4.json\n0  twice  float32[1, 2]  min 0  max 8"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace coracle::internal
