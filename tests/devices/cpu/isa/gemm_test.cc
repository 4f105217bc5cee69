// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "devices/cpu/isa/isa_test.h"
#include "devices/cpu/isa/unary.h"

namespace coracle::internal::cpu {
namespace {

void expect_near(const std::vector<float>& got, const std::vector<double>& want, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << what << " at " << i;
  }
}

std::vector<float> pack_all(const GemmFunctions& f, const GemmShape& shape, const GemmSource& source) {
  std::vector<float> packed(static_cast<size_t>(f.packed_floats(shape)), NAN);
  f.pack(shape, source, packed.data(), 0, f.panels(shape.columns));
  for (const float value : packed) EXPECT_FALSE(std::isnan(value)) << "pack() left a gap";
  return packed;
}

class GemmTest : public testing::TestWithParam<TestedGemm> {
 protected:
  const GemmFunctions& f() const { return *GetParam().functions; }
};

TEST_P(GemmTest, MatrixProduct) {
  for (const int64_t rows : {0, 1, 2, 3, 5, 7, 12, 13, 29}) {
    for (const int64_t depth : {0, 1, 2, 7, 64}) {
      for (const int64_t columns : {0, 1, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 48, 56, 65}) {
        for (const bool transposed : {false, true}) {
          const auto a = random_floats(static_cast<size_t>(rows * depth), 1);
          const auto b = random_floats(static_cast<size_t>(depth * columns), 2);
          const GemmShape shape{1, depth, columns};
          GemmSource source;
          source.data = b.data();
          source.inner = depth;
          source.inner_stride = transposed ? 1 : columns;
          source.column_stride = transposed ? depth : 1;
          const auto packed = pack_all(f(), shape, source);
          std::vector<float> c(static_cast<size_t>(rows * columns), NAN);
          GemmCall call;
          call.shape = shape;
          call.a = a.data();
          call.a_stride = depth;
          call.packed = packed.data();
          call.c = c.data();
          call.c_stride = columns;
          f().run(call, 0, rows, 0, f().panels(columns));
          std::vector<double> want(c.size());
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t j = 0; j < columns; ++j) {
              double sum = 0;
              for (int64_t k = 0; k < depth; ++k) {
                sum += double{a[r * depth + k]} * b[transposed ? j * depth + k : k * columns + j];
              }
              want[r * columns + j] = sum;
            }
          }
          expect_near(c, want, 1e-5,
                      std::to_string(rows) + "x" + std::to_string(depth) + "x" + std::to_string(columns));
        }
      }
    }
  }
}

// Rows that lie a multiple of 4 KiB apart, or long ones, are copied block by block. Neither that nor a split changes a
// bit, also not where more than a bias and a clamp follow.
TEST_P(GemmTest, DistanceOfRowsDoesNotChangeTheSum) {
  constexpr int64_t kRows = 17, kFar = 2048;
  for (const int64_t depth : {31, 384, 385, 769, 1537}) {
    for (const int64_t columns : {3, 24, 33, 64, 100}) {
      const std::string what = std::to_string(depth) + "x" + std::to_string(columns);
      const auto a = random_floats(static_cast<size_t>(kRows * kFar), 1);
      const auto b = random_floats(static_cast<size_t>(depth * columns), 2);
      const auto residual = random_floats(static_cast<size_t>(kRows * columns), 3);
      std::vector<double> sums(residual.size());
      for (int64_t i = 0; i < kRows * columns; ++i) {
        for (int64_t k = 0; k < depth; ++k) sums[i] += double{a[i / columns * kFar + k]} * b[k * columns + i % columns];
      }
      std::vector<float> near;
      for (int64_t r = 0; r < kRows; ++r) {
        near.insert(near.end(), a.begin() + r * kFar, a.begin() + r * kFar + depth);
        near.push_back(NAN);
      }
      GemmSource source;
      source.data = b.data();
      source.inner = depth;
      source.inner_stride = columns;
      source.column_stride = 1;
      GemmCall call;
      call.shape = {1, depth, columns};
      const auto packed = pack_all(f(), call.shape, source);
      call.packed = packed.data();
      call.c_stride = columns;
      std::vector<EpilogueOp> ops(2);
      ops[0].step = {EpilogueKind::kScaleShift, 0.5f, 1.0f, 0.0f};
      ops[1].step.kind = EpilogueKind::kAddTensor;
      ops[1].tensor = residual.data();
      ops[1].tensor_stride = columns;
      call.epilogue = ops.data();
      const int64_t panels = f().panels(columns);
      for (const int op_count : {0, 2}) {
        call.epilogue_size = op_count;
        std::vector<float> want(residual.size(), NAN), far(want), parts(want);
        call.a = near.data();
        call.a_stride = depth + 1;
        call.c = want.data();
        f().run(call, 0, kRows, 0, panels);
        call.a = a.data();
        call.a_stride = kFar;
        call.c = far.data();
        f().run(call, 0, kRows, 0, panels);
        call.c = parts.data();
        for (int64_t panel = 0; panel < panels; ++panel) {
          f().run(call, 0, 5, panel, panel + 1);
          f().run(call, 5, kRows, panel, panel + 1);
        }
        EXPECT_EQ(0, memcmp(want.data(), far.data(), want.size() * sizeof(float))) << what;
        EXPECT_EQ(0, memcmp(want.data(), parts.data(), want.size() * sizeof(float))) << what;
        std::vector<double> results(sums);
        for (size_t i = 0; op_count > 0 && i < results.size(); ++i) results[i] = sums[i] * 0.5 + 1 + residual[i];
        expect_near(far, results, 1e-4, what);
      }
    }
  }
}

struct ConvCase {
  const char* name;
  int64_t batch, channels, h, w, outputs, groups;
  int64_t kernel_h, kernel_w, stride, pad, dilation;
  bool joined;
};

constexpr ConvCase kConvCases[] = {
    {"pointwise", 2, 20, 5, 7, 40, 1, 1, 1, 1, 0, 1, false},
    {"pointwise_strided", 1, 8, 9, 9, 33, 1, 1, 1, 2, 0, 1, false},
    {"three", 2, 5, 9, 17, 24, 1, 3, 3, 1, 1, 1, false},
    {"three_odd", 1, 7, 6, 6, 70, 1, 3, 3, 1, 1, 1, false},
    {"first", 1, 3, 19, 23, 16, 1, 3, 3, 2, 1, 1, true},
    {"seven", 1, 3, 20, 20, 64, 1, 7, 7, 2, 3, 1, true},
    {"seven_apart", 1, 4, 12, 10, 8, 1, 7, 7, 1, 3, 1, false},
    {"nine", 1, 2, 10, 11, 24, 1, 9, 9, 1, 4, 1, false},
    {"dilated", 1, 6, 11, 13, 20, 1, 3, 3, 1, 2, 2, false},
    {"grouped", 2, 12, 7, 8, 18, 3, 3, 3, 1, 1, 1, false},
    {"grouped_eight", 1, 32, 9, 7, 32, 4, 3, 3, 1, 1, 1, false},
    {"grouped_paired", 2, 8, 7, 7, 48, 2, 3, 3, 1, 1, 1, false},
    {"grouped_many_taps", 1, 8, 9, 9, 16, 2, 9, 9, 1, 4, 1, false},
    {"grouped_wide", 1, 8, 6, 6, 90, 2, 3, 3, 1, 1, 1, false},
    {"depthwise_multiplier", 1, 4, 6, 6, 8, 4, 3, 3, 1, 1, 1, false},
    {"narrow_image", 1, 3, 5, 2, 24, 1, 5, 5, 1, 4, 1, true},
    {"row", 1, 16, 1, 30, 10, 1, 1, 5, 1, 0, 1, false},
};

// What a caller of the conv form sets up.
struct Conv {
  ConvCase p;
  int64_t out_h, out_w;
  std::vector<int32_t> tap_y, tap_x;
  std::vector<int64_t> tap_offsets;
  GemmShape shape;
  GemmImage image;
  std::vector<float> input, weights, packed, zeros, bias, residual;

  Conv(const GemmFunctions& f, const ConvCase& c) : p(c) {
    const int64_t extent_h = (p.kernel_h - 1) * p.dilation + 1, extent_w = (p.kernel_w - 1) * p.dilation + 1;
    out_h = (p.h + 2 * p.pad - extent_h) / p.stride + 1;
    out_w = (p.w + 2 * p.pad - extent_w) / p.stride + 1;
    const int64_t group_in = p.channels / p.groups, group_out = p.outputs / p.groups;
    for (int64_t ky = 0; ky < p.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < (p.joined ? 1 : p.kernel_w); ++kx) {
        tap_y.push_back(static_cast<int32_t>(ky * p.dilation - p.pad));
        tap_x.push_back(static_cast<int32_t>(kx * p.dilation - p.pad));
        tap_offsets.push_back(ky * p.kernel_w + kx);
      }
    }
    const int64_t join = p.joined ? p.kernel_w : 1;
    shape = {static_cast<int64_t>(tap_y.size()), group_in * join, group_out};
    input = random_floats(static_cast<size_t>(p.batch * p.h * p.w * p.channels), 3);
    weights = random_floats(static_cast<size_t>(p.outputs * group_in * p.kernel_h * p.kernel_w), 4);
    bias = random_floats(static_cast<size_t>(p.outputs), 5);
    residual = random_floats(static_cast<size_t>(p.batch * out_h * out_w * p.outputs), 6);
    zeros.assign(static_cast<size_t>(p.channels * join), 0.0f);
    const int64_t window = p.kernel_h * p.kernel_w;
    for (int64_t g = 0; g < p.groups; ++g) {
      GemmSource source;
      source.data = weights.data() + g * group_out * group_in * window;
      source.tap_offsets = tap_offsets.data();
      source.inner = group_in;
      source.join_stride = 1;
      source.inner_stride = window;
      source.column_stride = group_in * window;
      const auto part = pack_all(f, shape, source);
      packed.insert(packed.end(), part.begin(), part.end());
    }
    image.in_h = p.h;
    image.in_w = p.w;
    image.in_channels = p.channels;
    image.out_h = out_h;
    image.out_w = out_w;
    image.stride_y = image.stride_x = p.stride;
    image.tap_y = tap_y.data();
    image.tap_x = tap_x.data();
    image.join = join;
    image.out_batch = out_h * out_w;
    image.out_row = out_w;
  }

  GemmCall call(float* c) const {
    GemmCall call;
    call.shape = shape;
    call.groups = p.groups;
    call.a_group_stride = p.channels / p.groups;
    call.c_group_stride = p.outputs / p.groups;
    call.a = input.data();
    call.image = &image;
    call.zeros = zeros.data();
    call.packed = packed.data();
    call.c = c;
    call.c_stride = p.outputs;
    return call;
  }

  int64_t rows() const { return p.batch * out_h * out_w; }

  std::vector<double> reference() const {
    const int64_t group_in = p.channels / p.groups, group_out = p.outputs / p.groups;
    std::vector<double> want(static_cast<size_t>(rows() * p.outputs));
    for (int64_t row = 0; row < rows(); ++row) {
      const int64_t ox = row % out_w, oy = row / out_w % out_h, n = row / out_w / out_h;
      for (int64_t o = 0; o < p.outputs; ++o) {
        double sum = 0;
        for (int64_t ky = 0; ky < p.kernel_h; ++ky) {
          for (int64_t kx = 0; kx < p.kernel_w; ++kx) {
            const int64_t y = oy * p.stride - p.pad + ky * p.dilation, x = ox * p.stride - p.pad + kx * p.dilation;
            if (y < 0 || y >= p.h || x < 0 || x >= p.w) continue;
            for (int64_t i = 0; i < group_in; ++i) {
              sum += double{input[((n * p.h + y) * p.w + x) * p.channels + o / group_out * group_in + i]} *
                     weights[((o * group_in + i) * p.kernel_h + ky) * p.kernel_w + kx];
            }
          }
        }
        want[static_cast<size_t>(row * p.outputs + o)] = sum;
      }
    }
    return want;
  }
};

TEST_P(GemmTest, Convolution) {
  for (const ConvCase& p : kConvCases) {
    const Conv conv(f(), p);
    std::vector<float> c(static_cast<size_t>(conv.rows() * p.outputs), NAN);
    f().run(conv.call(c.data()), 0, conv.rows(), 0, p.groups * f().panels(conv.shape.columns));
    expect_near(c, conv.reference(), 2e-5, p.name);
  }
}

TEST_P(GemmTest, Epilogues) {
  for (const ConvCase& p : kConvCases) {
    const Conv conv(f(), p);
    std::vector<EpilogueOp> ops(4);
    ops[0].step.kind = EpilogueKind::kAddChannel;
    ops[0].tensor = conv.bias.data();
    ops[1].step = {EpilogueKind::kHardSwish, 3.0f, 6.0f, 6.0f};
    ops[2].step = {EpilogueKind::kScaleShift, 1.5f, -0.25f, 0.0f};
    ops[3].step.kind = EpilogueKind::kAddTensor;
    ops[3].tensor = conv.residual.data();
    ops[3].tensor_stride = p.outputs;
    const std::vector<EpilogueOp> relu = {ops[0], EpilogueOp{{EpilogueKind::kRelu}, nullptr, 0}};
    const auto sums = conv.reference();
    for (const bool whole : {true, false}) {
      std::vector<float> c(sums.size(), NAN);
      GemmCall call = conv.call(c.data());
      call.epilogue = whole ? ops.data() : relu.data();
      call.epilogue_size = static_cast<int>(whole ? ops.size() : relu.size());
      f().run(call, 0, conv.rows(), 0, p.groups * f().panels(conv.shape.columns));
      std::vector<double> want(sums.size());
      for (size_t i = 0; i < sums.size(); ++i) {
        const double x = sums[i] + conv.bias[i % static_cast<size_t>(p.outputs)];
        want[i] =
            whole ? x * std::min(std::max(x + 3, 0.0), 6.0) / 6 * 1.5 - 0.25 + conv.residual[i] : std::max(x, 0.0);
      }
      expect_near(c, want, 5e-5, p.name);
    }
  }
}

TEST_P(GemmTest, AnySplitGivesTheSameBits) {
  for (const ConvCase& p : kConvCases) {
    const Conv conv(f(), p);
    const int64_t panels = p.groups * f().panels(conv.shape.columns);
    std::vector<float> whole(static_cast<size_t>(conv.rows() * p.outputs), NAN);
    EpilogueOp op;
    op.step.kind = EpilogueKind::kAddChannel;
    op.tensor = conv.bias.data();
    GemmCall call = conv.call(whole.data());
    call.epilogue = &op;
    call.epilogue_size = 1;
    f().run(call, 0, conv.rows(), 0, panels);
    for (const int64_t rows : {1, 2, 5, 11}) {
      std::vector<float> parts(whole.size(), NAN);
      call.c = parts.data();
      for (int64_t panel = 0; panel < panels; ++panel) {
        for (int64_t row = 0; row < conv.rows(); row += rows) {
          f().run(call, row, std::min(row + rows, conv.rows()), panel, panel + 1);
        }
      }
      EXPECT_EQ(0, memcmp(whole.data(), parts.data(), whole.size() * sizeof(float))) << p.name << " by " << rows;
    }
  }
}

TEST_P(GemmTest, OutputPixelsMayLieApart) {
  // A 2x2 output phase of a transposed convolution: pixels (1 + 2 * y, 2 * x) of a wider image.
  const Conv conv(f(), kConvCases[2]);
  const int64_t wide = conv.out_w * 2, high = conv.out_h * 2, outputs = conv.p.outputs;
  std::vector<float> c(static_cast<size_t>(conv.p.batch * high * wide * outputs), -7.0f);
  GemmImage image = conv.image;
  image.out_first = wide;
  image.out_batch = high * wide;
  image.out_row = 2 * wide;
  image.out_column = 2;
  GemmCall call = conv.call(c.data());
  call.image = &image;
  f().run(call, 0, conv.rows(), 0, f().panels(conv.shape.columns));
  const auto sums = conv.reference();
  for (int64_t pixel = 0; pixel < conv.p.batch * high * wide; ++pixel) {
    const int64_t x = pixel % wide, y = pixel / wide % high, n = pixel / wide / high;
    for (int64_t o = 0; o < outputs; ++o) {
      const float got = c[static_cast<size_t>(pixel * outputs + o)];
      if (x % 2 == 1 || y % 2 == 0) {
        ASSERT_EQ(got, -7.0f);
      } else {
        const int64_t row = (n * conv.out_h + y / 2) * conv.out_w + x / 2;
        ASSERT_NEAR(got, sums[static_cast<size_t>(row * outputs + o)], 1e-4);
      }
    }
  }
}

TEST_P(GemmTest, NotANumberComesThroughAClampButNotThroughRelu) {
  const std::vector<float> a = {NAN, 1.0f}, b = {1.0f, 1.0f};
  const GemmShape shape{1, 1, 2};
  GemmSource source;
  source.data = b.data();
  source.inner = 1;
  source.inner_stride = 2;
  source.column_stride = 1;
  const auto packed = pack_all(f(), shape, source);
  EpilogueOp step;
  step.step = {EpilogueKind::kClip, 0.0f, 6.0f};
  std::vector<float> c(4);
  GemmCall call;
  call.shape = shape;
  call.a = a.data();
  call.a_stride = 1;
  call.packed = packed.data();
  call.c = c.data();
  call.c_stride = 2;
  call.epilogue = &step;
  call.epilogue_size = 1;
  f().run(call, 0, 2, 0, 1);
  EXPECT_TRUE(std::isnan(c[0]) && std::isnan(c[1]));
  EXPECT_EQ(c[2], 1.0f);
  step.step = {EpilogueKind::kRelu};
  f().run(call, 0, 2, 0, 1);
  EXPECT_EQ(c, (std::vector<float>{0.0f, 0.0f, 1.0f, 1.0f}));
}

// On 32-bit ARM products compute functions with NEON, which has no division, and operators by portable code.
#ifdef __arm__
constexpr float kFunctionDifference = 1e-6F;  // of the value
#else
constexpr float kFunctionDifference = 0;
#endif

// Whether a function is done in registers, in a tile or by an operator of its own.
TEST(GemmEpilogue, FunctionsGiveTheBitsOfOperators) {
  const std::pair<EpilogueKind, UnaryKind> functions[] = {
#define CORACLE_FUNCTION(name, text) {EpilogueKind::k##name, UnaryKind::k##name},
      CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
  };
  const std::vector<float> x = {-25.0f, -4.5f, -1.0f, -0.125f, 0.0f, 0.375f, 1.0f, 2.5f, 7.0f, 30.0f};
  for (Isa isa : tested_isas()) {
    const GemmFunctions& f = gemm_table(isa, ComputeMode::kFloat32);
    for (const auto& [kind, function] : functions) {
      for (const int64_t columns : {5, 8}) {
        const GemmShape shape{1, 1, columns};
        const std::vector<float> ones(static_cast<size_t>(columns), 1.0f);
        const GemmSource source{.data = ones.data(), .inner = 1, .inner_stride = columns, .column_stride = 1};
        const auto packed = pack_all(f, shape, source);
        const EpilogueOp ops[] = {{{kind, 0.75f, 1.5f, 2.0f}, nullptr, 0}, {{EpilogueKind::kAbs}, nullptr, 0}};
        const UnaryStep steps[] = {{function, 0.75f, 1.5f, 2.0f}, {UnaryKind::kAbs}};
        for (const int count : {1, 2}) {
          std::vector<float> want(x.size());
          unary_table(isa).chain(steps, static_cast<size_t>(count), x.data(), want.data(), x.size());
          std::vector<float> c(x.size() * ones.size(), NAN);
          GemmCall call;
          call.shape = shape;
          call.a = x.data();
          call.a_stride = 1;
          call.packed = packed.data();
          call.c = c.data();
          call.c_stride = columns;
          call.epilogue = ops;
          call.epilogue_size = count;
          f.run(call, 0, static_cast<int64_t>(x.size()), 0, f.panels(columns));
          for (size_t i = 0; i < c.size(); ++i) {
            const float one = want[i / ones.size()];
            EXPECT_TRUE(memcmp(&c[i], &one, sizeof(one)) == 0 ||
                        std::fabs(c[i] - one) < kFunctionDifference * std::fabs(one))
                << name_of(isa) << " kind " << static_cast<int>(kind) << " of " << x[i / ones.size()] << ": " << c[i]
                << ", not " << one;
          }
        }
      }
    }
  }
}

TEST(GemmPacking, DenormalWeightsArePackedAsZeros) {
  const std::vector<float> b{1e-39F, -1e-45F, 1.17549435e-38F, -1.2e-38F, 0.0F, -5e-39F};
  for (const TestedGemm& gemm : tested_gemms(ComputeMode::kFloat32)) {
    const GemmFunctions& f = *gemm.functions;
    for (const int64_t columns : {1, 2, 3, 6}) {
      const GemmShape shape{1, 6 / columns, columns};
      const GemmSource source{.data = b.data(), .inner = shape.depth, .inner_stride = columns, .column_stride = 1};
      for (float v : pack_all(f, shape, source)) EXPECT_TRUE(v == 0 || std::isnormal(v)) << v;
      const auto packed = pack_all(f, shape, source);
      EXPECT_EQ(std::count(packed.begin(), packed.end(), b[2]), 1);
      EXPECT_EQ(std::count(packed.begin(), packed.end(), b[3]), 1);
    }
  }
}

std::string name_of_gemm(const testing::TestParamInfo<TestedGemm>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Isa, GemmTest, testing::ValuesIn(tested_gemms(ComputeMode::kFloat32)), name_of_gemm);
INSTANTIATE_TEST_SUITE_P(Tiles, GemmTest, testing::ValuesIn(tested_gemms(ComputeMode::kBf16x6)), name_of_gemm);

}  // namespace
}  // namespace coracle::internal::cpu
