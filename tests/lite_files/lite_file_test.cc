// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "lite_files/lite_file_writer.h"
#include "loading/model.h"
#include "model/load.h"
#include "run/session.h"
#include "support/memory_file.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

using test::LiteFile;
using test::LiteOperator;
using Reals = std::vector<float>;

std::string by_opt(const std::string& name) { return std::string(CORACLE_LITE_FILES) + "/" + name; }

ModelSource in_memory(const std::string& bytes) {
  return ModelSource::in_memory(test::memory_file(bytes, "model.nb"), {});
}

Reals outputs_of(const ModelSource& source, const Tensor& input) {
  Session session(Model::load(source, {}), {.threads = 1});
  session.set_input(0, input);
  session.run();
  const Tensor out = session.output(0).clone();
  Reals all;
  for (int64_t i = 0; i < out.count(); ++i) all.push_back(static_cast<float>(out.number(i)));
  return all;
}

template <class Try>
std::string refusal(const Try& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    return std::string(error.text());
  }
  return "nothing was refused";
}

/// A model that gives `x` to the operators, whose last result is "out".
LiteFile file_of(std::vector<LiteOperator> operators, std::vector<test::LiteParameter> parameters = {}) {
  operators.insert(operators.begin(), {"feed", {{"X", {"feed"}}}, {{"Out", {"x"}}}, {{"col", 0}}});
  operators.push_back({"fetch", {{"X", {"out"}}}, {{"Out", {"fetch"}}}, {{"col", 0}}});
  std::vector<test::LiteVariable> variables{{"x", {-1, 4}}, {"out", {-1, 4}}};
  // As in files of opt, the program has the type that parameters had before.
  for (const auto& p : parameters) variables.push_back({p.name, p.dims, 5, 7, true});
  return {{{-1, variables, operators}}, std::move(parameters)};
}

Reals outputs_of(const LiteFile& file, const Reals& x, const Shape& shape) {
  return outputs_of(in_memory(file.bytes()), Tensor::of<float>(shape, x));
}

void expect_near(const Reals& got, const Reals& expected, float tolerance = 1e-6F) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "element " << i;
}

const LiteOperator kAddOne{"scale",
                           {{"X", {"x"}}},
                           {{"Out", {"out"}}},
                           {{"scale", 1.0F},
                            {"bias", 1.0F},
                            {"bias_after_scale", true},
                            {"__@kernel_type_attr@__", std::string("scale/def/4/1/1")}}};

/// The answers are those of Paddle Lite 2.13-rc to the same files.
TEST(LiteFiles, ByOpt) {
  Reals x(72);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 11) / 5 - 1;
  const Tensor input = Tensor::of<float>(Shape{1, 2, 6, 6}, x);
  const Reals expected{0.18950915F, 0.24385369F, 0.19335045F, 0.19067284F, 0.18261378F};
  for (const char* name : {"x86.nb", "version1.nb", "opencl.nb"}) {
    SCOPED_TRACE(name);
    expect_near(outputs_of(ModelSource::on_disk(by_opt(name)), input), expected);
  }
  // Of quant_model, computed from the weights and scales in it: Paddle Lite restores those of conv2d, and reads the
  // bytes of matmul_v2's as they are.
  expect_near(outputs_of(ModelSource::on_disk(by_opt("int8.nb")), input),
              {0.18926876F, 0.24381802F, 0.19333391F, 0.19073028F, 0.18284902F});
}

TEST(LiteFiles, AreFoundAsOtherModelsAre) {
  const test::TemporaryFolder folder;
  folder.write("net/model.nb", file_of({kAddOne}).bytes());
  for (const char* name : {"net", "net/model.nb"}) {
    expect_near(outputs_of(ModelSource::on_disk(folder.path(name)), Tensor::of<float>(Shape{1, 2}, Reals{1, 2})),
                {2, 3});
  }
  const ModelInfo info = inspect_model(ModelSource::on_disk(folder.path("net")));
  EXPECT_EQ(info.format, "Paddle Lite 2");
  EXPECT_EQ(info.producer, "v2.13");
  EXPECT_EQ(info.inputs.front().name, "x");
  const std::string params = folder.write("params", "p");
  EXPECT_NE(refusal([&] {
              Model::load(ModelSource::on_disk(folder.path("net/model.nb"), params), {});
            }).find("contains its weights"),
            std::string::npos);
}

TEST(LiteFiles, OfOtherVersionsAreRefused) {
  for (uint16_t version : {uint16_t{0}, uint16_t{3}}) {
    LiteFile file = file_of({kAddOne});
    file.version = version;
    const std::string said = refusal([&] { Model::load(in_memory(file.bytes()), {}); });
    EXPECT_NE(said.find("versions 1 and 2 are known here"), std::string::npos) << said;
    EXPECT_NE(said.find(std::to_string(version) + " that opt 'v2.13'"), std::string::npos) << said;
  }
}

TEST(LiteFiles, OperatorsThatAreMissingAreNamed) {
  const LiteFile file = file_of({{"search_fc", {{"X", {"x"}}}, {{"Out", {"y"}}}},
                                 {"subgraph", {{"Inputs", {"y"}}}, {{"Outputs", {"out"}}}, {{"sub_block", 0}}}});
  const std::string said = refusal([&] { Model::load(in_memory(file.bytes()), {}); });
  EXPECT_NE(said.find("search_fc (1 time): opt v2.13 of Paddle Lite made it, and Coracle does not have it"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("subgraph (1 time): opt v2.13 of Paddle Lite made it for another chip"), std::string::npos)
      << said;
}

/// Whatever is cut off, or stands in a byte, loading ends in a model or in an error.
TEST(LiteFiles, ThatAreDamagedAreErrors) {
  for (uint16_t version : {uint16_t{1}, uint16_t{2}}) {
    LiteFile file = file_of({{"elementwise_add", {{"X", {"x"}}, {"Y", {"w"}}}, {{"Out", {"out"}}}, {{"axis", -1}}}},
                            {test::lite_parameter<float>("w", {4}, 5, {1, 2, 3, 4})});
    file.version = version;
    const std::string whole = file.bytes();
    expect_near(outputs_of(file, {1, 1, 1, 1}, {1, 4}), {2, 3, 4, 5});
    const size_t padding = version == 1 ? 8 : 0;  // behind what was written first
    for (size_t size = 0; size + padding < whole.size(); ++size) {
      EXPECT_NE(refusal([&] { Model::load(in_memory(whole.substr(0, size)), {}); }), "nothing was refused") << size;
    }
    EXPECT_NE(refusal([&] { Model::load(in_memory(whole + "1"), {}); }).find(version == 1 ? "nothing" : "1 byte more"),
              std::string::npos);
    std::mt19937 chance(version);
    for (int i = 0; i < 3000; ++i) {
      std::string damaged = whole;
      damaged[chance() % damaged.size()] = static_cast<char>(chance());
      refusal([&] { outputs_of(in_memory(damaged), Tensor::of<float>(Shape{1, 4}, Reals{1, 1, 1, 1})); });
    }
  }
}

}  // namespace
}  // namespace coracle::internal
