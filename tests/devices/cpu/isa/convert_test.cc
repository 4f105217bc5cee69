// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/convert.h"

#include <cstring>

#include "base/half.h"
#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

using Buffer = std::vector<uint8_t>;

template <class T>
double number_at(const Buffer& buffer, size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}
template <class T>
void put(Buffer& buffer, size_t i, double number) {
  const T value = static_cast<T>(number);
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}
template <class T>
void put_half(Buffer& buffer, size_t i, double number) {
  const T value(static_cast<float>(number));
  std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
}
template <class T>
double half_at(const Buffer& buffer, size_t i) {
  T value;
  std::memcpy(&value, buffer.data() + i * sizeof(T), sizeof(T));
  return double{static_cast<float>(value)};
}

struct Type {
  NumberType type;
  size_t size;
  double low, high;  // what it holds
  bool integer;
  double (*get)(const Buffer&, size_t);
  void (*set)(Buffer&, size_t, double);
};

constexpr Type kTypes[] = {
    {NumberType::kBool, 1, 0, 1, true, number_at<uint8_t>, put<uint8_t>},
    {NumberType::kUint8, 1, 0, 255, true, number_at<uint8_t>, put<uint8_t>},
    {NumberType::kInt8, 1, -128, 127, true, number_at<int8_t>, put<int8_t>},
    {NumberType::kInt16, 2, -32768, 32767, true, number_at<int16_t>, put<int16_t>},
    {NumberType::kInt32, 4, -2147483648.0, 2147483647.0, true, number_at<int32_t>, put<int32_t>},
    {NumberType::kInt64, 8, -9e15, 9e15, true, number_at<int64_t>, put<int64_t>},
    {NumberType::kFloat16, 2, -65504, 65504, false, half_at<Float16>, put_half<Float16>},
    {NumberType::kBfloat16, 2, -3e38, 3e38, false, half_at<Bfloat16>, put_half<Bfloat16>},
    {NumberType::kFloat32, 4, -3e38, 3e38, false, number_at<float>, put<float>},
    {NumberType::kFloat64, 8, -1e300, 1e300, false, number_at<double>, put<double>},
};

TEST(ConvertKernels, EveryPair) {
  const double pool[] = {0,   1,    -1,  0.5,   -0.5,     1.75,      -1.75,   2.5,   100.25,
                         127, -128, 255, -3.99, 1000.125, -30000.75, 1.0 / 3, 65000, 1e6 + 0.5};
  for (Isa isa : tested_isas()) {
    for (const Type& from : kTypes) {
      for (const Type& to : kTypes) {
        for (size_t size : tested_sizes()) {
          Buffer x(size * from.size), y(size * to.size + 1, 77);
          for (size_t i = 0; i < size; ++i) {
            double value = pool[(i * 7 + i / 5) % std::size(pool)];
            value = std::max(std::max(from.low, to.low), std::min(std::min(from.high, to.high), value));
            if (from.integer) value = std::trunc(value);
            from.set(x, i, value);
          }
          convert_table(isa).convert(from.type, to.type, x.data(), y.data(), size);
          EXPECT_EQ(y.back(), 77);
          for (size_t i = 0; i < size; ++i) {
            const double value = from.get(x, i);
            Buffer expected(to.size);
            to.set(expected, 0, to.type == NumberType::kBool ? value != 0 : value);
            ASSERT_EQ(to.get(y, i), to.get(expected, 0))
                << name_of(isa) << " from " << int(from.type) << " to " << int(to.type) << ": " << value;
          }
        }
      }
    }
  }
}

// One number beyond int32 among small ones, at each place of a vector and of what follows whole vectors.
TEST(ConvertKernels, FloatsBeyondInt32) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  const std::pair<float, int64_t> wide[] = {{2147483648.0f, 2147483648},
                                            {-2147483648.0f, -2147483648},
                                            {-2147483904.0f, -2147483904},
                                            {0x1p62f, int64_t{1} << 62},
                                            {1e19f, kSmallest},
                                            {-9223372036854775808.0f, kSmallest},
                                            {kInfinity, kSmallest},
                                            {-kInfinity, kSmallest},
                                            {std::nanf(""), kSmallest}};
  for (Isa isa : tested_isas()) {
    for (const auto& [number, expected] : wide) {
      for (size_t size : {size_t{8}, size_t{19}, size_t{35}}) {
        for (size_t place = 0; place < size; ++place) {
          std::vector<float> x(size);
          for (size_t i = 0; i < size; ++i) x[i] = static_cast<float>(i) * 1000.75f - 9000;
          x[place] = number;
          std::vector<int64_t> y(size + 1, 77);
          convert_table(isa).convert(NumberType::kFloat32, NumberType::kInt64, x.data(), y.data(), size);
          for (size_t i = 0; i < size; ++i) {
            ASSERT_EQ(y[i], i == place ? expected : static_cast<int64_t>(x[i])) << name_of(isa) << ' ' << x[i];
          }
          EXPECT_EQ(y[size], 77);
        }
      }
    }
  }
}

TEST(ConvertKernels, HalvesBitForBit) {
  std::vector<uint16_t> halves(65536), back(65536);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<uint32_t> patterns;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 4001) patterns.push_back(static_cast<uint32_t>(bits));
  for (uint32_t bits = 0x32f00000; bits < 0x33100000; bits += 16) patterns.push_back(bits);
  for (uint32_t bits = 0x477fe000; bits < 0x47800100; bits += 16) patterns.push_back(bits);
  std::vector<float> floats(patterns.size());
  std::memcpy(floats.data(), patterns.data(), patterns.size() * 4);
  std::vector<uint16_t> results(floats.size());
  for (Isa isa : tested_isas()) {
    std::vector<float> wide(65536);
    convert_table(isa).convert(NumberType::kFloat16, NumberType::kFloat32, halves.data(), wide.data(), wide.size());
    for (size_t i = 0; i < wide.size(); ++i) {
      const float expected = Float16::to_float(halves[i]);
      ASSERT_TRUE(wide[i] == expected || (std::isnan(wide[i]) && std::isnan(expected))) << name_of(isa) << ' ' << i;
    }
    for (size_t offset : {0, 1}) {  // vectors and single elements agree
      convert_table(isa).convert(NumberType::kFloat32, NumberType::kFloat16, floats.data() + offset, results.data(),
                                 floats.size() - offset);
      for (size_t i = 0; i + offset < floats.size(); ++i)
        ASSERT_EQ(results[i], Float16::from_float(floats[i + offset])) << name_of(isa) << ' ' << floats[i + offset];
    }
    convert_table(isa).convert(NumberType::kFloat32, NumberType::kBfloat16, floats.data(), results.data(),
                               floats.size());
    for (size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(results[i], Bfloat16::from_float(floats[i])) << name_of(isa) << ' ' << floats[i];
  }
}

#if defined(__x86_64__)
TEST(ConvertKernels, OutOfRangeIsTheSmallestInteger) {
  const std::vector<float> x(37, NAN), large(37, 1e20f);
  for (Isa isa : tested_isas()) {
    std::vector<int32_t> y(37);
    convert_table(isa).convert(NumberType::kFloat32, NumberType::kInt32, x.data(), y.data(), y.size());
    EXPECT_EQ(y, std::vector<int32_t>(37, INT32_MIN));
    std::vector<int64_t> z(37);
    convert_table(isa).convert(NumberType::kFloat32, NumberType::kInt64, large.data(), z.data(), z.size());
    EXPECT_EQ(z, std::vector<int64_t>(37, INT64_MIN));
  }
}
#endif

}  // namespace
}  // namespace coracle::internal::cpu
