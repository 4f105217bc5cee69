// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/unary.h"

#include <cstring>
#include <functional>
#include <set>

#include "isa_test.h"

namespace coracle::internal::cpu {
namespace {

struct Case {
  const char* name;
  UnaryStep step;
  std::function<double(double)> expected;
  double tolerance = 4e-7;
  double scale = 1e-30;                                 // smaller expected values are compared absolutely
  float low = -std::numeric_limits<float>::infinity();  // of the arguments tried
  float high = std::numeric_limits<float>::infinity();
};

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
double elu(double x, double a) { return x > 0 ? x : a * std::expm1(x); }
double positive_or(double x, double y) { return x > 0 ? x : y; }

std::vector<Case> cases() {
  using K = UnaryKind;
  constexpr float kBig = 1e37f;
  return {
      {"identity", {K::kIdentity}, [](double x) { return x; }, 0},
      {"relu", {K::kRelu}, [](double x) { return x > 0 ? x : 0; }, 0},
      {"relu6", {K::kClip, 0, 6}, [](double x) { return x < 0   ? 0
                                                        : x > 6 ? 6
                                                                : x; }, 0},
      {"leaky_relu", {K::kLeakyRelu, 0.02f}, [](double x) { return x >= 0 ? x : double{0.02f} * x; }, 1e-7, 1e-36},
      {"hard_sigmoid",
       {K::kHardSigmoid, 0.2f, 0.5f},
       [](double x) {
         x = double{0.2f} * x + 0.5;
         return x < 0 ? 0 : x > 1 ? 1 : x;
       },
       3e-7,
       1},
      {"hard_swish",
       {K::kHardSwish, 3, 6, 6},
       [](double x) {
         double y = x + 3;
         y = y < 0 ? 0 : y > 6 ? 6 : y;
         return x * y / 6;
       },
       4e-7,
       1,
       -kBig,
       kBig},
      {"sigmoid", {K::kSigmoid}, [](double x) { return 1 / (1 + std::exp(-x)); }, 4e-7, 1e-31},
      {"log_sigmoid", {K::kLogSigmoid}, [](double x) { return -softplus(-x); }, 4e-7, 2e-38},
      {"swish", {K::kSwish, 1.5f}, [](double x) { return x / (1 + std::exp(-1.5 * x)); }, 1e-5, 1e-7, -kBig},
      {"tanh", {K::kTanh}, [](double x) { return std::tanh(x); }},
      {"stanh",
       {K::kScaledTanh, 0.67f, 1.7159f},
       [](double x) { return double{1.7159f} * std::tanh(double{0.67f} * x); },
       5e-7,
       1e-30},
      {"tanh_shrink", {K::kTanhShrink}, [](double x) { return x - std::tanh(x); }, 5e-7, 1},
      {"gelu", {K::kGelu}, [](double x) { return 0.5 * x * std::erfc(-x * M_SQRT1_2); }, 1e-6, 1e-2, -kBig},
      {"gelu_tanh",
       {K::kGeluTanh},
       [](double x) { return x / (1 + std::exp(-2 * 0.7978845608028654 * (x + 0.044715 * x * x * x))); },
       1e-6,
       1e-2,
       -kBig},
      {"elu", {K::kElu, 0.7f}, [](double x) { return elu(x, double{0.7f}); }},
      {"selu", {K::kSelu, 1.67326f, 1.0507f}, [](double x) { return double{1.0507f} * elu(x, double{1.67326f}); }},
      {"celu",
       {K::kCelu, 1.3f},
       [](double x) { return positive_or(x, double{1.3f} * std::expm1(x / double{1.3f})); },
       1e-6},
      {"softplus", {K::kSoftplus, 2, 20}, [](double x) { return 2 * x > 20 ? x : softplus(2 * x) / 2; }, 1e-6, 1e-37},
      {"mish", {K::kMish}, [](double x) { return x * std::tanh(softplus(x)); }, 1e-6, 1e-30, -kBig},
      {"softsign", {K::kSoftsign}, [](double x) { return x / (1 + std::abs(x)); }, 4e-7, 1e-30, -kBig, kBig},
      {"hard_shrink", {K::kHardShrink, 0.5f}, [](double x) { return std::abs(x) <= 0.5 ? 0 : x; }, 0, 1, -kBig, kBig},
      {"soft_shrink",
       {K::kSoftShrink, 0.5f},
       [](double x) { return (x - 0.5) * (x > 0.5 ? 1 : 0) + (x + 0.5) * (x < -0.5 ? 1 : 0); },
       1e-7},
      {"thresholded_relu", {K::kThresholdedRelu, 1, -3}, [](double x) { return x > 1 ? x : x * 0 - 3; }, 0},
      {"abs", {K::kAbs}, [](double x) { return std::abs(x); }, 0},
      {"negative", {K::kNegative}, [](double x) { return -x; }, 0},
      {"sign", {K::kSign}, [](double x) { return x > 0   ? 1
                                                 : x < 0 ? -1
                                                         : x; }, 0},
      {"square", {K::kSquare}, [](double x) { return x * x; }, 1e-7, 1e-37},
      {"sqrt", {K::kSqrt}, [](double x) { return std::sqrt(x); }, 1e-7},
      {"rsqrt", {K::kRsqrt}, [](double x) { return 1 / std::sqrt(x); }, 2e-7},
      {"reciprocal", {K::kReciprocal}, [](double x) { return 1 / x; }, 1e-7, 1e-37},
      {"exp", {K::kExp}, [](double x) { return std::exp(x); }, 2e-7, 1e-37},
      {"expm1", {K::kExpm1}, [](double x) { return std::expm1(x); }, 3e-7, 1e-37},
      {"log", {K::kLog}, [](double x) { return std::log(x); }, 2e-7},
      {"log1p", {K::kLog1p}, [](double x) { return std::log1p(x); }, 3e-7, 1e-36},
      {"log2", {K::kLog2}, [](double x) { return std::log2(x); }, 3e-7},
      {"log10", {K::kLog10}, [](double x) { return std::log10(x); }, 3e-7},
      {"erf", {K::kErf}, [](double x) { return std::erf(x); }, 2e-7, 1e-37},
      {"sin", {K::kSin}, [](double x) { return std::sin(x); }, 2e-7, 1e-4, -1e6f, 1e6f},
      {"cos", {K::kCos}, [](double x) { return std::cos(x); }, 2e-7, 1e-4, -1e6f, 1e6f},
      {"atan", {K::kAtan}, [](double x) { return std::atan(x); }, 4e-7, 1e-37},
      {"floor", {K::kFloor}, [](double x) { return std::floor(x); }, 0},
      {"ceil", {K::kCeil}, [](double x) { return std::ceil(x); }, 0},
      {"round_half_even", {K::kRoundHalfEven}, [](double x) { return std::nearbyint(x); }, 0},
      {"round_half_away", {K::kRoundHalfAway}, [](double x) { return std::round(x); }, 0},
      {"truncate", {K::kTruncate}, [](double x) { return std::trunc(x); }, 0},
      {"scale_shift", {K::kScaleShift, 2.5f, -1}, [](double x) { return 2.5 * x - 1; }, 2e-7, 1},
      {"shift_scale", {K::kShiftScale, 2.5f, -1}, [](double x) { return 2.5 * (x - 1); }, 2e-7, 1},
      {"pow 2", {K::kPow, 2}, [](double x) { return x * x; }, 1e-7, 1e-37},
      {"pow 3", {K::kPow, 3}, [](double x) { return x * x * x; }, 2e-7, 1e-37},
      {"pow 0.5", {K::kPow, 0.5f}, [](double x) { return std::pow(x, 0.5); }, 1e-7},
      {"pow 0", {K::kPow, 0}, [](double) { return 1; }, 0},
      {"pow -1.7", {K::kPow, -1.75f}, [](double x) { return std::pow(x, -1.75); }, 1e-7, 1e-37},
      {"pow 5", {K::kPow, 5}, [](double x) { return std::pow(x, 5); }, 1e-7, 1e-37},
  };
}

// Bit patterns over the whole range of float, both infinities, NaN, zeros, halves, and a dense part around 0.
std::vector<float> arguments() {
  std::vector<float> x = {0.0f,
                          -0.0f,
                          0.5f,
                          -0.5f,
                          1.5f,
                          2.5f,
                          -1.5f,
                          -2.5f,
                          0.49999997f,
                          8388609.0f,
                          1.0f,
                          -1.0f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity(),
                          std::numeric_limits<float>::quiet_NaN(),
                          88.72284f,
                          88.73f,
                          -87.4f,
                          -103.9f,
                          -104.1f};
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 400009) {
    const uint32_t pattern = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &pattern, sizeof(value));
    x.push_back(value);
  }
  for (int i = -6000; i <= 6000; ++i) x.push_back(static_cast<float>(i) * 0.0051f);
  return x;
}

TEST(UnaryKernels, MatchDoubleArithmetic) {
  const std::vector<float> all = arguments();
  for (Isa isa : tested_isas()) {
    for (const Case& c : cases()) {
      std::vector<float> x;
      for (float value : all) {
        if (std::isnan(value) || (value >= c.low && value <= c.high)) x.push_back(value);
      }
      std::vector<float> y(x.size());
      unary_table(isa).apply(c.step, x.data(), y.data(), x.size());
      int bad = 0;
      for (size_t i = 0; i < x.size() && bad < 5; ++i) {
        if (std::isnan(x[i]) && (c.step.kind == UnaryKind::kPow || c.step.kind == UnaryKind::kThresholdedRelu ||
                                 c.step.kind == UnaryKind::kHardShrink || c.step.kind == UnaryKind::kSoftShrink)) {
          continue;
        }
        const bool good = near(y[i], c.expected(x[i]), c.tolerance, c.scale);
        EXPECT_TRUE(good) << name_of(isa) << ' ' << c.name << '(' << x[i] << ") = " << y[i] << ", not "
                          << c.expected(x[i]);
        bad += !good;
      }
    }
  }
}

TEST(UnaryKernels, EveryFunctionHasACase) {
  std::set<UnaryKind> kinds;
  for (const Case& c : cases()) kinds.insert(c.step.kind);
  EXPECT_EQ(kinds.size(), static_cast<size_t>(UnaryKind::kScaleShift) + 1) << "that is the last kind";
}

TEST(UnaryKernels, ResultDoesNotDependOnPosition) {
  for (Isa isa : tested_isas()) {
    const UnaryFunctions& table = unary_table(isa);
    for (const Case& c : cases()) {
      const std::vector<float> x = random_floats(70, 1);
      std::vector<float> whole(x.size());
      table.apply(c.step, x.data(), whole.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        float one;
        table.apply(c.step, &x[i], &one, 1);
        EXPECT_EQ(std::memcmp(&one, &whole[i], sizeof(one)), 0) << name_of(isa) << ' ' << c.name << ' ' << x[i];
      }
    }
  }
}

// Some functions take a shorter way where a whole vector permits it.
TEST(UnaryKernels, ResultDoesNotDependOnNeighbours) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float others[] = {kInfinity, -kInfinity, std::nanf(""), 1e30f, -1e30f, 1e-40f, -100.0f, 88.5f, 0.0f, -0.0f};
  for (Isa isa : tested_isas()) {
    const UnaryFunctions& table = unary_table(isa);
    for (const Case& c : cases()) {
      const std::vector<float> x = random_floats(71, 3, -60.0f, 60.0f);
      std::vector<float> expected(x.size());
      table.apply(c.step, x.data(), expected.data(), x.size());
      for (float other : others) {
        for (size_t first : {0, 1, 2}) {
          std::vector<float> mixed = x;
          for (size_t i = first; i < mixed.size(); i += 3) mixed[i] = other;
          table.apply(c.step, mixed.data(), mixed.data(), mixed.size());
          for (size_t i = 0; i < x.size(); ++i) {
            if (i % 3 == first) continue;
            EXPECT_EQ(std::memcmp(&mixed[i], &expected[i], sizeof(float)), 0)
                << name_of(isa) << ' ' << c.name << ' ' << x[i] << " beside " << other;
          }
        }
      }
    }
  }
}

TEST(UnaryKernels, TanhAndErfEndAtOne) {
  for (Isa isa : tested_isas()) {
    for (const auto& [kind, end] : {std::pair(UnaryKind::kTanh, 9.1f), std::pair(UnaryKind::kErf, 4.0f)}) {
      std::vector<float> x;
      for (float a = end / 2; a < end + 1; a = std::nextafter(a, 100.0f) + 1e-6f) x.push_back(a);
      for (float a : {1e10f, std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()}) x.push_back(a);
      const size_t count = x.size();
      for (size_t i = 0; i < count; ++i) x.push_back(-x[i]);
      std::vector<float> y(x.size());
      unary_table(isa).apply({kind}, x.data(), y.data(), x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_LE(std::abs(y[i]), 1.0f) << name_of(isa) << ' ' << x[i];
        ASSERT_EQ(std::signbit(y[i]), std::signbit(x[i]));
        if (std::abs(x[i]) >= end) {
          ASSERT_EQ(std::abs(y[i]), 1.0f) << name_of(isa) << ' ' << x[i];
        }
      }
    }
  }
}

TEST(UnaryKernels, ChainEqualsSteps) {
  const UnaryStep steps[] = {
      {UnaryKind::kScaleShift, 1.5f, -0.25f}, {UnaryKind::kTanh}, {UnaryKind::kClip, -0.5f, 0.75f}};
  for (Isa isa : tested_isas()) {
    const UnaryFunctions& table = unary_table(isa);
    for (size_t size : tested_sizes()) {
      std::vector<float> x = random_floats(size, 2);
      std::vector<float> expected = x;
      for (const UnaryStep& step : steps) table.apply(step, expected.data(), expected.data(), size);
      std::vector<float> y(size + 1, 77.0f);
      table.chain(steps, 3, x.data(), y.data(), size);
      EXPECT_EQ(y.back(), 77.0f);
      y.pop_back();
      EXPECT_EQ(y, expected) << size;
      table.chain(steps, 3, x.data(), x.data(), size);
      EXPECT_EQ(x, expected) << size;
      y.assign(size, 0);
      table.chain(nullptr, 0, x.data(), y.data(), size);
      EXPECT_EQ(y, x);
    }
  }
}

}  // namespace
}  // namespace coracle::internal::cpu
