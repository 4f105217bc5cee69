// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "ops/common/data_format.h"
#include "ops/movement/movement.h"
#include "ops/norm/normalization.h"

namespace coracle::internal {

/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias, all per channel. With trainable_statistics and without
/// use_global_stats, mean and variance are those of x itself.
struct BatchNorm {
  static constexpr const char* kName = "batch_norm";
  static constexpr const char* kLegacy[] = {"batch_norm"};
  static constexpr Port kInputs[] = {in("x", "X"), weight_in("mean", "Mean"), weight_in("variance", "Variance"),
                                     optional_weight_in("scale", "Scale"), optional_weight_in("bias", "Bias")};
  static constexpr Port kOutputs[] = {out("out", "Y"),
                                      optional_out("mean_out", "MeanOut"),
                                      optional_out("variance_out", "VarianceOut"),
                                      optional_out("saved_mean", "SavedMean"),
                                      optional_out("saved_variance", "SavedVariance"),
                                      optional_out("reserve_space", "ReserveSpace")};
  static constexpr LodRule kLod = LodRule::kFirst;
  double epsilon = 1e-5;
  DataFormat data_format = DataFormat::kNchw;
  bool use_global_stats = false;
  bool trainable_statistics = false;
  void attributes(AttributeVisitor& visit) {
    visit("epsilon", epsilon);
    visit("data_format", data_format, "data_layout");
    visit("use_global_stats", use_global_stats);
    visit("trainable_statistics", trainable_statistics);
  }
  bool uses_batch() const { return trainable_statistics && !use_global_stats; }
  friend bool operator==(const BatchNorm&, const BatchNorm&) = default;
};

inline void infer(const BatchNorm& op, InferArgs& a) {
  const Shape& x = a.shape(0);
  a.set(0, a.dtype(0), x);
  require(is_float(a.dtype(0)), "x is ", a.dtype(0), ", expected a real type");
  if (x.rank_known()) {
    require(x.rank() >= 2 && x.rank() <= 5, "x ", x, " has ", x.rank(), " dimensions, expected 2 to 5");
    const int64_t channels = x[channel_axis(op.data_format, x.rank())];
    constexpr std::string_view kNames[] = {"", "mean", "variance", "scale", "bias"};
    for (int port = 1; port <= 4; ++port) check_channels(a, port, channels, kNames[port]);
  }
  for (int port : {1, 3}) a.set(port, a.dtype(1), a.shape(1));
  for (int port : {2, 4}) a.set(port, a.dtype(2), a.shape(2));
  a.set(5, DType::kUint8, Shape{0});
}

/// batch_norm with known statistics is x * factor + shift.
struct ChannelAffine {
  float factor;
  float shift;
};

/// What RSQRTSS of Intel's processors gives for a positive normal x: 1 / sqrt of the middle of those numbers that share
/// the exponent and the first 10 bits of the fraction, rounded to 12 bits.
inline float estimate_of_inverse_root(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const int halvings = (static_cast<int>(bits >> 23U) - 127) >> 1U;  // so that 1 <= x / 4^halvings < 4
  const double first = std::bit_cast<float>(bits & ~0x1FFFU);
  const double last = std::bit_cast<float>(bits | 0x1FFFU);
  const double middle = std::ldexp((first + last) / 2, -2 * halvings);
  return std::ldexp(static_cast<float>(std::floor(0x1p13 / std::sqrt(middle) + 0.5)), -13 - halvings);
}

/// 1 / sqrt(x) as Paddle computes it on x86 for channels that fill a vector: an estimate and one step of Newton's
/// method, up to two steps of single precision off. On all processors the same bits.
inline float estimated_inverse_root(float x) {
  if (!std::isnormal(x) || x < 0) return 1.0F / std::sqrt(x);
  const float estimate = estimate_of_inverse_root(x);
  const float root = x * (estimate * (x * -0.5F * (estimate * estimate) + 1.5F));
  return std::isnormal(root) ? 1.0F / root : 1.0F / std::sqrt(x);
}

/// Of one of `channels` channels. In the precision and order in which models were calibrated: behind a batch_norm
/// simulated integers sit on the edge between two steps often enough for it to matter.
inline ChannelAffine batch_norm_affine(const BatchNorm& op, int64_t channel, int64_t channels, float mean,
                                       float variance, float scale, float bias) {
  constexpr int64_t kVector = 8;
  const float x = variance + static_cast<float>(op.epsilon);
  const float inverse = channel < channels / kVector * kVector ? estimated_inverse_root(x) : 1.0F / std::sqrt(x);
  return {inverse * scale, bias - mean * inverse * scale};
}

inline void reference(const BatchNorm& op, ReferenceArgs& a) {
  const Tensor x = to_channels_first(a.context(), a.in(0), op.data_format);
  Tensor y = channels_first_like(a.context(), a.out(0), op.data_format);
  const int64_t channels = x.shape()[1];
  const int64_t inner = x.shape().count(2, x.shape().rank());
  Floats mean = numbers_or(a, 1, channels, 0);
  Floats variance = numbers_or(a, 2, channels, 1);
  const Floats scale = numbers_or(a, 3, channels, 1);
  const Floats bias = numbers_or(a, 4, channels, 0);
  visit_float(x.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    for (int64_t c = 0; c < channels; ++c) {
      const auto i = static_cast<size_t>(c);
      if (op.uses_batch()) {
        std::vector<T> all;
        for (int64_t n = 0; n < x.shape()[0]; ++n) {
          const T* row = x.data<T>() + (n * channels + c) * inner;
          all.insert(all.end(), row, row + inner);
        }
        const Moments m = moments_of(all.data(), static_cast<int64_t>(all.size()));
        mean[i] = m.mean;
        variance[i] = m.variance;
      }
      const double factor = scale[i] / std::sqrt(variance[i] + op.epsilon);
      for (int64_t n = 0; n < x.shape()[0]; ++n) {
        const T* from = x.data<T>() + (n * channels + c) * inner;
        T* to = y.data<T>() + (n * channels + c) * inner;
        for (int64_t k = 0; k < inner; ++k) {
          to[k] = static_cast<T>((static_cast<double>(from[k]) - mean[i]) * factor + bias[i]);
        }
      }
    }
  });
  store_channels_first(y, op.data_format, a.out(0));
  for (int port = 1; port <= 4; ++port) {
    const Tensor& from = a.in(port % 2 == 1 ? 1 : 2);
    if (a.wants(port)) copy_tensor(a.context(), from, a.out(port));
  }
}

inline constexpr const OpSchema* batch_norm_op = &kOpSchema<BatchNorm>;

}  // namespace coracle::internal
