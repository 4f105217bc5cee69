// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Which precision each layer of a model has, given what each one costs. Nothing here runs a model.
namespace coracle::internal::quantize {

/// What a layer computes in, the least exact first.
enum class LayerPrecision : uint8_t { kInt8, kBf16, kFloat32 };
inline constexpr LayerPrecision kLayerPrecisions[] = {LayerPrecision::kInt8, LayerPrecision::kBf16,
                                                      LayerPrecision::kFloat32};

/// "int8", "bf16", "float32"
const char* text_of(LayerPrecision precision);

/// What a layer costs in one precision.
struct PrecisionCost {
  double time = 0;   ///< of the steps that are other ones because of it, in milliseconds
  double error = 0;  ///< of the answers with this layer alone in it; 0 in float32
};

/// The costs of a layer by precision; none where it cannot have that.
struct LayerCosts {
  std::array<std::optional<PrecisionCost>, std::size(kLayerPrecisions)> by_precision;

  const std::optional<PrecisionCost>& in(LayerPrecision p) const { return by_precision[static_cast<size_t>(p)]; }
  std::optional<PrecisionCost>& in(LayerPrecision p) { return by_precision[static_cast<size_t>(p)]; }
};

/// By layer.
using PrecisionTable = std::vector<LayerCosts>;
using LayerPrecisions = std::vector<LayerPrecision>;

/// A more exact precision counts as faster where it takes so much less time: below that it is noise of the clock, and
/// fewer bits take less memory.
inline constexpr double kLeastTimeSaved = 0.03;

/// The fastest precision of each layer. Each has one at least.
LayerPrecisions fastest_precisions(const PrecisionTable& table);

/// A layer gets a more exact precision.
struct Exchange {
  size_t layer = 0;
  LayerPrecision from = LayerPrecision::kInt8;
  LayerPrecision to = LayerPrecision::kFloat32;
  double time = 0;    ///< that is lost, in milliseconds; may be negative
  double square = 0;  ///< of errors that goes: squares of errors of layers add up where these are independent
};

/// All that can be had from `start` on, those with the largest `square` by `time` first. Of a layer each begins where
/// the one before ended.
std::vector<Exchange> exchanges_from(const LayerPrecisions& start, const PrecisionTable& table);

/// What a whole model answers with these precisions.
struct Verdict {
  bool near_enough = false;
  double error = 0;
};
using Judge = std::function<Verdict(const LayerPrecisions&)>;

struct PrecisionChoice {
  LayerPrecisions precisions;
  Verdict verdict;  ///< not near enough: no choice is, this one is the nearest that was tried
};

/// The fastest precisions; where these are not near enough, with as many exchanges, in their order, as that takes, less
/// those that turn out not to be needed, the ones that lose most time first. It follows from the table and the
/// verdicts alone.
PrecisionChoice choose_precisions(const PrecisionTable& table, const Judge& judge);

/// The sum of the times of all layers.
double time_with(const LayerPrecisions& precisions, const PrecisionTable& table);

}  // namespace coracle::internal::quantize
