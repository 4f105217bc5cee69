// SPDX-License-Identifier: Apache-2.0
#include "quantize/layer_times.h"

#include <gtest/gtest.h>

#include "quantize/error.h"

// Times of steps and of layers, from texts.
namespace coracle::internal::quantize {
namespace {

std::string step(const std::string& op, const std::string& kernel, int64_t bytes, int64_t nanoseconds) {
  return R"({"node":"n","op":")" + op + R"(","kernel":")" + kernel +
         R"(","output":"float32[1, 4]","start_ns":0,"duration_ns":)" + std::to_string(nanoseconds) +
         R"(,"flops":8,"bytes":)" + std::to_string(bytes) + "}";
}

TEST(QuantizeStepTimes, StepsThatModelsShareDoNotCount) {
  StepTimes times;
  StepCounts in_int8;
  StepCounts in_float32;
  const std::string relu = step("relu", "relu.avx2", 16, 7000000);
  const std::string slow_relu = step("relu", "relu.avx2", 16, 9000000);
  times.note_run("[" + relu + "," + step("to_int8", "to_int8", 10, 1000000) + "," +
                     step("integer_conv2d", "conv", 50, 2000000) + "," + relu + "]",
                 in_int8);
  times.note_run("[" + slow_relu + "," + step("conv2d", "conv", 80, 5000000) + "," + relu + "]", in_float32);
  EXPECT_DOUBLE_EQ(times.time_beyond(in_int8, in_float32), 3);
  EXPECT_DOUBLE_EQ(times.time_beyond(in_float32, in_int8), 5);
  EXPECT_DOUBLE_EQ(times.time_beyond(in_int8, {}), 17);
  EXPECT_DOUBLE_EQ(times.time_beyond(in_float32, {}), 19);
  EXPECT_DOUBLE_EQ(times.time_beyond(in_int8, in_int8), 0);
}

TEST(QuantizeStepTimes, TheLeastTimeCounts) {
  StepTimes times;
  StepCounts first;
  StepCounts again;
  times.note_run("[" + step("relu", "relu", 16, 3000000) + "]", first);
  times.note_run("[" + step("relu", "relu", 16, 2000000) + "]", again);
  times.note_run("[" + step("relu", "relu", 16, 4000000) + "]", again);
  EXPECT_DOUBLE_EQ(times.time_beyond(first, {}), 2);
  EXPECT_DOUBLE_EQ(times.time_beyond(again, {}), 4);
  // One of other work is another one.
  StepCounts other;
  times.note_run("[" + step("relu", "relu", 17, 1000000) + "]", other);
  EXPECT_DOUBLE_EQ(times.time_beyond(first, other), 2);
}

TEST(QuantizeLayerTimes, AreThoseOfAReport) {
  const std::string report =
      R"({"output":"m","layers":[{"name":"b","times_ms":{"int8":0.5,"float32":2}},{"name":"kept"},
          {"name":"a","times_ms":{"int8":1,"bf16":1.5,"float32":3}}]})";
  const PrecisionTable table = times_in("report.json", report, {"a", "b"});
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].in(LayerPrecision::kBf16)->time, 1.5);
  EXPECT_EQ(table[0].in(LayerPrecision::kFloat32)->time, 3);
  EXPECT_EQ(table[1].in(LayerPrecision::kInt8)->time, 0.5);
  EXPECT_FALSE(table[1].in(LayerPrecision::kBf16).has_value());
}

void expect_no_times(const std::string& json, const std::string& part) {
  try {
    times_in("report.json", json, {"a"});
    ADD_FAILURE() << json;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find("report.json: " + part), std::string::npos) << e.what();
  }
}

TEST(QuantizeLayerTimes, SaysWhatIsMissing) {
  for (const char* json : {"", "{", "[]", "{}", R"({"layers":3})"}) expect_no_times(json, "it is not a table of times");
  for (const char* json : {R"({"layers":[]})", R"({"layers":[3,{"name":4},{"name":"a"},{"name":"a","times_ms":[]}]})",
                           R"({"layers":[{"name":"b","times_ms":{"int8":1,"float32":2}}]})"}) {
    expect_no_times(json, "layer 'a' has no \"times_ms\" there");
  }
  expect_no_times(R"({"layers":[{"name":"a","times_ms":{"int8":1}}]})", "layer 'a' has no time in float32");
  for (const char* number : {"-1", "\"1\"", "null"}) {
    expect_no_times(std::string(R"({"layers":[{"name":"a","times_ms":{"float32":1,"int8":)") + number + "}}]}",
                    "layer 'a': its time in int8 is not a number of milliseconds");
  }
}

}  // namespace
}  // namespace coracle::internal::quantize
