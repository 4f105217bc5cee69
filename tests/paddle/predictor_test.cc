// SPDX-License-Identifier: Apache-2.0
#include "paddle/paddle_models.h"
#include "support/archive_writer.h"

namespace coracle::internal::test {
namespace {

using paddle_infer::PlaceType;
using paddle_infer::Predictor;
using Floats = std::vector<float>;

TEST(PaddlePredictor, NamesShapesAndTypesAreTheModelsInTheOrderOfTheirColumns) {
  const ModelOnDisk model(detector_model());
  const auto predictor = model.predictor();
  EXPECT_EQ(predictor->GetInputNames(), (Names{"im_shape", "image", "scale_factor"}));
  EXPECT_EQ(predictor->GetOutputNames(), (Names{"boxes", "count"}));
  EXPECT_EQ(predictor->GetInputTensorShape().at("image"), (Dims{-1, 3, -1, -1}));
  EXPECT_EQ(predictor->GetInputTypes().at("im_shape"), paddle_infer::FLOAT32);
  EXPECT_EQ(predictor->GetOutputTypes().size(), 2U);
}

TEST(PaddlePredictor, HandlesOutliveRunsAndShapesChangeBetweenThem) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  const auto in = predictor->GetInputHandle("x");
  const auto out = predictor->GetOutputHandle("product");
  EXPECT_EQ(in->shape(), std::vector<int>{0});
  EXPECT_EQ(out->shape(), std::vector<int>{0});
  EXPECT_TRUE(out->lod().empty());
  EXPECT_EQ(out->shape(), std::vector<int>{0});
  EXPECT_TRUE(out->lod().empty());
  for (int rows : {1, 3, 2}) {
    const Floats x(static_cast<size_t>(rows) * 2, 1.F);
    in->Reshape({rows, 2});
    in->CopyFromCpu(x.data());
    ASSERT_TRUE(predictor->Run());
    ASSERT_EQ(out->shape(), (std::vector<int>{rows, 2}));
    Floats y(x.size());
    out->CopyToCpu(y.data());
    for (size_t i = 0; i < y.size(); i += 2) {
      EXPECT_EQ(y[i], 4.F);
      EXPECT_EQ(y[i + 1], 6.F);
    }
  }
}

TEST(PaddlePredictor, SizesThatAModelDeclaresDoNotBind) {
  BlockWriter b;
  add_feed(b, "x", kFloat32, {-1, 3}, 0);
  b.operators.push_back(OpWriter("relu").in("X", {"x"}).out("Out", {"y"}));
  add_fetch(b, "y", 0);
  const ModelOnDisk model(ModelBytes{.name = "relu", .program = program_file({b}), .params = "", .inputs = {}});
  const auto predictor = model.predictor();
  fill<float>(*predictor, "x", {1, 4}, {1, -2, 3, -4});
  ASSERT_TRUE(predictor->Run());
  EXPECT_EQ(result<float>(*predictor, "y"), (Floats{1, 0, 3, 0}));
}

TEST(PaddlePredictor, AnArchiveIsAModelsFolder) {
  const ModelBytes bytes = product_model();
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "m.tar", tar_archive({{"net/inference.pdmodel", bytes.program}, {"net/inference.pdiparams", bytes.params}}));
  paddle_infer::Config config;
  config.SetModel(path);
  const auto predictor = paddle_infer::CreatePredictor(config);
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  ASSERT_TRUE(predictor->Run());
  EXPECT_EQ(result<float>(*predictor, "product"), (Floats{7, 10}));
}

TEST(PaddlePredictor, InputsKeepTheirContentFromRunToRun) {
  const ModelOnDisk model(detector_model());
  const auto predictor = model.predictor();
  fill<float>(*predictor, "im_shape", {1, 2}, {8, 6});
  fill<float>(*predictor, "scale_factor", {1, 2}, {2, 2});
  fill<float>(*predictor, "image", {1, 3, 1, 2}, {1, 3, 5, 7, 9, 11});
  predictor->Run();
  fill<float>(*predictor, "image", {1, 3, 1, 1}, {4, 5, 6});
  predictor->Run();
  EXPECT_EQ(result<float>(*predictor, "boxes"), (Floats{4, 5, 6}));
  EXPECT_EQ(result<float>(*predictor, "count"), (Floats{4, 3}));
}

TEST(PaddlePredictor, AHandleMayBeKeptWhenThePredictorIsGone) {
  const ModelOnDisk model(product_model());
  std::unique_ptr<paddle_infer::Tensor> out;
  {
    const auto predictor = model.predictor();
    fill<float>(*predictor, "x", {1, 2}, {1, 2});
    predictor->Run();
    out = predictor->GetOutputHandle("twice");
  }
  EXPECT_EQ(out->data<float>(nullptr, nullptr)[1], 4.F);
}

TEST(PaddlePredictor, MutableDataIsTheInputOfTheNextRun) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  const auto in = predictor->GetInputHandle("x");
  in->Reshape({1, 2});
  auto* x = in->mutable_data<float>(PlaceType::kCPU);
  for (float value : {1.F, 5.F}) {
    x[0] = x[1] = value;
    predictor->Run();
    EXPECT_EQ(result<float>(*predictor, "twice"), (Floats{2 * value, 2 * value}));
  }
}

TEST(PaddlePredictor, ExternalDataIsReadWhereItLiesAndResultsAreLaidWhereTheyAreWanted) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  Floats x = {1, 2};
  Floats y(4, -1.F);
  predictor->GetInputHandle("x")->ShareExternalData(x.data(), {1, 2}, PlaceType::kCPU);
  const auto out = predictor->GetOutputHandle("product");
  out->ShareExternalData(y.data(), {2, 2}, PlaceType::kCPU);
  predictor->Run();
  EXPECT_EQ(y, (Floats{7, 10, -1, -1}));
  EXPECT_EQ(out->data<float>(nullptr, nullptr), y.data());
  x = {2, 0};
  predictor->Run();
  EXPECT_EQ(y, (Floats{2, 4, -1, -1}));
  const Floats large(6, 1.F);
  predictor->GetInputHandle("x")->ShareExternalData(large.data(), {3, 2}, PlaceType::kCPU);
  expect_refused([&] { predictor->Run(); }, "room for 16");
}

TEST(PaddlePredictor, AsynchronousCopiesCallBack) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  predictor->Run();
  Floats y(2);
  int calls = 0;
  const auto count = [](void* calls) { ++*static_cast<int*>(calls); };
  predictor->GetOutputHandle("twice")->CopyToCpuAsync(y.data(), +count, static_cast<void*>(&calls));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(y, (Floats{2, 4}));
}

TEST(PaddlePredictor, OffsetsOfSequencesGoInAndComeOut) {
  const ModelBytes bytes = small_model("sequences");
  const ModelOnDisk model(bytes);
  const auto predictor = model.predictor();
  const auto in = predictor->GetInputHandle("words");
  const std::vector<int64_t> words = {0, 2, 4, 6, 8};
  in->Reshape({5, 1});
  in->CopyFromCpu(words.data());
  in->SetLoD({{0, 3, 5}});
  predictor->Run();
  EXPECT_EQ(predictor->GetOutputHandle("y")->lod(), (std::vector<std::vector<size_t>>{{0, 3, 5}}));
  EXPECT_EQ(predictor->GetOutputHandle("p")->shape(), (std::vector<int>{2, 2}));
  const Floats two = result<float>(*predictor, "y");
  in->SetLoD({{0, 5}});
  predictor->Run();
  EXPECT_EQ(predictor->GetOutputHandle("p")->shape(), (std::vector<int>{1, 2}));
  EXPECT_NE(result<float>(*predictor, "y"), two);
  in->Reshape({2, 1});
  in->CopyFromCpu(words.data());
  expect_refused([&] { predictor->Run(); }, "sequence offsets of input 'words'");
}

TEST(PaddlePredictor, EmptyBatchesGiveEmptyResults) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  fill<float>(*predictor, "x", {0, 2}, {});
  predictor->Run();
  EXPECT_EQ(predictor->GetOutputHandle("product")->shape(), (std::vector<int>{0, 2}));
}

TEST(PaddlePredictor, ClonesHaveInputsOfTheirOwn) {
  const ModelOnDisk model(product_model());
  const auto predictor = model.predictor();
  fill<float>(*predictor, "x", {1, 2}, {1, 2});
  const auto clone = predictor->Clone();
  expect_refused([&] { clone->Run(); }, "input 'x' was not set");
  fill<float>(*clone, "x", {1, 2}, {3, 3});
  clone->Run();
  predictor->Run();
  EXPECT_EQ(result<float>(*clone, "twice"), (Floats{6, 6}));
  EXPECT_EQ(result<float>(*predictor, "twice"), (Floats{2, 4}));
}

TEST(PaddlePredictor, PoolsGiveOnePredictorPerThread) {
  const ModelOnDisk model(product_model());
  paddle_infer::services::PredictorPool pool(model.config(), 3);
  for (size_t i = 0; i < 3; ++i) {
    fill<float>(*pool.Retrive(i), "x", {1, 2}, {static_cast<float>(i), 0});
    pool.Retrieve(i)->Run();
  }
  EXPECT_EQ(result<float>(*pool.Retrive(2), "twice"), (Floats{4, 0}));
  expect_refused([&] { pool.Retrieve(3); }, "has 3 predictors");
  expect_refused([&] { paddle_infer::services::PredictorPool none(model.config(), 0); }, "at least one");
}

TEST(PaddlePredictor, MemoryGivenBackIsMadeAgain) {
  const ModelBytes bytes = small_model("convolution");
  const ModelOnDisk model(bytes);
  const auto predictor = model.predictor();
  fill<float>(*predictor, "x", {1, 3, 8, 8}, Floats(192, 0.5F));
  predictor->Run();
  const Floats before = result<float>(*predictor, "y");
  EXPECT_GT(predictor->TryShrinkMemory(), 0U);
  predictor->ClearIntermediateTensor();
  expect_refused([&] { result<float>(*predictor, "y"); }, "no outputs before a run");
  predictor->Run();
  EXPECT_EQ(result<float>(*predictor, "y"), before);
}

TEST(PaddlePredictor, RunTakesAndGivesTensorsByPosition) {
  const ModelOnDisk model(reader_model());
  const auto predictor = model.predictor();
  paddle::Tensor words = paddle::empty({1, 2}, paddle::DataType::INT64);
  words.data<int64_t>()[0] = 4;
  const paddle::Tensor positions = paddle::empty({1, 2}, paddle::DataType::INT64);
  std::vector<paddle::Tensor> outputs;
  ASSERT_TRUE(predictor->Run({words, positions}, &outputs));
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].name(), "scores");
  EXPECT_EQ(outputs[0].shape(), (Dims{1, 2, 3}));
  EXPECT_EQ(outputs[0].data<float>()[0], 3.F);
  expect_refused([&] { predictor->Run({words}, &outputs); }, "2 inputs, [words, positions], given 1");
}

TEST(PaddlePredictor, OldRunTakesInputsByPositionOrByName) {
  const ModelOnDisk model(detector_model());
  std::vector<std::string> names = {"im_shape", "image", "scale_factor"};
  std::vector<Floats> values = {{8, 6}, {1, 2, 3}, {2, 3}};
  std::vector<paddle::PaddleTensor> inputs(3);
  for (size_t i = 0; i < 3; ++i) {
    inputs[i].name = names[i];
    inputs[i].shape = i == 1 ? std::vector<int>{1, 3, 1, 1} : std::vector<int>{1, 2};
    inputs[i].data.Reset(values[i].data(), values[i].size() * sizeof(float));
    inputs[i].dtype = paddle::PaddleDType::FLOAT32;
  }
  std::vector<paddle::PaddleTensor> outputs;
  const auto in_order = paddle::CreatePaddlePredictor(model.config());
  ASSERT_TRUE(in_order->Run(inputs, &outputs));
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_EQ(outputs[1].name, "count");
  EXPECT_EQ(static_cast<const float*>(outputs[1].data.data())[1], 2.F);

  std::swap(inputs[0], inputs[2]);
  paddle::AnalysisConfig by_name = model.config();
  by_name.SwitchSpecifyInputNames(true);
  const paddle::AnalysisConfig by_name_again = by_name;
  ASSERT_TRUE(paddle::CreatePaddlePredictor(by_name)->Run(inputs, &outputs, 1));
  EXPECT_EQ(static_cast<const float*>(outputs[1].data.data())[1], 2.F);
  std::swap(inputs[0], inputs[2]);
  for (paddle::PaddleTensor& input : inputs) input.name.clear();
  ASSERT_TRUE(paddle::CreatePaddlePredictor(by_name_again)->Run(inputs, &outputs, 1)) << "without a name by position";
  EXPECT_EQ(static_cast<const float*>(outputs[1].data.data())[1], 2.F);
  inputs[0].data.Resize(4);
  expect_refused([&] { in_order->Run(inputs, &outputs); }, "needs 8 bytes, its PaddleBuf has 4");
}

}  // namespace
}  // namespace coracle::internal::test
