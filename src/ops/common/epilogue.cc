// SPDX-License-Identifier: Apache-2.0
#include "ops/common/epilogue.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace coracle {
namespace {

constexpr std::array<std::string_view, 22> kNames{
    "add_channel", "multiply_channel", "add_tensor", "multiply_tensor", "relu",   "clip",     "leaky_relu", "hardsigmoid",
    "hardswish",   "sigmoid",          "swish",      "tanh",            "gelu",   "gelu_tanh", "elu",       "softplus",
    "mish",        "abs",              "square",     "sqrt",            "exp",    "scale_shift"};

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// A step without a tensor on one element.
double apply(const EpilogueStep& s, double x) {
  const double a = s.a;
  const double b = s.b;
  switch (s.kind) {
    case EpilogueKind::kRelu: return x > 0 || x != x ? x : 0.0;
    case EpilogueKind::kClip: return std::min(std::max(x, a), b);
    case EpilogueKind::kLeakyRelu: return x > 0 ? x : a * x;
    case EpilogueKind::kHardSigmoid: return std::min(std::max(a * x + b, 0.0), 1.0);
    case EpilogueKind::kHardSwish: return x * std::min(std::max(x + a, 0.0), b) / static_cast<double>(s.c);
    case EpilogueKind::kSigmoid: return sigmoid(x);
    case EpilogueKind::kSwish: return x * sigmoid(a * x);
    case EpilogueKind::kTanh: return std::tanh(x);
    case EpilogueKind::kGelu: return 0.5 * x * (1.0 + std::erf(x * 0.70710678118654752440));
    case EpilogueKind::kGeluTanh: {
      const double u = 0.79788456080286535588 * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1.0 + std::tanh(u));
    }
    case EpilogueKind::kElu: return x > 0 ? x : a * std::expm1(x);
    case EpilogueKind::kSoftplus: return a * x > b ? x : std::log1p(std::exp(a * x)) / a;
    case EpilogueKind::kMish: return x * std::tanh(x > 20 ? x : std::log1p(std::exp(x)));
    case EpilogueKind::kAbs: return std::fabs(x);
    case EpilogueKind::kSquare: return x * x;
    case EpilogueKind::kSqrt: return std::sqrt(x);
    case EpilogueKind::kExp: return std::exp(x);
    case EpilogueKind::kScaleShift: return a * x + b;
    default: return x;
  }
}

}  // namespace

std::span<const std::string_view> names_of(EpilogueKind) { return kNames; }

void Epilogue::attributes(AttributeVisitor& visit) {
  Strings kinds;
  Floats numbers;
  for (const EpilogueStep& s : epilogue) {
    kinds.emplace_back(kNames[static_cast<size_t>(s.kind)]);
    numbers.insert(numbers.end(), {s.a, s.b, s.c});
  }
  visit("epilogue", kinds);
  visit("epilogue_numbers", numbers);
  epilogue.clear();
  for (size_t i = 0; i < kinds.size(); ++i) {
    const auto* found = std::find(kNames.begin(), kNames.end(), kinds[i]);
    require(found != kNames.end(), "epilogue step '", kinds[i], "' does not exist");
    const auto number = [&](size_t k) {
      return 3 * i + k < numbers.size() ? static_cast<float>(numbers[3 * i + k]) : 0.0F;
    };
    epilogue.push_back({static_cast<EpilogueKind>(found - kNames.begin()), number(0), number(1), number(2)});
  }
}

void infer_epilogue(const Epilogue& op, InferArgs& a, int port, int channel_axis) {
  const Shape& result = a.out(0).shape;
  int next = 0;
  for (const EpilogueStep& s : op.epilogue) {
    if (!takes_tensor(s.kind)) continue;
    require(next < a.count(port), "the epilogue needs more tensors than the ", a.count(port), " given");
    const Shape& t = a.shape(port, next++);
    if (!result.rank_known() || !t.known()) continue;
    if (s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kMultiplyChannel) {
      const int axis = normalize_axis(channel_axis, result.rank());
      require(result[axis] < 0 || t.count() == result[axis], "an epilogue tensor has ", t.count(), " elements, expected ",
              result[axis]);
    } else {
      require(compatible(t, result), "an epilogue tensor has shape ", t, ", expected ", result);
    }
  }
  require(next == a.count(port), "the epilogue takes ", next, " tensors, given ", a.count(port));
}

void reference_epilogue(const Epilogue& op, ReferenceArgs& a, int port, int channel_axis) {
  Tensor& y = a.out(0);
  const int axis = normalize_axis(channel_axis, y.shape().rank());
  const int64_t channels = y.shape()[axis];
  const int64_t inner = y.shape().count(axis + 1, y.shape().rank());
  visit_float(y.dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    T* out = y.data<T>();
    int next = 0;
    for (const EpilogueStep& s : op.epilogue) {
      const T* t = takes_tensor(s.kind) ? a.in(port, next++).data<T>() : nullptr;
      const bool by_channel = s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kMultiplyChannel;
      const bool adds = s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kAddTensor;
      for (int64_t i = 0, n = y.count(); i < n; ++i) {
        const double x = static_cast<double>(out[i]);
        if (t == nullptr) {
          out[i] = static_cast<T>(apply(s, x));
          continue;
        }
        const double by = static_cast<double>(t[by_channel ? i / inner % channels : i]);
        out[i] = static_cast<T>(adds ? x + by : x * by);
      }
    }
  });
}

}  // namespace coracle
