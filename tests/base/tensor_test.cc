// SPDX-License-Identifier: Apache-2.0
#include "base/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace coracle::internal {
namespace {

TEST(Tensor, MemoryIsAlignedAndShared) {
  for (int64_t n : {0, 1, 63, 1000}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(Tensor::make(DType::kInt8, {n}).raw()) % 64, 0U);
  }
  Tensor a = Tensor::of<float>({2}, std::vector<float>{1, 2});
  Tensor b = a;
  b.data<float>()[0] = 5;
  EXPECT_EQ(a.number(0), 5);
  Tensor c = a.clone();
  c.data<float>()[0] = 7;
  EXPECT_EQ(a.number(0), 5);
  EXPECT_THROW(a.reshaped({3}), Error);
  EXPECT_THROW(Tensor::of<float>({3}, std::vector<float>{1, 2}), Error);
}

TEST(Tensor, TooMuchMemoryIsAnError) {
  try {
    Tensor::make(DType::kFloat64, {int64_t{1} << 58U});
    FAIL() << "2 EiB were given";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_NE(e.text().find("[288230376151711744]"), std::string::npos) << e.text();
  }
  EXPECT_THROW(Tensor::make(DType::kFloat64, {INT64_MAX}), Error) << "the size in bytes does not fit";
}

TEST(Tensor, MemoryIsUsedAgainByItsOnlyOwner) {
  Tensor a = Tensor::make(DType::kFloat32, {6});
  EXPECT_TRUE(a.reusable_for(DType::kInt32, {2, 3}));
  EXPECT_TRUE(a.reusable_for(DType::kFloat32, {5}));
  EXPECT_FALSE(a.reusable_for(DType::kFloat32, {7}));
  {
    const Tensor b = a;
    EXPECT_FALSE(a.reusable_for(DType::kFloat32, {6}));
  }
  a.set_lod({{0, 6}});
  a.retype(DType::kInt32, {2, 3});
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
  EXPECT_TRUE(a.lod().empty());
  float foreign[6] = {};
  EXPECT_FALSE(Tensor::borrow(DType::kFloat32, {6}, foreign).reusable_for(DType::kFloat32, {6}));
}

TEST(Tensor, NumbersConvert) {
  Tensor t = Tensor::make(DType::kInt8, {3});
  t.assign(std::span<const double>(std::vector<double>{-3.7, 2.2, 100}));
  EXPECT_EQ(t.integers(), (std::vector<int64_t>{-3, 2, 100}));
  const int64_t large = (int64_t{1} << 53U) + 1;
  EXPECT_EQ(Tensor::scalar<int64_t>(large).integer(0), large) << "not by way of double";
  EXPECT_EQ(Tensor::scalar<float>(NAN).integer(0), INT64_MIN);
  EXPECT_THROW(Tensor::make(DType::kComplex64, {1}).number(0), Error);
}

TEST(Tensor, ArraysHoldTensors) {
  Tensor array = Tensor::array(DType::kFloat32);
  EXPECT_TRUE(array.is_array());
  EXPECT_FALSE(array.empty_handle());
  array.elements().push_back(Tensor::scalar<float>(1));
  const Tensor same = array;
  const Tensor own = array.clone();
  array.elements().push_back(Tensor::scalar<float>(2));
  EXPECT_EQ(same.elements().size(), 2U);
  EXPECT_EQ(own.elements().size(), 1U);
}

TEST(Tensor, TheListOfAnArrayIsCopiedOnlyForAnotherOwner) {
  Tensor array = Tensor::array(DType::kFloat32);
  const std::vector<Tensor>* list = &array.elements();
  EXPECT_EQ(&array.own_array().elements(), list);
  const Tensor same = array;
  EXPECT_NE(&array.own_array().elements(), list);
}

TEST(Half, AllValuesReturn) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = Float16::to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(Float16::to_float(Float16::from_float(value))));
    } else {
      ASSERT_EQ(Float16::from_float(value), bits) << value;
    }
  }
}

TEST(Half, RoundsToTheNearestEven) {
  EXPECT_EQ(Float16(1.0F + 1.0F / 2048), Float16(1.0F)) << "half way, down to even";
  EXPECT_EQ(Float16(1.0F + 3.0F / 2048), Float16(1.0F + 2.0F / 1024)) << "half way, up to even";
  EXPECT_EQ(static_cast<float>(Float16(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(static_cast<float>(Float16(65520.0F))));
  EXPECT_EQ(static_cast<float>(Float16(5.9604645e-8F)), 5.9604645e-8F) << "the smallest";
  EXPECT_EQ(static_cast<float>(Float16(2.9802322e-8F)), 0.0F) << "half of it";
  EXPECT_EQ(static_cast<float>(Bfloat16(1.0F + 1.0F / 256)), 1.0F);
  EXPECT_EQ(static_cast<float>(Bfloat16(1.0F + 3.0F / 256)), 1.0F + 1.0F / 64);
  EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat16(NAN))));
}

TEST(DTypes, NamesAndSizes) {
  for (int i = 0; i < static_cast<int>(DType::kUnknown); ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_of(name_of(dtype)), dtype);
    EXPECT_EQ(dtype_of_var_type(row_of(dtype).var_type), dtype);
    EXPECT_EQ(dtype_of_pir(row_of(dtype).pir), dtype);
    EXPECT_GT(size_of(dtype), 0U);
    const bool is_bool = dtype == DType::kBool;
    EXPECT_EQ(is_bool + is_float(dtype) + is_integer(dtype) + is_complex(dtype) + is_float8(dtype), 1);
  }
  EXPECT_FALSE(dtype_of("float7").has_value());
  EXPECT_FALSE(dtype_of("unknown").has_value());
  EXPECT_EQ(size_of(DType::kUnknown), 0U);
  for (const int number : {-1, 7, 19, 25, 31, 34}) EXPECT_FALSE(dtype_of_var_type(number).has_value()) << number;
  EXPECT_FALSE(dtype_of_pir("t_str").has_value());
  EXPECT_FALSE(dtype_of_pir("").has_value());
}

/// The numbers that files and programs have: they never change.
TEST(DTypes, NumbersAreThoseOfFormats) {
  struct Known {
    int number;
    const char* name;
    int var_type;
  };
  const Known kKnown[] = {{0, "bool", 0},
                          {1, "int8", 21},
                          {2, "uint8", 20},
                          {3, "int16", 1},
                          {4, "int32", 2},
                          {5, "int64", 3},
                          {6, "float16", 4},
                          {7, "bfloat16", 22},
                          {8, "float32", 5},
                          {9, "float64", 6},
                          {10, "complex64", 23},
                          {11, "complex128", 24},
                          {12, "float8_e4m3fn", 32},
                          {13, "float8_e5m2", 33}};
  for (const Known& known : kKnown) {
    EXPECT_EQ(dtype_of(known.name), static_cast<DType>(known.number));
    EXPECT_EQ(dtype_of_var_type(known.var_type), static_cast<DType>(known.number));
  }
}

TEST(Tensor, Float8IsStoredAndNotVisited) {
  const Tensor t = Tensor::of<Float8E5m2>({2}, std::vector<Float8E5m2>{Float8E5m2(1.5F), Float8E5m2(-4)});
  EXPECT_EQ(t.bytes(), 2U);
  EXPECT_EQ(static_cast<float>(t.clone().data<Float8E5m2>()[1]), -4);
  EXPECT_THROW(t.number(0), Error);
  EXPECT_THROW(t.integers(), Error);
  EXPECT_EQ(visit_float8(t.dtype(), [](auto* p) { return DTypeOf<std::remove_pointer_t<decltype(p)>>::value; }),
            t.dtype());
  EXPECT_THROW(visit_float8(DType::kUint8, [](auto*) {}), Error);
}

}  // namespace
}  // namespace coracle::internal
