// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "devices/gpu/launch_plan.h"
#include "ops/elementwise/sum.h"
#include "ops/reduce/amax.h"
#include "ops/reduce/amin.h"
#include "ops/reduce/frobenius_norm.h"
#include "ops/reduce/max.h"
#include "ops/reduce/mean.h"
#include "ops/reduce/mean_all.h"
#include "ops/reduce/min.h"
#include "ops/reduce/prod.h"
#include "ops/reduce/reduction.h"

namespace coracle::internal::gpu::kernels::reduce {
namespace {

/// How elements are joined: v is the value so far, x_at the next element, a and b the values of two lanes.
struct Formula {
  const OpSchema* op;
  const char* first;
  const char* step;
  const char* join;
  const char* last = "v";
};

template <class Op>
constexpr Formula formula(const char* first, const char* step, const char* join, const char* last = "v") {
  return {&kOpSchema<Op>, first, step, join, last};
}

constexpr const char* kGreater = "v!=v?v:(x_at!=x_at?x_at:(v<x_at?x_at:v))";
constexpr const char* kGreaterLane = "a!=a?a:(b!=b?b:(a<b?b:a))";
constexpr const char* kLess = "v!=v?v:(x_at!=x_at?x_at:(x_at<v?x_at:v))";
constexpr const char* kLessLane = "a!=a?a:(b!=b?b:(b<a?b:a))";

constexpr Formula kFormulas[] = {
    formula<Sum>("0", "v+x_at", "a+b"),
    formula<Mean>("0", "v+x_at", "a+b", "v/(float)length"),
    formula<MeanAll>("0", "v+x_at", "a+b", "v/(float)length"),
    formula<Prod>("1", "v*x_at", "a*b"),
    formula<Max>("-INFINITY_F", kGreater, kGreaterLane),
    formula<Amax>("-INFINITY_F", kGreater, kGreaterLane),
    formula<Min>("INFINITY_F", kLess, kLessLane),
    formula<Amin>("INFINITY_F", kLess, kLessLane),
    formula<FrobeniusNorm>("0", "v+x_at*x_at", "a+b", "MATH(sqrt)(v)"),
};

/// Which dimensions are reduced; nothing where that is not known while planning.
std::optional<std::vector<bool>> reduced_of(const ReductionAttributes& op, const ArgFacts& args) {
  return reduced_dimensions(op.axis, op.reduce_all, args.shape(0).rank());
}
std::optional<std::vector<bool>> reduced_of(const OperandReduction& op, const ArgFacts& args) {
  const Tensor* axis = known_value(args, 1);
  if (args.has(1) && axis == nullptr) return std::nullopt;
  return reduced_dimensions(axis == nullptr ? Ints{} : axis->integers(), op.reduce_all, args.shape(0).rank());
}
std::optional<std::vector<bool>> reduced_of(const MeanAll&, const ArgFacts& args) {
  return std::vector<bool>(static_cast<size_t>(args.shape(0).rank()), true);
}

template <class Op>
RejectionReason fits(const void* op, const ArgFacts& args) {
  if (!reduced_of(*static_cast<const Op*>(op), args)) return "the axes are not constant";
  return too_large(args);
}

/// Dimensions of x of one kind, innermost first, neighbours joined: sizes and steps as parameters of reduce.cl.
std::vector<Parameter> axes_of(const Shape& x, const std::vector<bool>& reduced, bool kind) {
  std::vector<int64_t> size;
  std::vector<int64_t> step;
  int64_t next = 1;
  bool joins = false;
  for (int d = x.rank(); d-- > 0; next *= x[d]) {
    if (x[d] == 1) continue;
    if (reduced[static_cast<size_t>(d)] != kind) {
      joins = false;
      continue;
    }
    if (joins) {
      size.back() *= x[d];
    } else {
      size.push_back(x[d]);
      step.push_back(next);
    }
    joins = true;
  }
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < size.size(); ++i) {
    parameters.push_back(Parameter::of(size[i]));
    parameters.push_back(Parameter::of(step[i]));
  }
  return parameters;
}

Prepared prepare_reduction(const Formula& f, const std::vector<bool>& reduced, const ArgFacts& args,
                           PrepareContext& context) {
  const int64_t lines = args.out().shape.count();
  if (lines == 0) return prepared({});
  const int64_t length = args.shape(0).count() / lines;
  const int lanes = lanes_for(length);
  PlannedLaunch l;
  l.grid = grid_of_lines(lines, lanes);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::of(lines), Parameter::of(length)};
  Definitions d;
  d.set_stored(args.out().dtype).set("LANES", lanes);
  d.set("FIRST", f.first).set("STEP", f.step).set("JOIN", f.join).set("LAST", f.last);
  for (bool kind : {false, true}) {
    const std::vector<Parameter> axes = axes_of(args.shape(0), reduced, kind);
    d.set_each(kind ? "REDUCED" : "KEPT", 0, static_cast<int>(axes.size() / 2));
    l.parameters.insert(l.parameters.end(), axes.begin(), axes.end());
  }
  l.function = compile(*context.device, "reduce", d);
  return prepared({std::move(l)});
}

template <class Op>
Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  const Formula& f = *std::find_if(std::begin(kFormulas), std::end(kFormulas),
                                   [](const Formula& g) { return g.op == &kOpSchema<Op>; });
  return prepare_reduction(f, *reduced_of(*static_cast<const Op*>(op), args), args, context);
}

template <class... Ops>
constexpr std::array<KernelDef, sizeof...(Ops)> kernels_of() {
  return {KernelDef{.name = Ops::kName,
                    .op = &kOpSchema<Ops>,
                    .types = kFloatRule,
                    .fits = fits<Ops>,
                    .prepare = prepare<Ops>,
                    .run = run_plan}...};
}

constexpr auto kKernels = kernels_of<Sum, Mean, MeanAll, Prod, Max, Amax, Min, Amin, FrobeniusNorm>();

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::reduce
