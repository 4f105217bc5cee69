// SPDX-License-Identifier: Apache-2.0
#include "coracle/vision/model_runner.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "coracle/vision/document_reader.h"

// Predictors and readers whose models a caller runs answer as with sessions of their own.
namespace coracle::vision {
namespace {

/// A session of a model that several share.
class Clone final : public ModelRunner {
 public:
  Clone(const coracle::Session& session, const coracle::Model& model, std::atomic<int>& runs)
      : session_(session.clone()), inputs_(model.inputs()), outputs_(model.outputs()), runs_(runs) {}

  const std::vector<coracle::TensorInfo>& inputs() const override { return inputs_; }
  const std::vector<coracle::TensorInfo>& outputs() const override { return outputs_; }
  void run(const std::vector<RunInput>& inputs, const std::atomic<std::uint32_t>* cancelled) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) session_.set_input(i, inputs[i].dims, inputs[i].values);
    coracle::RunOptions options;
    options.cancelled = cancelled;
    session_.run(options);
    ++runs_;
  }
  coracle::View output(std::size_t index) const override { return session_.output(index); }

 private:
  coracle::Session session_;
  std::vector<coracle::TensorInfo> inputs_;
  std::vector<coracle::TensorInfo> outputs_;
  std::atomic<int>& runs_;
};

/// Models that are loaded once, whoever opens them.
class Models {
 public:
  OpenModel open() {
    return [this](const std::string& path, const std::string& params) -> std::unique_ptr<ModelRunner> {
      const std::lock_guard lock(mutex_);
      auto loaded = loaded_.find(path);
      if (loaded == loaded_.end()) {
        coracle::Model model(path, params);
        coracle::Session session(model);
        loaded = loaded_.emplace(path, std::pair(std::move(model), std::move(session))).first;
      }
      return std::make_unique<Clone>(loaded->second.second, loaded->second.first, runs);
    };
  }
  std::atomic<int> runs = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<coracle::Model, coracle::Session>> loaded_;
};

Image coloured(int width, int height) {
  Image image(width, height);
  for (std::size_t i = 0; i < image.bgr.size(); ++i) image.bgr[i] = static_cast<std::uint8_t>(i * i % 251);
  return image;
}

PredictorOptions object_options() {
  PredictorOptions options;
  options.description = CORACLE_VISION_TESTS "/descriptions/objects.yml";
  return options;
}
constexpr const char* kObjects = CORACLE_VISION_TESTS "/objects";

void expect_same_objects(const Prediction& got, const Prediction& wanted) {
  ASSERT_EQ(got.objects.size(), wanted.objects.size());
  for (std::size_t i = 0; i < got.objects.size(); ++i) {
    const Object& a = got.objects[i];
    const Object& b = wanted.objects[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ((std::array{a.score, a.left, a.top, a.right, a.bottom}),
              (std::array{b.score, b.left, b.top, b.right, b.bottom}));
  }
}

TEST(ModelRunner, PredictorsShareModelsInSeveralThreads) {
  const Image image = coloured(40, 30);
  const Prediction wanted = Predictor(kObjects, object_options()).predict(image);
  ASSERT_FALSE(wanted.objects.empty());
  Models models;
  PredictorOptions options = object_options();
  options.open = models.open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      Predictor predictor(kObjects, options);
      for (int i = 0; i < 5; ++i) expect_same_objects(predictor.predict(image), wanted);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(models.runs, 15);
}

TEST(ModelRunner, CancellationReachesTheRunner) {
  Models models;
  PredictorOptions options = object_options();
  options.open = models.open();
  Predictor predictor(kObjects, options);
  const std::atomic<std::uint32_t> cancelled = 1;
  try {
    predictor.predict(coloured(40, 30), &cancelled);
    FAIL() << "it was not cancelled";
  } catch (const coracle::Exception& e) {
    EXPECT_EQ(e.status(), CORACLE_CANCELLED);
  }
}

TEST(ModelRunner, WhatCannotBeOpenedSaysSo) {
  PredictorOptions options = object_options();
  options.open = [](const std::string&, const std::string&) -> std::unique_ptr<ModelRunner> { return nullptr; };
  const auto expect_error = [](const auto& make, const std::string& part) {
    try {
      make();
      FAIL() << part << " expected";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect_error([&] { Predictor(kObjects, options); }, "opened no model");
  expect_error([&] { Predictor(ModelBytes{"", 0}, options); }, "only a model at a path");
  options.open = [](const std::string& path, const std::string&) -> std::unique_ptr<ModelRunner> {
    throw Error(Problem::kFile, path + " is elsewhere");
  };
  expect_error([&] { Predictor(kObjects, options); }, "/objects is elsewhere");
}

TEST(ModelRunner, ReadersOfTextAndDocuments) {
  namespace fs = std::filesystem;
  const std::string models_folder = CORACLE_SHARED "/models";
  DocumentReaderFiles files;
  files.text = {.detector = models_folder + "/ppocr-v2-ch-det",
                .classifier = models_folder + "/ppocr-v2.0-cls",
                .recognizer = models_folder + "/ppocr-v2.0-en-rec",
                .dictionary = models_folder + "/ocr-dicts/en_dict.7677d31.txt"};
  const std::string picture = models_folder + "/images/imgs_en/img_12.jpg";
  for (const std::string& needed : {files.text.detector, files.text.dictionary, picture}) {
    if (!fs::exists(needed)) GTEST_SKIP() << needed << " is not there";
  }
  const Image image = read_image(picture);
  const std::vector<TextLine> wanted = TextReader(files.text).read(image, 0.5);
  ASSERT_FALSE(wanted.empty());
  Models models;
  const ReaderOptions options{.open = models.open()};
  const auto expect_lines = [&](const std::vector<TextLine>& got) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].text, wanted[i].text);
      EXPECT_EQ(got[i].score, wanted[i].score);
      for (std::size_t c = 0; c < 4; ++c) {
        EXPECT_EQ(got[i].corners[c].x, wanted[i].corners[c].x);
        EXPECT_EQ(got[i].corners[c].y, wanted[i].corners[c].y);
      }
    }
  };
  expect_lines(TextReader(files.text, options).read(image, 0.5));
  EXPECT_GT(models.runs, 2);  // Detected, turned and read.
  const int before = models.runs;
  expect_lines(DocumentReader(files, options).read(image, 0.5).lines);
  EXPECT_EQ(models.runs, 2 * before);
}

}  // namespace
}  // namespace coracle::vision
