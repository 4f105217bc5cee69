// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>

#include "files.h"
#include "program.h"
#include "support/npy.h"
#include "support/plainest_isa.h"
#include "support/program_writer.h"

// coracle compare: differences of outputs, and what they come from.
namespace coracle::internal {
namespace {

using test::Outcome;

constexpr int kDifferent = 7;

class Compare : public testing::Test {
 protected:
  /// Runs `coracle compare`; what it prints must be JSON, its exit code `code`.
  static rapidjson::Document compared(std::vector<std::string> arguments, int code) {
    arguments.insert(arguments.begin(), "compare");
    arguments.emplace_back("--json");
    const Outcome outcome = test::coracle_program(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.err.empty(), code == 0) << outcome.err;
    rapidjson::Document d;
    d.Parse(outcome.out.c_str());
    EXPECT_FALSE(d.HasParseError()) << outcome.out << outcome.err;
    EXPECT_EQ(d["agrees"].GetBool(), code == 0);
    return d;
  }
  /// The product model's parameters with another last weight.
  std::string other_weights(float last) const {
    std::string params = test::product_model().params;
    std::memcpy(params.data() + params.size() - sizeof(last), &last, sizeof(last));
    return folder_.write("other_weights", params);
  }
  /// A folder with results of the product model for x = 1 0 / -2 0.5, x in "data".
  std::string stored(const std::vector<float>& product) const {
    std::filesystem::create_directories(folder_.path("data"));
    std::filesystem::create_directories(folder_.path("expected"));
    const auto write = [&](const char* name, const std::vector<float>& values) {
      test::write_npy(folder_.path(name), Tensor::of<float>({2, 2}, values));
    };
    write("data/x.npy", {1, 0, -2, 0.5F});
    write("expected/0.npy", {2, 0, -4, 1});
    write("expected/product.npy", product);
    return folder_.path("expected");
  }
  /// An interpreter that answers each request with the same reply, for whatever model.
  std::string interpreter(const std::string& reply) const {
    folder_.write("reply", reply);
    std::string path = folder_.write("python", "#!/bin/sh\ncp " + folder_.path("expected") + "/*.npy $3\ncp " +
                                                   folder_.path("reply") + " $3/reply.json\n");
    ::chmod(path.c_str(), 0700);
    return path;
  }

  const test::TemporaryFolder folder_;
  const std::string product_ = test::write_model(folder_, test::product_model());
  const std::string convolution_ = test::write_model(folder_, test::small_program_models()[0]);
};

TEST_F(Compare, OneModelWithItself) {
  const rapidjson::Document d = compared({product_, "--shape", "x=3,2"}, 0);
  ASSERT_EQ(d["outputs"].Size(), 2U);
  EXPECT_STREQ(d["outputs"][1]["name"].GetString(), "product");
  EXPECT_STREQ(d["outputs"][1]["type_b"].GetString(), "float32[3, 2]");
  EXPECT_EQ(d["outputs"][1]["elements"].GetInt(), 6);
  EXPECT_EQ(d["outputs"][1]["unequal"].GetInt(), 0);
  EXPECT_NE(std::string(d["b"].GetString()).find("passes=off"), std::string::npos);
  EXPECT_FALSE(d.HasMember("origin"));
  const Outcome outcome =
      test::coracle_program({"compare", product_, "--a", "threads=1", "--b", "threads=2", "--seeds", "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("the outputs are equal, for 3 sets of inputs"), std::string::npos) << outcome.out;
}

TEST_F(Compare, OptionsOfModelsAreKeys) {
  const rapidjson::Document d =
      compared({product_, "--b", "passes=on", "--b", "min-ops=3", "--b", "weights-cache=0", "--b",
                "allow-outside-links=on", "--b", "emulate-tiles=off", "--b", "isa=", "--b", "max-rewrites=0"},
               0);
  EXPECT_NE(std::string(d["b"].GetString()).find("weights-cache=0"), std::string::npos);
}

TEST_F(Compare, OtherWeightsAreFoundAtTheirOperator) {
  const std::string weights = "params=" + other_weights(5);
  const rapidjson::Document d = compared({product_, "--input",
                                          "x=" +
                                              [&] {
                                                stored({0, 0, 0, 0});
                                                return folder_.path("data/x.npy");
                                              }(),
                                          "--b", weights},
                                         kDifferent);
  EXPECT_TRUE(d["outputs"][0]["agrees"].GetBool());
  const rapidjson::Value& product = d["outputs"][1];
  EXPECT_EQ(product["beyond"].GetInt(), 1);
  EXPECT_EQ(product["at"][0].GetInt(), 1);
  EXPECT_EQ(product["at"][1].GetInt(), 1);
  EXPECT_EQ(product["value_a"].GetDouble(), -2);
  EXPECT_EQ(product["value_b"].GetDouble(), -1.5);
  EXPECT_EQ(product["max_abs"].GetDouble(), 0.5);
  EXPECT_EQ(product["max_rel"].GetDouble(), 0.25);
  EXPECT_EQ(product["mean_abs"].GetDouble(), 0.125);
  const rapidjson::Value& first = d["origin"]["first"];
  EXPECT_STREQ(first["name"].GetString(), "product");
  EXPECT_STREQ(first["op_b"].GetString(), "linear");
  for (const rapidjson::Value& r : d["origin"]["rewriting"].GetArray()) EXPECT_FALSE(r["responsible"].GetBool());
}

// Without any tolerance the rewrites that change rounding are found: a normalisation applied to sums of a convolution.
TEST_F(Compare, TheRewriteResponsibleIsFound) {
  const rapidjson::Document d =
      compared({convolution_, "--shape", "x=1,3,16,16", "--rtol", "0", "--atol", "0"}, kDifferent);
  const rapidjson::Value& a = d["origin"]["rewriting"][0];
  EXPECT_STREQ(a["side"].GetString(), "A");
  ASSERT_TRUE(a["responsible"].GetBool());
  EXPECT_GT(a["number"].GetInt(), 0);
  EXPECT_LE(a["number"].GetInt(), a["rewrites"].GetInt());
  const std::string pass = a["pass"].GetString();
  EXPECT_TRUE(pass.starts_with("fuse_") || pass.starts_with("fold_")) << pass;
  ASSERT_FALSE(a["before"].Empty());
  ASSERT_FALSE(a["after"].Empty());
  EXPECT_NE(std::string(a["after"][0].GetString()).find("conv2d"), std::string::npos) << a["after"][0].GetString();
  EXPECT_FALSE(d["origin"]["rewriting"][1]["responsible"].GetBool()) << "B has none";
  ASSERT_TRUE(d["origin"]["first"].IsObject());
  EXPECT_FALSE(d["origin"]["first"]["agrees"].GetBool());
  // That rewrite left out, and those behind it, there is no difference.
  const std::string number = std::to_string(a["number"].GetInt() - 1);
  compared({convolution_, "--shape", "x=1,3,16,16", "--rtol", "0", "--atol", "0", "--a", "max-rewrites=" + number,
            "--b", "passes=off"},
           0);
}

TEST_F(Compare, TheKernelResponsibleIsFound) {
  if (test::plainest_isa() != "sse2") GTEST_SKIP() << "this build has no kernels for SSE2, whose softmax differs";
  const rapidjson::Document d = compared({convolution_, "--shape", "x=1,3,16,16", "--a", "isa=sse2", "--b", "isa=sse2",
                                          "--b", "disable-kernels=softmax", "--rtol", "0", "--atol", "0"},
                                         kDifferent);
  EXPECT_STREQ(d["origin"]["first"]["op_a"].GetString(), "softmax");
  const std::string kernel = d["origin"]["kernel_responsible"].GetString();
  EXPECT_TRUE(kernel.starts_with("softmax")) << kernel;
}

TEST_F(Compare, EachOperator) {
  const Outcome outcome = test::coracle_program({"compare", convolution_, "--shape", "x=1,3,16,16", "--operators"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("y  softmax  float32["), std::string::npos) << outcome.out;
}

TEST_F(Compare, StoredResults) {
  const std::string expected = stored({1, 2, -0.5F, -2});
  const std::vector<std::string> arguments = {product_, "--data", folder_.path("data"), "--expected", expected};
  compared(arguments, 0);
  test::write_npy(folder_.path("wrong.npy"), Tensor::of<float>({2, 2}, std::vector<float>{1, 2, -0.5F, -2.25F}));
  const rapidjson::Document d = compared(
      {product_, "--data", folder_.path("data"), "--expected", "product=" + folder_.path("wrong.npy")}, kDifferent);
  ASSERT_EQ(d["outputs"].Size(), 1U);
  EXPECT_EQ(d["outputs"][0]["max_abs"].GetDouble(), 0.25);
  EXPECT_FALSE(d["origin"].HasMember("first")) << "files do not show operators";
}

TEST_F(Compare, NumbersThatAreNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  stored({1, 2, nan, -2});
  const rapidjson::Document d =
      compared({product_, "--data", folder_.path("data"), "--expected", folder_.path("expected")}, kDifferent);
  const rapidjson::Value& product = d["outputs"][1];
  EXPECT_EQ(product["nan_a"].GetInt(), 0);
  EXPECT_EQ(product["nan_b"].GetInt(), 1);
  EXPECT_EQ(product["beyond"].GetInt(), 1);
  EXPECT_STREQ(product["max_abs"].GetString(), "NaN");
  EXPECT_STREQ(product["value_b"].GetString(), "NaN");
  EXPECT_EQ(product["at"][0].GetInt(), 1);
  // The same on both sides is no difference.
  test::write_npy(folder_.path("data/x.npy"), Tensor::of<float>({2, 2}, std::vector<float>{nan, 0, 1, 1}));
  const rapidjson::Document same = compared({product_, "--data", folder_.path("data")}, 0);
  EXPECT_EQ(same["outputs"][0]["nan_a"].GetInt(), 1);
  EXPECT_EQ(same["outputs"][0]["unequal"].GetInt(), 0);
}

TEST_F(Compare, SizesThatAModelDoesNotDeclareAreSaidOfResultsThatDiffer) {
  test::BlockWriter b;
  test::add_feed(b, "x", test::kFloat32, {-1, 3}, 0);
  b.operators.push_back(test::OpWriter("relu").in("X", {"x"}).out("Out", {"y"}));
  test::add_fetch(b, "y", 0);
  const std::string model = folder_.write("relu.pdmodel", test::program_file({b}));
  test::write_npy(folder_.path("x.npy"), Tensor::of<float>({1, 4}, std::vector<float>{1, 2, 3, 4}));
  test::write_npy(folder_.path("y.npy"), Tensor::of<float>({1, 4}, std::vector<float>{1, 2, 3, 5}));
  const std::string note = "coracle: note: input 'x' is float32[1, 4], the model declares float32[?, 3]\n";
  const auto outcome = [&](const std::string& expected) {
    return test::coracle_program(
        {"compare", model, "--input", "x=" + folder_.path("x.npy"), "--expected", "y=" + folder_.path(expected)});
  };
  EXPECT_EQ(outcome("x.npy").err, note);
  const test::Outcome differs = outcome("y.npy");
  EXPECT_EQ(differs.code, kDifferent);
  EXPECT_TRUE(differs.err.starts_with(note)) << differs.err;
  std::filesystem::create_directories(folder_.path("out/0.npy"));  // a file cannot take its place
  const test::Outcome unwritten = test::coracle_program(
      {"run", model, "--input", "x=" + folder_.path("x.npy"), "--output-dir", folder_.path("out")});
  EXPECT_EQ(unwritten.code, 5) << unwritten.err;
  EXPECT_NE(unwritten.err.find(note), std::string::npos) << "of other failures, too: " << unwritten.err;
}

TEST_F(Compare, ShapesThatDiffer) {
  stored({0, 0, 0, 0});
  test::write_npy(folder_.path("wide.npy"), Tensor::of<float>({1, 4}, std::vector<float>{1, 2, -0.5F, -2}));
  const rapidjson::Document d = compared(
      {product_, "--data", folder_.path("data"), "--expected", "product=" + folder_.path("wide.npy")}, kDifferent);
  EXPECT_STREQ(d["outputs"][0]["mismatch"].GetString(), "the shapes differ");
  EXPECT_STREQ(d["outputs"][0]["type_b"].GetString(), "float32[1, 4]");
}

TEST_F(Compare, AnotherEngineIsAProcess) {
  stored({1, 2, -0.5F, -2});
  const auto arguments = [&](const std::string& reply) {
    return std::vector<std::string>{product_, "--data",   folder_.path("data"), "--engine",
                                    "paddle", "--python", interpreter(reply)};
  };
  const rapidjson::Document d =
      compared(arguments(R"({"version": "9.9", "values": [], "outputs": [{"name": "twice", "file": "0.npy"},
                              {"name": "product", "file": "product.npy"}]})"),
               0);
  EXPECT_NE(std::string(d["b"].GetString()).find("paddle 9.9"), std::string::npos) << d["b"].GetString();
  EXPECT_EQ(d["outputs"].Size(), 2U);
  const auto fails = [&](const std::string& reply, int code, const std::vector<std::string>& parts) {
    std::vector<std::string> all = arguments(reply);
    all.insert(all.begin(), "compare");
    test::expect_failure(all, code, parts);
  };
  fails(R"({"error": "No module named 'paddle'", "missing": "paddle"})", 4,
        {"paddle is not installed", "-m pip install paddlepaddle", "--python"});
  fails(R"({"error": "the operator dance is unknown"})", 1, {"paddle", "the operator dance is unknown"});
  fails("{", 1, {"paddle", "ended with exit code 0"});
}

TEST_F(Compare, TheRealPaddle) {
  const std::string python = CORACLE_ORACLE_PYTHON;
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "there is no " << python;
  const std::string model = CORACLE_DEMO_MODELS "/models/ch_ppocr_mobile_v2_cls_infer";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "there is no " << model;
  std::vector<std::string> arguments = {model, "--shape", "x=1,3,48,192", "--engine", "paddle", "--python", python};
  EXPECT_EQ(compared(arguments, 0)["outputs"].Size(), 1U);
  for (const char* strict : {"--rtol", "0", "--atol", "0"}) arguments.emplace_back(strict);
  const rapidjson::Document d = compared(arguments, kDifferent);
  EXPECT_GT(d["origin"]["common_values"].GetInt(), 20) << "Paddle shows what its operators compute";
  ASSERT_TRUE(d["origin"]["first"].IsObject());
  EXPECT_STREQ(d["origin"]["first"]["op_b"].GetString(), "hard_swish");
}

/// Names of what operators of both sides compute, as --operators tells them.
std::vector<std::string> compared_names(const rapidjson::Document& d) {
  std::vector<std::string> names;
  for (const rapidjson::Value& v : d["operators"].GetArray()) names.emplace_back(v["name"].GetString());
  return names;
}

// Files of PIR have no names for values: those are compared that are made by the same operation of the program.
TEST_F(Compare, TheRealPaddleWithPir) {
  const std::string python = CORACLE_ORACLE_PIR_PYTHON;
  if (!std::filesystem::exists(python)) GTEST_SKIP() << "there is no " << python;
  const std::string log = folder_.path("log");
  ASSERT_EQ(std::system((python + " " CORACLE_EXPORT_PIR " " + folder_.path(".") + " >" + log + " 2>&1").c_str()), 0);
  const std::vector<std::string> arguments = {
      folder_.path("model"), "--shape", "x=3,4", "--engine", "paddle", "--python", python};
  std::vector<std::string> each = arguments;
  each.insert(each.end(), {"--operators", "--a", "passes=off"});
  const std::vector<std::string> names = compared_names(compared(each, 0));
  for (const char* name : {"split_with_num_3.1", "topk_6", "topk_6.1", "if_11", "while_21.1"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  // Another weight of one layer is found at that layer.
  std::vector<std::string> other = arguments;
  other.insert(other.end(), {"--a", "params=" + folder_.path("other/inference.pdiparams")});
  const rapidjson::Document d = compared(other, kDifferent);
  const rapidjson::Value& first = d["origin"]["first"];
  ASSERT_TRUE(first.IsObject());
  EXPECT_STREQ(first["op_b"].GetString(), "pd_op.add");
  EXPECT_STREQ(first["op_a"].GetString(), "linear");
  EXPECT_STREQ(d["origin"]["before"].GetString(), "while_21.1");
}

TEST_F(Compare, Onnxruntime) {
  const std::string python = CORACLE_BENCH_PYTHON;
  if (std::system(("'" + python + "' -c 'import onnxruntime' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << python << " has no onnxruntime";
  }
  const std::string model = CORACLE_SHARED "/models/mobilenetv3_small_x0_35-multilabel";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "there is no " << model;
  std::vector<std::string> arguments = {
      model, model + "/model.onnx", "--operators", "--engine", "onnxruntime", "--python", python};
  const std::vector<std::string> names = compared_names(compared(arguments, 0));
  EXPECT_EQ(std::count(names.begin(), names.end(), "hardswish_0.tmp_0"), 1);
  for (const char* strict : {"--rtol", "0", "--atol", "0"}) arguments.emplace_back(strict);
  const rapidjson::Document d = compared(arguments, kDifferent);
  EXPECT_STREQ(d["origin"]["first"]["op_b"].GetString(), "HardSwish");
}

TEST_F(Compare, Openvino) {
  const std::string python = CORACLE_OPENVINO_PYTHON;
  if (std::system(("'" + python + "' -c 'import openvino' 2>/dev/null").c_str()) != 0) {
    GTEST_SKIP() << python << " has no openvino";
  }
  const std::string model = CORACLE_SHARED "/models/mobilenetv3_small_x0_35-multilabel";
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "there is no " << model;
  const std::vector<std::string> names =
      compared_names(compared({model, "--operators", "--engine", "openvino", "--python", python}, 0));
  EXPECT_GT(names.size(), 20U);
}

}  // namespace
}  // namespace coracle::internal
