// SPDX-License-Identifier: Apache-2.0
#include "client/prediction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coracle::client {
namespace {

using vision::Prediction;
using vision::Task;

std::string json_of(const Prediction& prediction) {
  return internal::json_text([&](internal::JsonWriter& w) {
    w.StartObject();
    write_prediction(w, prediction);
    w.EndObject();
  });
}

Prediction answer(Task task) {
  Prediction prediction;
  prediction.task = task;
  return prediction;
}

TEST(PredictionJson, EachTaskHasItsMembers) {
  Prediction p;
  p.labels = {{1, "a \"cat\"", 0.1F}, {0, "dog", NAN}};
  EXPECT_EQ(json_of(p), R"({"task":"classification","labels":[{"id":1,"name":"a \"cat\"","score":0.1},)"
                        R"({"id":0,"name":"dog","score":null}]})");
  p = answer(Task::kTextDetection);
  p.boxes = {{{{{1, 2}, {3, 2}, {3, 4}, {1, 4}}}, 0.5F}};
  EXPECT_EQ(json_of(p), R"({"task":"text-detection","boxes":[{"score":0.5,"corners":[[1,2],[3,2],[3,4],[1,4]]}]})");
  p = answer(Task::kTextRecognition);
  p.text = {"text", 1};
  EXPECT_EQ(json_of(p), R"({"task":"text-recognition","text":"text","score":1})");
  p = answer(Task::kInstanceSegmentation);
  p.objects = {{2, "car", 0.25F, 1.5F, 0, 1e10F, 0}};
  p.objects[0].mask = vision::Mask{.width = 2, .height = 1, .counts = {1, 1}};
  EXPECT_EQ(json_of(p), R"({"task":"instance-segmentation","objects":[{"id":2,"name":"car","score":0.25,)"
                        R"("box":[1.5,0,1e+10,0],"area":1,"mask":{"size":[1,2],"counts":[1,1]}}]})");
  p = answer(Task::kKeypoints);
  p.keypoints = {{0, "nose", 0.5F, 1, 2}, {1, "eye", 0.25F, 3, 4}};
  EXPECT_TRUE(json_of(p).starts_with(R"({"task":"keypoints","score":0.375,"keypoints":[{"id":0,"name":"nose")"));
  p = answer(Task::kSegmentation);
  p.map = {2, 2, {0, 7, 7, 0}, {"road"}};
  EXPECT_EQ(json_of(p), R"({"task":"segmentation","classes":[{"id":0,"name":"road","pixels":2},)"
                        R"({"id":7,"name":"7","pixels":2}]})");
  p = answer(Task::kTableStructure);
  p.table = {{"<table>", "</table>"}, {}, 0.5F};
  EXPECT_EQ(json_of(p), R"({"task":"table-structure","html":"<table></table>","score":0.5,"cells":[]})");
  p = answer(Task::kUnwarping);
  p.page = vision::Image(3, 2);
  EXPECT_EQ(json_of(p), R"({"task":"unwarping","page":{"width":3,"height":2}})");
  p = answer(Task::kAnomaly);
  p.anomaly = {2, 1, {0.5F, 0.25F}, {1, 0}, 0.5F, 0.375F};
  EXPECT_EQ(json_of(p), R"({"task":"anomaly","map":{"width":2,"height":1,"greatest":0.5,"mean":0.375,"marked":1}})");
  p = answer(Task::kFeatures);
  p.features = {0.1234567891F, -1e-5F};
  EXPECT_EQ(json_of(p), R"({"task":"features","features":[0.1234568,-1e-05]})");
}

}  // namespace
}  // namespace coracle::client
