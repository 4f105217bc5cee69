// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantize/accuracy.h"
#include "quantize/activations.h"
#include "quantize/options.h"
#include "quantize/precision_choice.h"
#include "quantize/rewrite.h"

namespace coracle::internal::quantize {

/// What is said of a layer.
struct LayerReport {
  std::string name;
  std::string type;
  std::string weights;
  std::string method;                    ///< that the range of its operand is by
  std::string kept;                      ///< why it stays in float32; empty: it is quantised
  double range = 0;                      ///< of its operand
  double operand_ratio = 0;              ///< signal to noise of the rounded operand in decibels
  double weights_ratio = 0;              ///< and of the rounded weights
  const ValueCounts* counts = nullptr;   ///< of its operand, where it was looked at
  bool tried = false;                    ///< whether its weights were rounded
  std::string stored = {};               ///< what they became: int8, int4 or float16
  std::string precision = {};            ///< with type auto: what it computes in
  std::string reason = {};               ///< and why
  std::optional<LayerCosts> costs = {};  ///< and what each precision costs
};

/// A model that is written with some of its layers quantised.
class Trial {
 public:
  /// Operands and weights as integers. `activations` must outlive it.
  Trial(Program program, ParameterMap parameters, std::vector<Layer> layers, const Activations& activations,
        const Options& options);
  /// Weights alone, as int8, in four bits where kernels have them and else int8, or as float16.
  Trial(Program program, ParameterMap parameters, std::vector<Layer> layers, Precision precision);

  /// Layers that can be quantised.
  size_t count() const { return candidates_.size(); }
  std::vector<size_t> all() const;
  /// The number of such a layer among those that were found.
  size_t layer_of(size_t candidate) const { return candidates_[candidate].layer; }
  /// The variables of their results.
  std::vector<std::string> names() const;
  /// Numbers of layers by the operand that they share.
  std::vector<std::vector<size_t>> operands() const;
  /// The range of these layers' operands; kMinMax before.
  void use(const std::vector<size_t>& layers, RangeMethod method);
  /// Whether sums with operands of layers read them rounded; not before.
  void round_residuals(bool rounds) { rounds_residuals_ = rounds; }
  bool rounds_residuals() const { return rounds_residuals_; }
  /// How many of them there are with these layers quantised.
  size_t residuals(const std::vector<size_t>& quantized) const { return residuals_of(quantized).size(); }
  /// `quantized`: numbers of layers below `count`.
  ModelBytes model(const std::vector<size_t>& quantized) const;
  std::vector<LayerReport> layers(const std::vector<size_t>& quantized) const;
  size_t parameter_bytes() const;

 private:
  std::vector<Residual> residuals_of(const std::vector<size_t>& quantized) const;

  struct Candidate {
    size_t layer;
    RangeMethod method;
    std::array<double, std::size(kRangeMethods)> ranges;  ///< by method
    const ValueCounts* counts;                            ///< of its operand; null: it stays as it is
    StoredWeights weights;

    double range() const { return ranges[static_cast<size_t>(method)]; }
  };
  Program program_;
  ParameterMap parameters_;
  std::vector<Layer> layers_;
  std::vector<Candidate> candidates_;
  std::vector<Residual> residuals_;
  bool rounds_residuals_ = false;
};

/// What the original model answers for sets of inputs, and how to ask others; of whoever quantises it.
class Answers {
 public:
  virtual ~Answers() = default;
  /// How near another model's answers are, for the first `sets` sets.
  virtual std::vector<OutputAccuracy> compare(const ModelBytes& model, size_t sets) const = 0;
  virtual size_t sets() const = 0;
};

/// Has each operand use the method by which the answers are nearest with its layers alone quantised, or all of them the
/// same one where those answers are nearer with all layers quantised.
void choose_methods(Trial& trial, const Answers& original, const std::function<void(size_t, size_t)>& tell);

struct Decision {
  std::vector<size_t> quantized;
  std::vector<OutputAccuracy> accuracy;
};

/// Whether answers are within all bounds of `options`.
bool near_enough(const Options& options, const std::vector<OutputAccuracy>& outputs);

/// Quantises all layers; where answers are further away than `options` allow, finds by bisection how many of the layers
/// that alone do the most harm have to stay.
Decision decide(const Trial& trial, const Answers& original, const Options& options,
                const std::function<void(size_t, size_t)>& tell);

}  // namespace coracle::internal::quantize
