// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "quantize/auto_precision.h"
#include "quantize/scaling_trial.h"
#include "quantize/trial.h"

namespace coracle::internal::quantize {

/// What came of quantising a model.
struct Report {
  std::string output;
  std::string method;  ///< of ranges; empty where operands stay as they are
  Precision precision = Precision::kIntegers;
  size_t sets = 0;       ///< of inputs
  size_t seen = 0;       ///< of them, those that ranges are of
  size_t held_back = 0;  ///< those that answers were compared for
  std::vector<OutputAccuracy> outputs;
  ScalingOutcome scaling;
  size_t residuals = 0;                  ///< sums that read an operand of a layer
  bool rounds_residuals = false;         ///< whether they read it rounded
  std::optional<AutoOutcome> automatic;  ///< of type auto
  std::vector<LayerReport> layers;       ///< products and convolutions with constant weights
  size_t original_bytes = 0;
  size_t quantized_bytes = 0;

  /// Layers that became other than they were.
  size_t changed_layers() const;
  /// Of them, those with weights stored as `dtype`.
  size_t layers_of_dtype() const;
  /// "int8", or what else weights are stored as; with "int4" some of them are "int8".
  const char* dtype() const {
    return precision == Precision::kHalfWeights ? "float16" : precision == Precision::kFourBitWeights ? "int4" : "int8";
  }
};

/// "38.2 dB", or "exact" without noise.
std::string decibels(double ratio);

/// What came of scaling, in a sentence without a full stop; empty where it was not tried.
std::string text_of(const ScalingOutcome& scaling);
/// The same of residuals; empty where there are none.
std::string residuals_of(const Report& report);
/// What type auto came to, in sentences: precisions, error and bound, times. Empty for other types.
std::string choice_of(const Report& report);
/// Milliseconds, "-" where there is no such time.
std::string milliseconds(const LayerReport& layer, LayerPrecision precision);
/// Of the answers with this layer alone in int8.
std::string error_of(const LayerReport& layer);
std::string text_of(const Report& report);
std::string json_of(const Report& report);
/// A page of HTML that loads nothing.
std::string page_of(const Report& report);

}  // namespace coracle::internal::quantize
