// SPDX-License-Identifier: Apache-2.0
// Operators on float8: what casts give, what moves elements, and what is refused. All codes are compared with Paddle in
// the family float8 of tests/oracle.

#include <gtest/gtest.h>

#include <cmath>

#include "graph/graph.h"
#include "graph/text.h"

namespace coracle::internal {
namespace {

template <class T>
Tensor float8_codes(const std::vector<uint8_t>& codes) {
  Tensor t = Tensor::make(DTypeOf<T>::value, {static_cast<int64_t>(codes.size())});
  for (size_t i = 0; i < codes.size(); ++i) t.data<T>()[i].bits = codes[i];
  return t;
}

/// The first result of a graph of x.
Tensor of_float8(const Tensor& x, const std::string& lines) {
  const Graph graph = parse(text("graph (%x: ", x.dtype(), x.shape(), ") {\n", lines, "\nreturn %y\n}"));
  return evaluate_graph(graph, std::vector<Tensor>{x})[0];
}

Tensor float8_cast(const Tensor& x, const char* to) { return of_float8(x, text("%y = cast(%x) {dtype = ", to, "}")); }

std::string float8_error(const Tensor& x, const std::string& lines) {
  try {
    of_float8(x, lines);
  } catch (const Error& e) {
    return e.text();
  }
  return "no error";
}

const std::vector<uint8_t> kNumbers{0x00, 0x80, 0x38, 0x39, 0xB8, 0x7E};

TEST(Float8Casts, Widen) {
  const Tensor x = float8_codes<Float8E4m3>(kNumbers);
  const std::vector<double> values{0, 0, 1, 1.125, -1, 448};
  for (const char* to : {"float32", "float64", "float16", "bfloat16", "float8_e4m3fn"}) {
    const Tensor y = float8_cast(x, to);
    EXPECT_EQ(name_of(y.dtype()), to);
    EXPECT_EQ(float8_cast(y, "float64").doubles(), values) << to;
  }
  EXPECT_EQ(float8_cast(x, "int64").integers(), (std::vector<int64_t>{0, 0, 1, 1, -1, 448}));
  EXPECT_EQ(float8_cast(x, "int8").integers(), (std::vector<int64_t>{0, 0, 1, 1, -1, -64}))
      << "the low bits, as Paddle";
  EXPECT_EQ(float8_cast(x, "bool").integers(), (std::vector<int64_t>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(float8_cast(float8_codes<Float8E5m2>({0x7C}), "int32").integer(0), INT32_MIN);
  const Tensor z = float8_cast(x, "complex64");
  EXPECT_EQ(z.data<std::complex<float>>()[3], std::complex<float>(1.125F, 0));
}

TEST(Float8Casts, Narrow) {
  const auto codes = [](const Tensor& y) {
    const auto* bytes = static_cast<const uint8_t*>(y.raw());
    return std::vector<int>(bytes, bytes + y.bytes());
  };
  // One more than what float32 rounds up: the way is by float32, where it is the middle.
  const Tensor wide = Tensor::of<double>({2}, std::vector<double>{1.0625 + 0x1p-40, 1e300});
  EXPECT_EQ(codes(float8_cast(wide, "float8_e4m3fn")), (std::vector<int>{0x38, 0x7E}));
  const Tensor whole = Tensor::of<int64_t>({3}, std::vector<int64_t>{-3, 100, 70000});
  EXPECT_EQ(codes(float8_cast(whole, "float8_e4m3fn")), (std::vector<int>{0xC4, 0x6C, 0x7E}));
  EXPECT_EQ(codes(float8_cast(whole, "float8_e5m2")), (std::vector<int>{0xC2, 0x56, 0x7B}));
  EXPECT_EQ(codes(float8_cast(float8_codes<Float8E4m3>({0x39, 0x7E}), "float8_e5m2")), (std::vector<int>{0x3C, 0x5F}));
}

TEST(Float8, IsMoved) {
  const Tensor x = float8_codes<Float8E5m2>({1, 2, 3, 4, 0x7C, 0xFF});
  const auto moved = [&](const char* lines) {
    const Tensor y = of_float8(x, lines);
    EXPECT_EQ(y.dtype(), DType::kFloat8E5m2);
    const auto* bytes = static_cast<const uint8_t*>(y.raw());
    return std::vector<int>(bytes, bytes + y.bytes());
  };
  EXPECT_EQ(moved("@s: int64[2] = {2, 3}\n%r = reshape(%x, @s)\n%y = transpose(%r) {perm = [1, 0]}"),
            (std::vector<int>{1, 4, 2, 0x7C, 3, 0xFF}));
  EXPECT_EQ(moved("@a: int32[1] = {0}\n%y = concat([%x, %x], @a)").size(), 12U);
  EXPECT_EQ(moved("@i: int64[2] = {5, 0}\n%y = gather(%x, @i)"), (std::vector<int>{0xFF, 1}));
  EXPECT_EQ(moved("%y = full() {shape = [2], value = 1.3, dtype = float8_e5m2}"), (std::vector<int>{0x3D, 0x3D}));
}

TEST(Float8, IsNotComputedWith) {
  const Tensor x = float8_codes<Float8E4m3>({0x38, 0x40});
  const std::string unsupported = "element type float8_e4m3fn is not supported here";
  for (const char* lines : {"%y = add(%x, %x)", "%y = relu(%x)", "%y = exp(%x)", "%y = equal(%x, %x)",
                            "%y = less_than(%x, %x)", "%w = cast(%x) {dtype = float32}\n%y = add(%x, %w)",
                            "%w = cast(%x) {dtype = complex64}\n%y = add(%w, %x)", "%y = isnan(%x)", "%y = sum(%x)"}) {
    EXPECT_NE(float8_error(x, lines).find(unsupported), std::string::npos) << lines << ": " << float8_error(x, lines);
  }
}

/// Paddle 3.3.1 has no kernel for float8 on the CPU for any operator that quantises.
TEST(Float8, IsNotQuantised) {
  const Tensor x = float8_codes<Float8E4m3>({0x38, 0x40});
  const std::string scale = "@s: float32[1] = {1}\n";
  for (const char* op : {"%y = quantize_linear(%x, @s)", "%y = dequantize_linear(%x, @s)"}) {
    const std::string error = float8_error(x, scale + op);
    EXPECT_NE(error.find("x is float8_e4m3fn, expected a real type"), std::string::npos) << op << ": " << error;
  }
}

TEST(Float8, HasATextForm) {
  const char* const graph = R"(graph (%x0: float8_e4m3fn[2]) {
  @c0: float8_e5m2[3] = {1, -0.375, 57344}
  @c1: float8_e4m3fn[40] = random(40)
  return %x0, @c0, @c1
}
)";
  const Graph parsed = parse(graph);
  EXPECT_EQ(print(parsed), graph);
}

}  // namespace
}  // namespace coracle::internal
