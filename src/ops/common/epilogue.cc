// SPDX-License-Identifier: Apache-2.0
#include "ops/common/epilogue.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/buffer.h"
#include "base/counted.h"
#include "ops/common/binary.h"

namespace coracle::internal {
namespace {

constexpr std::string_view kNames[] = {"add_channel",
                                       "multiply_channel",
                                       "add_tensor",
                                       "multiply_tensor",
                                       "add_integers",
#define CORACLE_FUNCTION(name, text) text,
                                       CORACLE_EPILOGUE_FUNCTIONS(CORACLE_FUNCTION)
#undef CORACLE_FUNCTION
};

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// A step without a tensor on one element.
double apply(const EpilogueStep& s, double x) {
  const double a = s.a;
  const double b = s.b;
  switch (s.kind) {
    case EpilogueKind::kAddChannel:
    case EpilogueKind::kMultiplyChannel:
    case EpilogueKind::kAddTensor:
    case EpilogueKind::kMultiplyTensor:
    case EpilogueKind::kAddIntegers: return x;  // has a tensor
    case EpilogueKind::kRelu: return x > 0 ? x : 0.0;
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
  }
  return x;
}

struct Values {
  Buffer<double> values;
  Shape shape;
};

/// The steps, each followed by `rounded`.
template <class Round>
Values after_steps(const Epilogue& op, const ReferenceArgs& a, const Tensor& product, int port, int channel_axis,
                   const Round& rounded) {
  Buffer<double> values = doubles_of(a.context(), product);
  Shape shape = product.shape();
  int next = 0;
  for (const EpilogueStep& s : op.epilogue) {
    if (!takes_tensor(s.kind)) {
      for (double& v : values) v = rounded(apply(s, v));
      continue;
    }
    Buffer<double> t = a.doubles(port, next);
    const Shape& t_shape = a.shape(port, next++);
    const bool integers = s.kind == EpilogueKind::kAddIntegers;
    if (integers) {
      for (double& v : t) v = rounded(static_cast<double>(s.a) * v);
    }
    const bool adds = integers || s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kAddTensor;
    if (s.kind == EpilogueKind::kAddChannel || s.kind == EpilogueKind::kMultiplyChannel) {
      const int axis = normalize_axis(channel_axis, shape.rank());
      const auto inner = static_cast<size_t>(shape.count(axis + 1, shape.rank()));
      for (size_t i = 0; i < values.size(); ++i) {
        const double by = t[i / inner % t.size()];
        values[i] = rounded(adds ? values[i] + by : values[i] * by);
      }
      continue;
    }
    const Shape out = broadcast(shape, t_shape);
    Buffer<double> wider(static_cast<size_t>(out.count()), a.context());
    BroadcastWalk(out, shape, t_shape).each(a.context(), [&](int64_t i, int64_t v, int64_t by) {
      const double x = values[static_cast<size_t>(v)];
      const double y = t[static_cast<size_t>(by)];
      wider[static_cast<size_t>(i)] = rounded(adds ? x + y : x * y);
    });
    values = std::move(wider);
    shape = out;
  }
  return {std::move(values), shape};
}

}  // namespace

std::string_view operator_of(EpilogueKind step) {
  switch (step) {
    case EpilogueKind::kAddChannel:
    case EpilogueKind::kAddTensor:
    case EpilogueKind::kAddIntegers: return "add";
    case EpilogueKind::kMultiplyChannel:
    case EpilogueKind::kMultiplyTensor: return "multiply";
    default: return name_of(unary_kind(step));
  }
}

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
    const std::string_view* found = std::find(std::begin(kNames), std::end(kNames), kinds[i]);
    require(found != std::end(kNames), "epilogue step '", kinds[i], "' does not exist");
    const auto number = [&](size_t k) {
      return 3 * i + k < numbers.size() ? static_cast<float>(numbers[3 * i + k]) : 0.0F;
    };
    epilogue.push_back({static_cast<EpilogueKind>(found - kNames), number(0), number(1), number(2)});
  }
}

void infer_epilogue(const Epilogue& op, InferArgs& a, int port, int channel_axis) {
  Shape& result = a.out(0).shape;
  int next = 0;
  for (const EpilogueStep& s : op.epilogue) {
    if (!takes_tensor(s.kind)) continue;
    require(next < a.count(port), "the epilogue needs more tensors than the ", a.count(port), " given");
    const Shape& t = a.shape(port, next++);
    const bool integers = s.kind == EpilogueKind::kAddIntegers;
    require(!integers || a.dtype(0) == DType::kInt8, "an epilogue adds integers to a product of ", a.dtype(0),
            ", expected one of int8");
    if (integers || s.kind == EpilogueKind::kAddTensor || s.kind == EpilogueKind::kMultiplyTensor) {
      result = broadcast(result, t);
    } else if (result.rank_known() && t.known()) {
      const int axis = normalize_axis(channel_axis, result.rank());
      require(result[axis] < 0 || t.count() == result[axis], "an epilogue tensor has ", counted(t.count(), "element"),
              ", expected ", result[axis]);
    }
  }
  require(next == a.count(port), "the epilogue takes ", counted(next, "tensor"), ", given ", a.count(port));
}

void reference_epilogue(const Epilogue& op, ReferenceArgs& a, const Tensor& product, int port, int channel_axis) {
  a.out(0).assign(a.context(), after_steps(op, a, product, port, channel_axis, [](double v) { return v; }).values);
}

Tensor epilogue_in_float(const Epilogue& op, const ReferenceArgs& a, const Tensor& product, int port,
                         int channel_axis) {
  // A sum or product of two float32 numbers, rounded to double and then to float32, is what one rounding gives.
  const Values result = after_steps(op, a, product, port, channel_axis,
                                    [](double v) { return static_cast<double>(static_cast<float>(v)); });
  Tensor out = a.make(DType::kFloat32, result.shape);
  out.assign(a.context(), result.values);
  return out;
}

}  // namespace coracle::internal
