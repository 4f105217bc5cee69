// SPDX-License-Identifier: Apache-2.0
// Programs written for Paddle Lite, compiled as they are, give the bits that Coracle's own interface gives.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "coracle/coracle.hpp"
#include "paddle_lite/lite_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;

void run_program(const std::string& program, const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  std::string command = "'" CORACLE_LITE_PROGRAMS "/" + program + "'";
  for (const std::string& a : arguments) command += " '" + a + "'";
  command += " > '" + folder.path("log") + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << command << "\n" << std::ifstream(folder.path("log")).rdbuf();
}

Floats floats_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  Floats values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

TEST(PaddleLitePrograms, EveryMember) {
  const ModelOnDisk model(product_model());
  run_program("every_lite_member", {model.program, model.params, model.path("saved")});
}

TEST(PaddleLitePrograms, ClassifierOfASavedModel) {
  const ModelOnDisk model(small_model("convolution"));
  lite_predictor(model)->SaveOptimizedModel(model.path("model.nb"));
  const coracle::Model loaded(model.path());
  coracle::Session session(loaded, {.threads = 1});
  Floats pixels(size_t{3} * 16 * 24);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(static_cast<double>(i % 255) * 0.1);
  session.set_input(0, {1, 3, 16, 24}, pixels);
  session.run();
  run_program("lite_classifier", {model.path("model.nb"), "16", "24", model.path("output")});
  EXPECT_EQ(floats_in(model.path("output")), session.output(0).copy<float>());
}

TEST(PaddleLitePrograms, DetectorThatSavesItsModel) {
  const ModelOnDisk model(detector_model());
  const coracle::Model loaded(model.program);
  coracle::Session session(loaded, {.threads = 1});
  Floats pixels(size_t{2} * 3 * 16 * 16);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i % 255) * 0.13F;
  session.set_input(0, {2, 2}, Floats(4, 16.F));
  session.set_input(1, {2, 3, 16, 16}, pixels);
  session.set_input(2, {2, 2}, Floats(4, 16.F));
  session.run();
  Floats expected = session.output(0).copy<float>();
  for (float v : session.output(1).copy<float>()) expected.push_back(v);
  run_program("lite_detector", {model.program, model.params, model.path("saved"), "16", model.path("output")});
  EXPECT_EQ(floats_in(model.path("output")), expected);
}

}  // namespace
}  // namespace coracle::internal::test
