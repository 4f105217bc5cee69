// SPDX-License-Identifier: Apache-2.0
// Programs written for Paddle, compiled as they are, give the bits that Coracle's own interface gives.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

#include "coracle/coracle.hpp"
#include "paddle/paddle_models.h"

namespace coracle::internal::test {
namespace {

using Floats = std::vector<float>;

/// The floats that a program writes to the file it is given as its last argument. `environment` is set for it alone.
Floats output_of(const std::string& program, const std::vector<std::string>& arguments,
                 const std::string& environment = "") {
  const TemporaryFolder folder;
  std::string command = environment + " '" CORACLE_PADDLE_PROGRAMS "/" + program + "'";
  for (const std::string& a : arguments) command += " '" + a + "'";
  const std::string output = folder.path("output");
  command += " '" + output + "' > '" + folder.path("log") + "' 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream log(folder.path("log"));
  EXPECT_EQ(status, 0) << command << "\n" << std::string(std::istreambuf_iterator<char>(log), {});
  std::ifstream file(output, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  Floats values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

/// What the programs make as images.
Floats pixels(const std::vector<int64_t>& dims, double step) {
  Floats out(static_cast<size_t>(std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>())));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        step == 0.13 ? static_cast<float>(i % 255) * 0.13F : static_cast<float>(static_cast<double>(i % 255) * step);
  }
  return out;
}

/// Output 0 for one image.
Floats expected_of(const std::string& path, const std::vector<int64_t>& dims) {
  const coracle::Model model(path);
  coracle::Session session(model, {.threads = 1});
  session.set_input(0, dims, pixels(dims, 0.1));
  session.run();
  return session.output(0).copy<float>();
}

/// A folder of the reference folder's models, or nothing.
std::string shared_model(const std::string& name) {
  const std::string path = CORACLE_SHARED "/models/" + name;
  return std::filesystem::exists(path) ? path : std::string();
}

#define MODEL_OR_SKIP(path, name)              \
  const std::string path = shared_model(name); \
  if (path.empty()) GTEST_SKIP() << "the reference folder ../shared is absent"

TEST(PaddlePrograms, EveryMemberOfTheCppInterfaceAndEveryFunctionOfTheCInterface) {
  const ModelOnDisk model(product_model());
  for (const char* program : {"every_config", "every_member", "every_function", "every_fluid_function"}) {
    const std::string command = std::string("'" CORACLE_PADDLE_PROGRAMS "/") + program + "' '" + model.program + "' '" +
                                model.params + "' > '" + model.path("log") + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << std::ifstream(model.path("log")).rdbuf();
  }
}

TEST(PaddlePrograms, ClassifierOfASmallModelInCppAndInC) {
  const ModelOnDisk model(small_model("convolution"));
  const Floats expected = expected_of(model.path(), {2, 3, 12, 9});
  EXPECT_EQ(output_of("resnet50", {model.program, model.params, "2", "12", "9"}), expected);
  // As with Paddle, nobody frees the config that PD_PredictorCreate took.
  EXPECT_EQ(output_of("resnet50_c", {model.program, model.params, "2", "12", "9"}, "LSAN_OPTIONS=detect_leaks=0"),
            expected);
}

TEST(PaddlePrograms, ClassifierWithFlagsAndLog) {
#ifndef CORACLE_PADDLE_WITH_GLOG
  GTEST_SKIP() << "this build has no gflags and glog";
#endif
  const ModelOnDisk model(small_model("convolution"));
  EXPECT_EQ(output_of("classifier", {"--model_file=" + model.program, "--params_file=" + model.params, "--v=1",
                                     "--batch_size=2", "--height=12", "--width=9"}),
            expected_of(model.path(), {2, 3, 12, 9}));
}

TEST(PaddlePrograms, Classifier) {
  MODEL_OR_SKIP(path, "paddle-cifar-resnet");
  EXPECT_EQ(output_of("resnet50", {path, "-", "2", "32", "32"}), expected_of(path, {2, 3, 32, 32}));
}

TEST(PaddlePrograms, ClonesInThreads) {
  const ModelOnDisk model(small_model("convolution"));
  const Floats all = pixels({5, 3, 16, 16}, 0.1);
  Floats expected;
  const coracle::Model loaded(model.path());
  coracle::Session session(loaded, {.threads = 1});
  for (size_t i = 0; i < 5; ++i) {
    const Floats slice(all.begin() + static_cast<std::ptrdiff_t>(i * 768),
                       all.begin() + static_cast<std::ptrdiff_t>((i + 1) * 768));
    session.set_input(0, {1, 3, 16, 16}, slice);
    session.run();
    const Floats one = session.output(0).copy<float>();
    expected.insert(expected.end(), one.begin(), one.end());
  }
  EXPECT_EQ(output_of("multi_thread", {model.program, model.params, "5", "16"}), expected);
}

TEST(PaddlePrograms, DetectorsWithSeveralInputs) {
  const ModelOnDisk model(detector_model());
  const coracle::Model loaded(model.program);
  coracle::Session session(loaded, {.threads = 1});
  session.set_input(0, {2, 2}, Floats(4, 16.F));
  session.set_input(1, {2, 3, 16, 16}, pixels({2, 3, 16, 16}, 0.13));
  session.set_input(2, {2, 2}, Floats(4, 16.F));
  session.run();
  Floats expected = session.output(0).copy<float>();
  for (float v : session.output(1).copy<float>()) expected.push_back(v);
  EXPECT_EQ(output_of("yolov3", {model.program, model.params, "2", "16"}), expected);
  for (const char* mode : {"paddle", "trt_fp16"}) {
    EXPECT_EQ(output_of("object_detector", {model.path(), mode, "2", "16"}), expected);
  }
}

TEST(PaddlePrograms, LanguageModelWithWholeNumbers) {
  const ModelOnDisk model(reader_model());
  const coracle::Model loaded(model.path());
  coracle::Session session(loaded, {.threads = 1});
  std::vector<int64_t> words(3 * 7);
  for (size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<int64_t>((i + 13) % 20);
    words[i] = word == 0 ? 1 : word;
  }
  session.set_input(0, {3, 7}, words);
  session.set_input(1, {3, 7}, words);
  session.run();
  EXPECT_EQ(output_of("lic2020", {model.program, model.params, "3", "7"}), session.output(0).copy<float>());
}

Floats expected_of_words(const std::string& path) {
  const coracle::Model loaded(path);
  coracle::Session session(loaded, {.threads = 1});
  std::vector<int64_t> words(9);
  std::iota(words.begin(), words.end(), 0);
  session.set_input(0, {9, 1}, words);
  session.set_lod(0, {{0, 3, 5, 9}});
  session.run();
  return session.output(0).copy<float>();
}

TEST(PaddlePrograms, SequencesByTheOldInterface) {
  const ModelOnDisk model(small_model("sequences"));
  EXPECT_EQ(output_of("lac", {model.program, model.params}), expected_of_words(model.path()));
}

TEST(PaddlePrograms, TextClassifierByTheOldInterface) {
  MODEL_OR_SKIP(path, "serving-text_classification_lstm");
  EXPECT_EQ(output_of("lac", {path, "-"}), expected_of_words(path));
}

TEST(PaddlePrograms, OcrOfASmallModel) {
  const ModelOnDisk model(small_model("convolution"));
  EXPECT_EQ(output_of("ocr", {"det", model.path(), "16", "24"}), expected_of(model.path(), {1, 3, 16, 24}));
}

TEST(PaddlePrograms, OcrDetection) {
  MODEL_OR_SKIP(path, "ppocr-v3-ch-det");
  EXPECT_EQ(output_of("ocr", {"det", path, "64", "96"}), expected_of(path, {1, 3, 64, 96}));
}

TEST(PaddlePrograms, OcrDirection) {
  MODEL_OR_SKIP(path, "ppocr-v2.0-cls");
  EXPECT_EQ(output_of("ocr", {"cls", path, "48", "192"}), expected_of(path, {1, 3, 48, 192}));
}

TEST(PaddlePrograms, OcrRecognition) {
  MODEL_OR_SKIP(path, "ppocr-v2.0-en-rec");
  EXPECT_EQ(output_of("ocr", {"rec", path, "32", "160"}), expected_of(path, {1, 3, 32, 160}));
}

}  // namespace
}  // namespace coracle::internal::test
