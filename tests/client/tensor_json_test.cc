// SPDX-License-Identifier: Apache-2.0
#include "client/tensor_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "client/element.h"
#include "tensors.h"

namespace coracle::client {
namespace {

std::vector<double> elements_of(const Tensor& t) {
  std::vector<double> out;
  for (size_t i = 0; i < element_count(t.dims); ++i) out.push_back(number_at(t.dtype, t.bytes.data(), i));
  return out;
}

TEST(TensorJson, ListsOfLists) {
  const Tensor t = parse_json("x", "[[1, -2.5, 1e3], [true, 0, 3]]", CORACLE_FLOAT32, "x");
  EXPECT_EQ(t.dims, (coracle::Dims{2, 3}));
  EXPECT_EQ(elements_of(t), (std::vector<double>{1, -2.5, 1000, 1, 0, 3}));
  EXPECT_EQ(parse_json("x", "7", CORACLE_INT64, "x").dims, coracle::Dims{});
  EXPECT_EQ(parse_json("x", "[[], []]", CORACLE_INT64, "x").dims, (coracle::Dims{2, 0}));
  EXPECT_EQ(elements_of(parse_json("x", R"({"y": "text", "x": [9007199254740993]})", CORACLE_INT64, "x")),
            (std::vector<double>{9007199254740992.0}));
  EXPECT_EQ(json_names(R"({"y": 1, "x": [2]})"), (std::vector<std::string>{"y", "x"}));
  EXPECT_TRUE(json_names("[1]").empty());
}

TEST(TensorJson, WhatIsNoTensor) {
  const auto damaged = [](const std::string& text, const char* why) {
    expect_error([&] { parse_json("x.json", text, CORACLE_FLOAT32, "x"); }, CORACLE_IO, {"x.json: not JSON", why});
  };
  damaged("[[1, 2], [3]]", "not equally long: 2 and 1");
  damaged("[1, [2]]", "not equally deep");
  damaged("[1, null]", "something that is not a number");
  damaged("[1, 1e-999]", "float64 does not hold");
  damaged("[1", "");
  damaged(R"({"x": {"y": 1}})", "an object within another value");
  damaged(R"({"x": [1], "x": [2]})", "it has 'x' twice");
  damaged(std::string(100'000, '['), "too deep");
  expect_error([] { parse_json("x", "[0.5]", CORACLE_INT8, "x"); }, CORACLE_INVALID_ARGUMENT, {"number 0 is no int8"});
  expect_error([] { parse_json("x", R"({"y": [1]})", CORACLE_INT8, "x"); }, CORACLE_INVALID_ARGUMENT,
               {"nothing called 'x'", "it has: y"});
}

Tensor request(const std::string& text) {
  internal::JsonDocument d;
  d.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.c_str());
  EXPECT_FALSE(d.HasParseError()) << text;
  return parse_tensor("inputs[0]", d);
}

TEST(OpenInferenceProtocol, DataFlatAndNested) {
  for (const char* data : {"[1, 2, 3, 4]", "[[1, 2], [3, 4]]"}) {
    const Tensor t =
        request(R"({"name": "x", "datatype": "FP32", "shape": [2, 2], "data": )" + std::string(data) + "}");
    EXPECT_EQ(t.dtype, CORACLE_FLOAT32);
    EXPECT_EQ(t.dims, (coracle::Dims{2, 2}));
    EXPECT_EQ(elements_of(t), (std::vector<double>{1, 2, 3, 4}));
  }
  EXPECT_EQ(elements_of(request(R"({"datatype": "BOOL", "shape": [2], "data": [true, 0]})")),
            (std::vector<double>{1, 0}));
  EXPECT_EQ(request(R"({"datatype": "INT64", "shape": [0, 3], "data": []})").dims, (coracle::Dims{0, 3}));
  EXPECT_EQ(elements_of(request(R"({"datatype": "UINT8", "shape": [], "data": [5]})")), (std::vector<double>{5}));
}

TEST(OpenInferenceProtocol, WhatIsRefused) {
  const auto refused = [](const std::string& text, const std::string& why) {
    expect_error([&] { request(text); }, CORACLE_INVALID_ARGUMENT, {"inputs[0]: ", why});
  };
  const auto data = [&](const std::string& shape, const std::string& list, const std::string& why,
                        const std::string& type = "FP32") {
    refused(R"({"datatype": ")" + type + R"(", "shape": )" + shape + R"(, "data": )" + list + "}", why);
  };
  refused("[1]", "it has no datatype");
  refused(R"({"datatype": "FP32", "data": [1]})", "it has no shape");
  refused(R"({"datatype": "FP32", "shape": [1]})", "it has no data");
  refused(R"({"datatype": 1, "shape": [1], "data": [1]})", "its datatype is not a string");
  data("[1]", "[1]", "'FP31' is none of those", "FP31");
  data("[1]", "[\"a\"]", "'BYTES' is none of those", "BYTES");
  data("[1]", "[1]", "FP16 is sent as binary data", "FP16");
  data("3", "[1]", "not a list of at most");
  data("[9223372036854775808]", "[1]", "not a whole number");
  data("[-1]", "[1]", "not a whole number");
  data("[1.5]", "[1]", "not a whole number");
  data("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[1]", "not a list of at most");
  data("[2]", "[1]", "has 1 values, expected those of float32[2]");
  data("[1000000, 1000000, 1000000]", "[1]", "has 1 values");
  data("[9223372036854775807, 9223372036854775807]", "[1]", "has 1 values");
  data("[1]", "1", "has no list of values");
  data("[2, 2]", "[[1], [2, 3, 4]]", "a list of 1 where the shape has 2");
  data("[2, 2]", "[[1, 2], 3, 4]", "a list of 3 where the shape has 2");
  data("[1]", "[[[1]]]", "value 0 of its data is no FP32");
  data("[1]", std::string(50, '[') + "1" + std::string(50, ']'), "value 0 of its data is no FP32");
  data("[1]", "[null]", "value 0 of its data is no FP32");
  data("[2]", "[1, 300]", "value 1 of its data is no UINT8", "UINT8");
}

TEST(OpenInferenceProtocol, Answers) {
  const auto text = [](coracle_dtype dtype, const coracle::Dims& dims, const void* data) {
    coracle_tensor_view view{};
    view.data = data;
    view.bytes = byte_count(dtype, dims).value();
    view.dtype = dtype;
    view.rank = static_cast<int32_t>(dims.size());
    std::copy(dims.begin(), dims.end(), view.dims);
    return internal::json_text([&](internal::JsonWriter& w) { write_tensor(w, "y", coracle::View(view, {})); });
  };
  const float reals[] = {1, 0.5F, HUGE_VALF};
  EXPECT_EQ(text(CORACLE_FLOAT32, {1, 3}, reals),
            R"({"name":"y","datatype":"FP32","shape":[1,3],"data":[1.0,0.5,null]})");
  const bool truths[] = {true, false};
  EXPECT_EQ(text(CORACLE_BOOL, {2}, truths), R"({"name":"y","datatype":"BOOL","shape":[2],"data":[true,false]})");
  expect_error([&] { text(CORACLE_FLOAT16, {1}, reals); }, CORACLE_INVALID_ARGUMENT, {"FP16 is sent as binary data"});
  expect_error([&] { text(CORACLE_COMPLEX64, {1}, reals); }, CORACLE_INVALID_ARGUMENT, {"complex64"});
}

Tensor rows_of(const std::string& text, coracle_dtype dtype = CORACLE_FLOAT32) {
  internal::JsonDocument d;
  d.Parse<rapidjson::kParseIterativeFlag>(text.c_str());
  EXPECT_TRUE(d.IsArray()) << text;
  std::vector<const internal::JsonValue*> rows;
  for (const internal::JsonValue& row : d.GetArray()) rows.push_back(&row);
  return parse_rows("x", rows, dtype);
}

TEST(Rows, SayTheirShape) {
  EXPECT_EQ(rows_of("[[[1, 2]], [[3, 4]]]").dims, (coracle::Dims{2, 1, 2}));
  EXPECT_EQ(elements_of(rows_of("[[1, 2], [3, 4.5]]")), (std::vector<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(elements_of(rows_of("[true, 2]", CORACLE_INT64)), (std::vector<double>{1, 2}));
  EXPECT_EQ(rows_of("[1, 2]").dims, coracle::Dims{2});
  EXPECT_EQ(rows_of("[[], []]").dims, (coracle::Dims{2, 0}));
  EXPECT_EQ(rows_of("[]").dims, coracle::Dims{0});
  const auto refused = [](const std::string& text, const char* why, coracle_dtype dtype = CORACLE_FLOAT32) {
    expect_error([&] { rows_of(text, dtype); }, CORACLE_INVALID_ARGUMENT, {"x: ", why});
  };
  refused("[[1, 2], [3]]", "has 3 values, expected those of float32[2, 2]");
  refused("[[1, 2], [3], [4, 5, 6]]", "a list of 1 where the shape has 2");
  refused("[[1], 2]", "a value where the shape has 1");
  refused("[1, [2]]", "value 1 of its data is no FP32");
  refused("[[1], [null]]", "value 1 of its data is no FP32");
  refused("[1.5]", "value 0 of its data is no INT32", CORACLE_INT32);
  refused("[1]", "value 0 of its data is no FP16", CORACLE_FLOAT16);
  refused("[" + std::string(50, '[') + "1" + std::string(50, ']') + "]", "too deep");
  std::string claims = "[[0";
  for (int i = 0; i < 10000; ++i) claims += ",0";
  claims += "]";
  for (int i = 0; i < 10000; ++i) claims += ",0";
  refused(claims + "]", "has 20001 values, expected those of float32[10001, 10001]");
}

TEST(Rows, AreWrittenAsTheShapeSays) {
  const int32_t values[] = {1, 2, 3, 4, 5, 6};
  coracle_tensor_view view{};
  view.data = values;
  view.bytes = sizeof values;
  view.dtype = CORACLE_INT32;
  view.rank = 3;
  std::copy_n((const int64_t[]){3, 1, 2}, 3, view.dims);
  const coracle::View tensor(view, {});
  EXPECT_EQ(internal::json_text([&](internal::JsonWriter& w) { write_lists(w, tensor); }), "[[[1,2]],[[3,4]],[[5,6]]]");
  EXPECT_EQ(internal::json_text([&](internal::JsonWriter& w) { write_row(w, tensor, 1); }), "[[3,4]]");
  view.rank = 0;
  EXPECT_EQ(internal::json_text([&](internal::JsonWriter& w) { write_lists(w, coracle::View(view, {})); }), "1");
}

}  // namespace
}  // namespace coracle::client
