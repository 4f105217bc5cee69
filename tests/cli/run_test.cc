// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <filesystem>
#include <fstream>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/plainest_isa.h"
#include "support/program_writer.h"
#include "support/reference_cases.h"

// coracle run: inputs of every kind give the right results in the right files.
namespace coracle::internal {
namespace {

using test::Outcome;

/// Runs the program, which must succeed and say nothing on standard error.
std::string results(const std::vector<std::string>& arguments) {
  const Outcome outcome = test::coracle_program(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

class Run : public testing::Test {
 protected:
  std::string output(int index) const { return folder_.path("out/" + std::to_string(index) + ".npy"); }
  std::vector<double> values(int index) const { return test::read_npy(output(index)).doubles(); }

  const test::TemporaryFolder folder_;
};

TEST_F(Run, SizesThatAModelDeclaresDoNotBind) {
  test::BlockWriter b;
  test::add_feed(b, "x", test::kFloat32, {-1, 3}, 0);
  b.operators.push_back(test::OpWriter("relu").in("X", {"x"}).out("Out", {"y"}));
  test::add_fetch(b, "y", 0);
  const std::string model = folder_.write("relu.pdmodel", test::program_file({b}));
  results({"run", model, "--shape", "x=2,3"});
  const Outcome outcome = test::coracle_program({"run", model, "--shape", "x=2,4"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "coracle: note: input 'x' is float32[2, 4], the model declares float32[?, 3]\n");
}

TEST_F(Run, WritesOutputsInTheModelsOrder) {
  const std::string model = test::write_model(folder_, test::product_model());
  const std::vector<float> x{1, 0, -2, 0.5F};
  test::write_npy(folder_.path("x.npy"), Tensor::of<float>({2, 2}, x));
  const std::string text =
      results({"run", model, "--input", "x=" + folder_.path("x.npy"), "--output-dir", folder_.path("out")});
  EXPECT_EQ(test::read_npy(output(0)).shape(), (Shape{2, 2}));
  EXPECT_EQ(values(0), (std::vector<double>{2, 0, -4, 1}));
  EXPECT_EQ(values(1), (std::vector<double>{1, 2, -0.5, -2}));
  EXPECT_FALSE(std::filesystem::exists(output(2)));
  EXPECT_NE(text.find("0  twice  float32[2, 2]  min -4  max 2"), std::string::npos) << text;
  EXPECT_NE(text.find("1  product  float32[2, 2]"), std::string::npos) << text;
}

TEST_F(Run, TakesTheModelByFolderOrFile) {
  const test::ModelBytes bytes = test::product_model();
  folder_.write("m/inference.pdmodel", bytes.program);
  folder_.write("m/inference.pdiparams", bytes.params);
  folder_.write("w/weights", bytes.params);
  const std::string expected = results({"run", folder_.path("m")});
  EXPECT_EQ(results({"run", folder_.path("m/inference.pdmodel")}), expected);
  EXPECT_EQ(results({"run", folder_.path("m/inference.pdiparams")}), expected);
  EXPECT_EQ(results({"run", folder_.path("m/inference.pdmodel"), "--params", folder_.path("w/weights")}), expected);
}

TEST_F(Run, MadeUpInputsDependOnSeedNameAndShapeOnly) {
  const std::string model = test::write_model(folder_, test::product_model());
  const auto first = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", model, "--output-dir", folder_.path("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    results(arguments);
    return values(0);
  };
  const std::vector<double> values = first({});
  EXPECT_EQ(values.size(), 2U) << "a free first dimension is 1";
  for (double v : values) EXPECT_LT(std::abs(v), 2.0);
  EXPECT_EQ(first({"--threads", "2", "--isa", test::plainest_isa()}), values);
  for (const char* weights : {"automatic", "copied", "mapped"}) EXPECT_EQ(first({"--weights", weights}), values);
  EXPECT_NE(first({"--seed", "other"}), values);
  const std::vector<double> longer = first({"--shape", "x=3,2"});
  EXPECT_EQ(longer.size(), 6U);
  EXPECT_EQ(std::vector<double>(longer.begin(), longer.begin() + 2), values);
  EXPECT_TRUE(first({"--shape", "x=0,2"}).empty());
}

TEST_F(Run, Json) {
  const std::string model = test::write_model(folder_, test::sequence_model());
  rapidjson::Document d;
  d.Parse(results({"run", model, "--shape", "x=7,1", "--lod", "x=0,3,7", "--json"}).c_str());
  ASSERT_FALSE(d.HasParseError());
  ASSERT_EQ(d["outputs"].Size(), 2U);
  const rapidjson::Value& pooled = d["outputs"][0];
  EXPECT_STREQ(pooled["name"].GetString(), "y");
  EXPECT_STREQ(pooled["dtype"].GetString(), "float32");
  ASSERT_EQ(pooled["shape"].Size(), 2U);
  EXPECT_EQ(pooled["shape"][0].GetInt(), 2);
  EXPECT_STREQ(d["outputs"][1]["lod"].GetString(), "0,3,7");
}

TEST_F(Run, SequenceOffsets) {
  const std::string model = test::write_model(folder_, test::sequence_model());
  const std::vector<float> x{1, 2, 4, 8, 16, 32, 64};
  test::write_npy(folder_.path("x.npy"), Tensor::of<float>({7, 1}, x));
  const auto run = [&](const std::string& lod) {
    return results({"run", model, "--input", "x=" + folder_.path("x.npy"), "--lod", "x=" + lod, "--output-dir",
                    folder_.path("out")});
  };
  EXPECT_NE(run("0,3,7").find("lod 0,3,7"), std::string::npos);
  EXPECT_EQ(values(0), (std::vector<double>{7, 120}));
  EXPECT_EQ(values(1), (std::vector<double>{4, 2, 1, 64, 32, 16, 8}));
  // Two levels: pooled by the finest one.
  EXPECT_NE(run("0,1,3/0,3,3,7").find("lod 0,1,3/0,3,3,7"), std::string::npos);
  EXPECT_EQ(values(0), (std::vector<double>{7, 0, 120}));
}

TEST_F(Run, Pictures) {
  const std::string model = test::write_model(folder_, test::picture_model());
  test::write_png(folder_.path("a.png"), 4, 6, {51, 102, 255});
  test::write_jpeg(folder_.path("b.jpg"), 8, 8, {128, 128, 128});
  const auto run = [&](const std::string& file, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run",    model, "--input",      "x=" + folder_.path(file),
                                       "--mean", "0",   "--output-dir", folder_.path("out")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    results(arguments);
    return test::read_npy(output(0));
  };
  const Tensor own_size = run("a.png", {});
  EXPECT_EQ(own_size.shape(), (Shape{1, 1, 4, 6}));
  // red + 10 green + 100 blue, each divided by 255
  for (double v : own_size.doubles()) EXPECT_NEAR(v, 0.2 + 4 + 100, 1e-4);
  const Tensor resized = run("a.png", {"--shape", "x=1,3,3,9"});
  EXPECT_EQ(resized.shape(), (Shape{1, 1, 3, 9}));
  for (double v : resized.doubles()) EXPECT_NEAR(v, 104.2, 1e-4);
  const Tensor jpeg = run("b.jpg", {});
  EXPECT_EQ(jpeg.shape(), (Shape{1, 1, 8, 8}));
  for (double v : jpeg.doubles()) EXPECT_NEAR(v, 111 * 128 / 255.0, 0.5);
}

TEST_F(Run, NumpyFilesOfOtherWriters) {
  const std::string model = test::write_model(folder_, test::product_model());
  // Format 2.0, Fortran order: 1 3 / 2 4 read as 1 2 / 3 4 by columns.
  const std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n";
  std::string content("\x93NUMPY\x02\x00", 8);
  content.push_back(static_cast<char>(header.size()));
  content.append(3, '\0').append(header);
  for (float v : {1.0F, 2.0F, 3.0F, 4.0F}) content.append(reinterpret_cast<const char*>(&v), sizeof(v));
  folder_.write("x.npy", content);
  results({"run", model, "--input", "x=" + folder_.path("x.npy"), "--output-dir", folder_.path("out")});
  EXPECT_EQ(values(0), (std::vector<double>{2, 6, 4, 8}));
}

TEST_F(Run, GivesWhatPaddleGives) {
  const std::string shared = CORACLE_SHARED;
  int run = 0;
  for (const auto& [model, name] : test::reference_cases(shared)) {
    if (model != "serving-text_classification_lstm" && model != "pir-PP-LCNet_x0_25_textline_ori") continue;
    SCOPED_TRACE(model + "/" + name);
    const test::ReferenceCase c = test::read_reference_case(shared, "", model, name);
    std::vector<std::string> arguments{"run", c.program, "--output-dir", folder_.path("out")};
    if (!c.params.empty()) arguments.insert(arguments.end(), {"--params", c.params});
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const std::string path = folder_.path(std::to_string(i) + "_in.npy");
      test::write_npy(path, c.inputs[i]);
      arguments.insert(arguments.end(), {"--input", c.input_names[i] + "=" + path});
      std::string lod = c.input_names[i] + "=";
      for (const std::vector<size_t>& level : c.inputs[i].lod()) {
        if (lod.back() != '=') lod += "/";
        for (size_t k = 0; k < level.size(); ++k) lod.append(k == 0 ? "" : ",").append(std::to_string(level[k]));
      }
      if (lod.back() != '=') arguments.insert(arguments.end(), {"--lod", lod});
    }
    const Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const bool other_size = name.find("other_size") != std::string::npos;
    EXPECT_EQ(outcome.err.find("the model declares") != std::string::npos, other_size) << outcome.err;
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      EXPECT_EQ(compare(test::read_npy(output(static_cast<int>(i))), c.outputs[i]).complaint, "") << "output " << i;
    }
    ++run;
  }
  if (run == 0) GTEST_SKIP() << "the reference folder ../shared is absent";
}

}  // namespace
}  // namespace coracle::internal
