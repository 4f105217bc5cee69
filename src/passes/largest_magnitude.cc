// SPDX-License-Identifier: Apache-2.0
#include "passes/largest_magnitude.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/conv_pool/pool2d.h"
#include "ops/quantize/integer_conv2d.h"
#include "ops/quantize/integer_linear.h"
#include "passes/activation_step.h"
#include "passes/reorders.h"

namespace coracle::internal {
namespace {

/// So far below the largest float32 that nothing that is added or rounded on the way matters.
constexpr double kMostProven = 1e30;
/// Values and steps that a proof may take.
constexpr int kMostSteps = 256;

constexpr double kLargestFloat = std::numeric_limits<float>::max();
constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// Bounds of values; kUnbounded where there is none.
class Magnitudes {
 public:
  explicit Magnitudes(const Graph& graph) : graph_(graph) {}

  double of(ValueId id) {
    const Value& value = graph_.value(id);
    if (--steps_left_ < 0 || value.fact.dtype != DType::kFloat32) return kUnbounded;
    if (value.is_constant()) return of_constant(*value.fact.value);
    if (value.producer == kNoNode) return kUnbounded;
    const Node& node = graph_.node(value.producer);
    if (const auto* linear = node.op.as<IntegerLinear>()) return of_product(node, *linear);
    if (const auto* conv = node.op.as<IntegerConv2d>()) return of_product(node, *conv);
    if (const auto step = activation_step(graph_, node)) return proven(after(*step, of(node.input(0)), kNoValue));
    const auto* pool = node.op.as<Pool2d>();
    const bool pools_maxima = pool != nullptr && pool->pooling_type == PoolingType::kMax;
    if (!reorders(node) && !pools_maxima) return kUnbounded;
    double most = pools_maxima ? kLargestFloat : 0;  // of a window that is not in the image it is the lowest float32
    for (int i = 0; i < node.input_counts[0]; ++i) most = std::max(most, of(node.input(0, i)));
    return most;
  }

 private:
  static double of_constant(const Tensor& t) {
    const float* elements = t.data<float>();
    double most = 0;
    for (int64_t i = 0; i < t.count(); ++i) {
      if (!std::isfinite(elements[i])) return kUnbounded;
      most = std::max(most, std::fabs(static_cast<double>(elements[i])));
    }
    return most;
  }

  double of_product(const Node& node, const IntegerProduct& product) {
    double most = 0x1p31;  // of the sums
    int tensor = 0;
    for (const EpilogueStep& step : product.epilogue) {
      most = proven(after(step, most, takes_tensor(step.kind) ? node.input(2, tensor++) : kNoValue));
      if (most == kUnbounded) break;
    }
    return most;
  }

  /// A bound that is below the limit, or none.
  static double proven(double most) { return most <= kMostProven ? most : kUnbounded; }

  /// The bound behind a step for numbers up to `most`; NaN counts as none. What is computed on the way has to stay
  /// below the limit, too.
  double after(const EpilogueStep& step, double most, ValueId tensor) {
    const double a = step.a;
    const double b = step.b;
    const double linear = std::fabs(a) * most + std::fabs(b);
    const auto if_proven = [](double on_the_way, double result) {
      return proven(on_the_way) < kUnbounded ? result : kUnbounded;
    };
    switch (step.kind) {
      case EpilogueKind::kAddChannel:
      case EpilogueKind::kAddTensor: return most + of(tensor);
      case EpilogueKind::kMultiplyChannel:
      case EpilogueKind::kMultiplyTensor: return most * of(tensor);
      case EpilogueKind::kAddIntegers: return most + 128 * std::fabs(a);
      case EpilogueKind::kRelu:
      case EpilogueKind::kAbs: return most;
      case EpilogueKind::kClip: return std::isnan(a + b) ? kUnbounded : std::max({most, a, -b});
      case EpilogueKind::kLeakyRelu: return most + linear;
      case EpilogueKind::kHardSigmoid: return if_proven(linear, 1);
      case EpilogueKind::kHardSwish: {
        const double inverse = 1 / std::fabs(static_cast<double>(step.c));
        const double product = most * std::max(std::fabs(b), most + std::fabs(a));
        return if_proven(product + inverse, product * inverse);
      }
      case EpilogueKind::kSwish: return if_proven(linear, most);
      case EpilogueKind::kSigmoid:
      case EpilogueKind::kTanh: return if_proven(most, 1);
      case EpilogueKind::kScaleShift: return linear;
      default: return kUnbounded;
    }
  }

  const Graph& graph_;
  int steps_left_ = kMostSteps;
};

}  // namespace

std::optional<double> largest_magnitude(const Graph& graph, ValueId value) {
  const double most = Magnitudes(graph).of(value);
  return most < kUnbounded ? std::optional(most) : std::nullopt;
}

}  // namespace coracle::internal
