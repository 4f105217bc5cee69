// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <string>

#include "devices/gpu/launch_plan.h"
#include "ops/index/set_value_with_tensor.h"

/// A tensor with others in a slice, whose bounds may be computed, as the decoders of loops do.
namespace coracle::internal::gpu::kernels::set_value {
namespace {

/// Ports of the bounds.
constexpr int kStarts = 2;
constexpr int kEnds = 3;
constexpr int kSteps = 4;

/// Where the slice of x lies, and the values in it.
struct Slices {
  std::vector<int> axes;                                 ///< of x, by slice
  std::vector<bool> dropped;                             ///< by axis of x
  std::array<int64_t, Shape::kMaxRank> value_step = {};  ///< by axis of x; 0: the same for all
  RejectionReason reason = nullptr;

  Slices(const SetValueWithTensor& op, const ArgFacts& args) : dropped(static_cast<size_t>(args.shape(0).rank())) {
    const Shape& x = args.shape(0);
    std::vector<bool> sliced(dropped.size());
    for (const int64_t a : op.axes) {
      axes.push_back(normalize_axis(a, x.rank()));
      if (sliced[static_cast<size_t>(axes.back())]) reason = "an axis is named twice";
      sliced[static_cast<size_t>(axes.back())] = true;
    }
    for (const int64_t a : op.decrease_axes) {
      const int axis = normalize_axis(a, x.rank());
      dropped[static_cast<size_t>(axis)] = true;
      if (!sliced[static_cast<size_t>(axis)] && x[axis] != 1) reason = "an axis that is dropped has no slice";
    }
    // The axes that the values broadcast to, as written_slice has them: those of x, or one more.
    constexpr int kOther = -1;
    std::vector<int> seen;
    size_t inserted = 0;
    for (int i = 0; i <= x.rank(); ++i) {
      while (inserted < op.none_axes.size() && op.none_axes[inserted] <= static_cast<int64_t>(seen.size())) {
        seen.push_back(kOther);
        ++inserted;
      }
      if (i < x.rank() && !dropped[static_cast<size_t>(i)]) seen.push_back(i);
    }
    const ElementWalk values = row_major(args.shape(1));
    for (int d = 0; d < values.rank; ++d) {
      const int64_t to = static_cast<int64_t>(seen.size()) - values.rank + d;
      if (values.size[d] == 1) continue;
      const int axis = to < 0 ? kOther : seen[static_cast<size_t>(to)];
      if (axis == kOther) {
        reason = "values have more dimensions than the slice";
        return;
      }
      value_step[static_cast<size_t>(axis)] = values.step[d];
      const bool is_free = sliced[static_cast<size_t>(axis)] &&
                           !(known_value(args, kStarts) && known_value(args, kEnds) && known_value(args, kSteps));
      if (is_free) reason = "values have many elements along an axis whose slice is not known while planning";
    }
  }
};

bool has_bounds_of_type(const ArgFacts& args, int port) {
  return args.has(port) && kIndexTypes.has(args.in(port).dtype);
}

RejectionReason fits(const void* attributes, const ArgFacts& args) {
  const auto& op = *static_cast<const SetValueWithTensor*>(attributes);
  if (args.in(0).dtype != args.in(1).dtype) return "values of another type";
  for (const int port : {kStarts, kEnds, kSteps}) {
    if (!has_bounds_of_type(args, port)) return "bounds that are no int32 or int64";
    if (args.shape(port).count() != static_cast<int64_t>(op.axes.size())) return "bounds of other axes";
  }
  if (const Slices slices(op, args); slices.reason != nullptr) return slices.reason;
  return too_large(args);
}

/// "f(0,2)f(1,0)"
void set_pairs(Definitions& d, std::string_view name, const std::vector<int>& axes, const std::vector<bool>* chosen) {
  std::string value;
  for (size_t k = 0; k < axes.size(); ++k) {
    if (chosen != nullptr && !(*chosen)[static_cast<size_t>(axes[k])]) continue;
    ((((value += "f(") += std::to_string(k)) += ',') += std::to_string(axes[k])) += ')';
  }
  d.set(std::string(name) + "(f)", value);
}

Prepared prepare(const void* attributes, const ArgFacts& args, PrepareContext& context) {
  const auto& op = *static_cast<const SetValueWithTensor*>(attributes);
  const int64_t count = args.out().shape.count();
  if (count == 0) return prepared({});
  const Slices slices(op, args);
  const ElementWalk all = row_major(args.shape(0));
  Definitions d;
  d.set("TYPE", moved_type(args.in(0).dtype)).set("LEGACY", op.legacy_bounds ? 1 : 0);
  d.set_each("AXES", 0, all.rank);
  set_pairs(d, "SLICED", slices.axes, nullptr);
  set_pairs(d, "DROPPED", slices.axes, &slices.dropped);
  PlannedLaunch l;
  l.grid = grid_of(count);
  l.parameters = {Parameter::result(), Parameter::operand(0), Parameter::operand(1)};
  const auto add_bounds = [&](int port, const char* type, const char* is_there) {
    const bool computed = known_value(args, port) == nullptr;
    d.set(type, storage_type(args.in(port).dtype)).set(is_there, computed ? 1 : 0);
    // A kernel that does not read it gets another tensor of the device.
    l.parameters.push_back(Parameter::operand(computed ? args.index(port) : 0));
  };
  add_bounds(kStarts, "STARTS", "HAS_STARTS");
  add_bounds(kEnds, "ENDS", "HAS_ENDS");
  add_bounds(kSteps, "STEPS", "HAS_STEPS");
  l.parameters.push_back(Parameter::of(count));
  for (int i = 0; i < all.rank; ++i) {
    for (const int64_t n : {all.size[i], all.step[i], slices.value_step[static_cast<size_t>(i)]}) {
      l.parameters.push_back(Parameter::of(n));
    }
  }
  for (size_t k = 0; k < slices.axes.size(); ++k) {
    for (const int port : {kStarts, kEnds, kSteps}) {
      constexpr int64_t kMost = std::numeric_limits<int32_t>::max();  // beyond all sizes
      const Tensor* known = known_value(args, port);
      const int64_t n = known == nullptr ? 1 : known->integer(static_cast<int64_t>(k));
      l.parameters.push_back(Parameter::of(std::clamp(n, -kMost, kMost)));
    }
  }
  l.parameters.push_back(Parameter::faults("starts"));
  l.function = compile(*context.device, "set_value", d);
  Prepared p = prepared({std::move(l)});
  p.in_place = 0;
  return p;
}

constexpr KernelDef kKernels[] = {{.name = SetValueWithTensor::kName,
                                   .op = &kOpSchema<SetValueWithTensor>,
                                   .types = kMovedRule,
                                   .fits = fits,
                                   .prepare = prepare,
                                   .run = run_plan}};

}  // namespace

extern const KernelTable table;
constinit const KernelTable table = {kKernels};

}  // namespace coracle::internal::gpu::kernels::set_value
