// SPDX-License-Identifier: Apache-2.0
#include "client/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/element.h"
#include "tensors.h"

namespace coracle::client {
namespace {

TEST(Tensors, SizesThatNoMemoryHolds) {
  EXPECT_EQ(byte_count(CORACLE_FLOAT32, {2, 3}), 24U);
  EXPECT_EQ(byte_count(CORACLE_FLOAT32, {}), 4U);
  EXPECT_EQ(byte_count(CORACLE_FLOAT32, {INT64_MAX, 0, INT64_MAX}), 0U);
  EXPECT_EQ(byte_count(CORACLE_FLOAT32, {INT64_MAX}), std::nullopt);
  EXPECT_EQ(byte_count(CORACLE_UINT8, {-1}), std::nullopt);
  expect_error([] { zeros(CORACLE_INT64, {INT64_MAX, 2}); }, CORACLE_INVALID_ARGUMENT, {"9223372036854775807,2"});
}

TEST(Tensors, BytesFillTheShape) {
  const std::string bytes("\x01\x00\x02\x00\x03\x00\x04\x00", 8);
  EXPECT_EQ(tensor_of_bytes("x", bytes, CORACLE_INT16, {2, -1}).dims, (coracle::Dims{2, 2}));
  EXPECT_EQ(whole_at(CORACLE_INT16, tensor_of_bytes("x", bytes, CORACLE_INT16, {4}).bytes.data(), 3), 4);
  const auto refused = [&](const coracle::Dims& dims, const char* why) {
    expect_error([&] { tensor_of_bytes("x", bytes, CORACLE_INT16, dims); }, CORACLE_INVALID_ARGUMENT,
                 {"x: it has 8 bytes", why});
  };
  refused({3}, "takes 6");
  refused({3, -1}, "takes a multiple of 6");
  refused({-1, -1}, "several free dimensions");
  expect_error([&] { tensor_of_bytes("x", bytes, CORACLE_BOOL, {8}); }, CORACLE_INVALID_ARGUMENT, {"0 or 1"});
}

TEST(Tensors, ConversionsKeepNumbers) {
  const Tensor whole = converted("x", tensor<float>(CORACLE_FLOAT32, {2}, {1, -3}), CORACLE_INT8);
  EXPECT_EQ(whole_at(CORACLE_INT8, whole.bytes.data(), 1), -3);
  const auto refused = [](const Tensor& t, coracle_dtype dtype, const char* why) {
    expect_error([&] { converted("x", t, dtype); }, CORACLE_INVALID_ARGUMENT, {why});
  };
  refused(tensor<float>(CORACLE_FLOAT32, {2}, {1, 0.5F}), CORACLE_INT8, "element 1 is no int8");
  refused(tensor<int64_t>(CORACLE_INT64, {1}, {128}), CORACLE_INT8, "element 0 is no int8");
  refused(tensor<double>(CORACLE_FLOAT64, {1}, {NAN}), CORACLE_INT64, "element 0 is no int64");
  refused(tensor<float>(CORACLE_COMPLEX64, {1}, {1, 0}), CORACLE_FLOAT32, "of complex64");
}

TEST(Elements, TypesByTheirNames) {
  EXPECT_EQ(dtype_named("float8_e4m3fn"), CORACLE_FLOAT8_E4M3);
  EXPECT_EQ(dtype_named("float"), std::nullopt);
  EXPECT_TRUE(dtype_names().starts_with("bool, int8")) << dtype_names();
}

TEST(Elements, TypesOfTheOpenInferenceProtocol) {
  const std::vector<std::pair<coracle_dtype, const char*>> names{
      {CORACLE_BOOL, "BOOL"},    {CORACLE_INT8, "INT8"},    {CORACLE_UINT8, "UINT8"},  {CORACLE_INT16, "INT16"},
      {CORACLE_INT32, "INT32"},  {CORACLE_INT64, "INT64"},  {CORACLE_FLOAT16, "FP16"}, {CORACLE_BFLOAT16, "BF16"},
      {CORACLE_FLOAT32, "FP32"}, {CORACLE_FLOAT64, "FP64"},
  };
  for (const auto& [dtype, name] : names) {
    EXPECT_EQ(datatype_of(dtype), name);
    EXPECT_EQ(dtype_of_datatype(name), dtype) << name;
  }
  for (const coracle_dtype dtype : {CORACLE_COMPLEX64, CORACLE_COMPLEX128, CORACLE_FLOAT8_E4M3, CORACLE_FLOAT8_E5M2}) {
    EXPECT_EQ(datatype_of(dtype), "");
  }
  for (const char* name : {"", "BYTES", "UINT64", "fp32"}) EXPECT_EQ(dtype_of_datatype(name), std::nullopt) << name;
}

TEST(Elements, WhatATypeHolds) {
  Tensor t = zeros(CORACLE_UINT8, {1});
  EXPECT_TRUE(put_number(t, 0, 255));
  EXPECT_EQ(number_at(t.dtype, t.bytes.data(), 0), 255);
  for (const double value : {256.0, -1.0, 0.5, HUGE_VAL}) EXPECT_FALSE(put_number(t, 0, value)) << value;
  Tensor truth = zeros(CORACLE_BOOL, {1});
  EXPECT_FALSE(put_whole(truth, 0, 2));
  Tensor half = zeros(CORACLE_FLOAT16, {1});
  EXPECT_FALSE(put_number(half, 0, 1.0)) << "halves are read alone";
  const uint16_t bits = 0x3C00;
  EXPECT_EQ(number_at(CORACLE_FLOAT16, &bits, 0), 1.0);
}

}  // namespace
}  // namespace coracle::client
