// SPDX-License-Identifier: Apache-2.0
#include "serve/model_config.h"

#include <gtest/gtest.h>

#include <cstring>

#include "serve/failure.h"
#include "serve/text_proto.h"

namespace coracle::serve {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_model_config(text, "config.pbtxt");
  } catch (const Failure& failure) {
    return failure.what();
  }
  return {};
}

TEST(TextProto, ReadsWhatTheFormatAllows) {
  const TextMessage message = parse_text_proto(
      "# a comment\n a: 1, b: \"x\\\"y\" 'z'; c { d: -2.5e3 } e < f: true > g: [1, 2] h [ { i: 1 }, { i: 2 } ]", "t");
  ASSERT_EQ(message.fields.size(), 8U);
  EXPECT_EQ(std::get<std::string>(message.fields[0].value), "1");
  EXPECT_EQ(std::get<std::string>(message.fields[1].value), "x\"yz");
  EXPECT_TRUE(message.fields[1].quoted);
  EXPECT_EQ(std::get<TextMessage>(message.fields[2].value).fields.front().name, "d");
  EXPECT_EQ(std::get<std::string>(message.fields[5].value), "2");
  EXPECT_TRUE(message.fields[7].is_message());
}

TEST(TextProto, SaysWhereItIsDamaged) {
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {"a: \n\n{", "line 3: expected the name of a field, found the end"},
           {"a 1", "line 1: expected ':' or '{', found '1'"},
           {"a: \"x", "line 1: expected the end of a string, found the end"},
           {"a: [1, 2", "line 1: expected ',' or ']', found the end"},
           {"a: 1 }", "line 1: expected the name of a field, found '}'"},
           {"a: \"\\q\"", "line 1: expected one of the escapes \\n, \\t, \\r, \\\\, \\' and \\\", found 'q\"'"}}) {
    try {
      parse_text_proto(text, "t");
      ADD_FAILURE() << text;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.what(), "t, " + expected);
    }
  }
}

TEST(TextProto, IsBounded) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "a {";
  EXPECT_THROW(parse_text_proto(deep, "t"), Failure);
  EXPECT_THROW(parse_text_proto(std::string((size_t{1} << 20) + 1, ' '), "t"), Failure);
}

TEST(ModelConfig, ReadsTritonsFields) {
  const ModelConfig config = parse_model_config(R"(
    name: "rec"  platform: "paddle"
    max_batch_size: 16
    input [ { name: "x" data_type: TYPE_FP32 dims: [ 3, 48, -1 ] } ]
    output { name: "y" data_type: TYPE_INT64 dims: 5 dims: -1 }
    version_policy: { specific { versions: [1, 3] } }
    instance_group [ { count: 2 kind: KIND_CPU }, { count: 1 } ]
    dynamic_batching {
      preferred_batch_size: [ 4, 8 ]
      max_queue_delay_microseconds: 200
      preserve_ordering: true
      priority_levels: 3 default_priority_level: 2
      default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5000 allow_timeout_override: true max_queue_size: 9 }
      priority_queue_policy { key: 1 value { max_queue_size: 3 } }
    }
    parameters { key: "engines" value { string_value: "openvino" } }
  )",
                                                "config.pbtxt");
  EXPECT_EQ(config.name, "rec");
  EXPECT_EQ(config.batching.max_batch_size, 16);
  ASSERT_EQ(config.inputs.size(), 1U);
  EXPECT_EQ(config.inputs[0].dims, (coracle::Dims{3, 48, -1}));
  EXPECT_EQ(config.outputs.at(0).dtype, CORACLE_INT64);
  EXPECT_EQ(config.outputs[0].dims, (coracle::Dims{5, -1}));
  EXPECT_EQ(config.versions.specific, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(config.instances, 3);
  EXPECT_TRUE(config.dynamic_batching);
  EXPECT_EQ(config.batching.preferred_batch_size, (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(config.batching.max_queue_delay.count(), 200);
  EXPECT_TRUE(config.batching.preserve_ordering);
  EXPECT_EQ(config.batching.default_queue_policy.max_queue_size, 9U);
  EXPECT_EQ(config.batching.default_queue_policy.timeout_action, QueuePolicy::TimeoutAction::kDelay);
  EXPECT_EQ(config.batching.policy(1).max_queue_size, 3U);
  EXPECT_EQ(config.batching.policy(2).max_queue_size, 9U);
  EXPECT_EQ(config.parameters.at("engines"), "openvino");
  EXPECT_EQ(config.ignored, std::vector<std::string>{"platform"});
}

TEST(ModelConfig, ReadsWarmUps) {
  const ModelConfig config = parse_model_config(R"(
    model_warmup [ {
      name: "one" batch_size: 2 count: 3
      inputs { key: "x" value { data_type: TYPE_FP32 dims: [ 3, 4 ] random_data: true } }
      inputs { key: "n" value { data_type: TYPE_INT64 dims: 1 zero_data: true } }
    } ]
  )",
                                                "config.pbtxt");
  ASSERT_EQ(config.warm_up.size(), 1U);
  EXPECT_EQ(config.warm_up[0].name, "one");
  EXPECT_EQ(config.warm_up[0].count, 3);
  const std::vector<coracle::TensorInfo> inputs{
      {.name = "n", .dtype = CORACLE_INT64, .rank_known = true, .dims = {-1, 1}},
      {.name = "x", .dtype = CORACLE_FLOAT32, .rank_known = true, .dims = {-1, 3, 4}, .lod_levels = 1}};
  const std::vector<Tensor> tensors = inputs_of(config.warm_up[0], inputs);
  ASSERT_EQ(tensors.size(), 2U);
  EXPECT_EQ(tensors[0].dims, (coracle::Dims{2, 1}));
  EXPECT_EQ(*reinterpret_cast<const int64_t*>(tensors[0].data), 0);
  EXPECT_EQ(tensors[1].dims, (coracle::Dims{2, 3, 4}));
  EXPECT_EQ(tensors[1].lod, (coracle::Lod{{0, 2}}));
  const auto* const numbers = reinterpret_cast<const float*>(tensors[1].data);
  EXPECT_NE(numbers[0], numbers[1]);
  for (size_t i = 0; i < 24; ++i) EXPECT_TRUE(numbers[i] >= 0 && numbers[i] <= 1);
  EXPECT_EQ(std::memcmp(numbers, inputs_of(config.warm_up[0], inputs)[1].data, tensors[1].bytes), 0);
  EXPECT_EQ(
      message_of("model_warmup { inputs { key: \"x\" value { data_type: TYPE_FP32 input_data_file: \"f\" } } }"),
      "config.pbtxt, line 1: model_warmup.inputs.value.input_data_file is not supported, expected data_type, dims, "
      "and zero_data or random_data");
  EXPECT_EQ(message_of("model_warmup { inputs { key: \"x\" value { data_type: TYPE_FP32 dims: 1 } } }"),
            "config.pbtxt, line 1: model_warmup.inputs.value has no data, expected 'zero_data: true' or "
            "'random_data: true'");
}

TEST(WarmUp, ShapesAreReadFromOneArgument) {
  const WarmUpSample sample = parse_warm_up("a:b:1x3x48x320,mask:2");
  EXPECT_EQ(sample.inputs.at("a:b").dims, (coracle::Dims{1, 3, 48, 320}));
  EXPECT_EQ(sample.inputs.at("mask").dims, (coracle::Dims{2}));
  const std::vector<coracle::TensorInfo> one{
      {.name = "x", .dtype = CORACLE_FLOAT32, .rank_known = true, .dims = {-1, -1}}};
  EXPECT_EQ(inputs_of(parse_warm_up("3x4"), one).at(0).dims, (coracle::Dims{3, 4}));
  EXPECT_THROW(inputs_of(sample, one), Failure);
  EXPECT_THROW(inputs_of(parse_warm_up("x:3x4,y:1"), one), Failure);
  EXPECT_FALSE(sample_of(one).has_value());
  for (const char* wrong : {"", "x:", "x:3x", "x:-1", "3x4,3x4", "x:3,", "x:3 4", "99999999999999999999"})
    EXPECT_THROW(parse_warm_up(wrong), Failure) << wrong;
  EXPECT_THROW(inputs_of(parse_warm_up("9223372036854775807x9"), one), Failure);
}

TEST(WarmUp, RangesAreARunForEachSize) {
  const std::vector<WarmUpSample> samples = parse_warm_ups("words:1..10x32..128/32x1,number:1..10x1x1");
  ASSERT_EQ(samples.size(), 40U);
  EXPECT_EQ(samples.front().inputs.at("words").dims, (coracle::Dims{10, 128, 1}));
  EXPECT_EQ(samples.front().inputs.at("number").dims, (coracle::Dims{10, 1, 1}));
  EXPECT_EQ(samples.back().name, "words:1x32x1,number:1x1x1");
  EXPECT_EQ(parse_warm_ups("3x4").size(), 1U);
  for (const char* wrong : {"", "x:3,", "x:4..1", "1..2x", "x:1..100/2"})
    EXPECT_THROW(parse_warm_ups(wrong), Failure) << wrong;
}

TEST(ModelConfig, AQueueIsBoundedWhereNobodyBoundsIt) {
  EXPECT_GT(parse_model_config("dynamic_batching { }", "c").batching.default_queue_policy.max_queue_size, 0U);
  EXPECT_GT(parse_model_config("dynamic_batching { default_queue_policy { max_queue_size: 0 } }", "c")
                .batching.default_queue_policy.max_queue_size,
            0U);
}

TEST(ModelConfig, RefusesWhatWouldChangeAnswers) {
  EXPECT_EQ(message_of("max_batch_size: 4\nsequence_batching { }"),
            "config.pbtxt, line 2: sequence_batching is not supported; take it out of the file, or serve the model "
            "without a config.pbtxt");
  EXPECT_EQ(message_of("max_batch_size: many"),
            "config.pbtxt, line 1: max_batch_size is many, expected an integer from 0 on");
  EXPECT_EQ(message_of("input { name: \"x\" data_type: TYPE_STRING }"),
            "config.pbtxt, line 1: input.data_type is TYPE_STRING, expected TYPE_ and one of BOOL, INT8, UINT8, INT16, "
            "INT32, INT64, FP16, BF16, FP32, FP64");
  EXPECT_EQ(message_of("instance_group { kind: KIND_GPU }"),
            "config.pbtxt, line 1: instance_group.kind is KIND_GPU, expected KIND_CPU or KIND_AUTO");
  EXPECT_NE(message_of("dynamic_batching { priority_levels: 2 }").find("default_priority_level must be from 1"),
            std::string::npos);
}

}  // namespace
}  // namespace coracle::serve
