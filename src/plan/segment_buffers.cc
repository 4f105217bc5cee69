// SPDX-License-Identifier: Apache-2.0
#include "plan/segment_buffers.h"

#include <algorithm>
#include <iterator>

#include "ops/elementwise/cast.h"
#include "ops/movement/relayout.h"
#include "plan/placement.h"

namespace coracle::internal {
namespace {

void add_item(Step& copies, int from, int to) {
  copies.in.push_back(from);
  copies.out.push_back(to);
  ++copies.in_counts[0];
  ++copies.out_counts[0];
}

Step copy_step(Place place, bool upload) {
  Step step;
  step.op = Copy{};
  step.kernel = &copy_kernel();
  step.place = place;
  step.in_counts = {0};
  step.out_counts = {0};
  step.copy = std::make_shared<CopyPlan>();
  step.copy->upload = upload;
  return step;
}

}  // namespace

SegmentBuffers::SegmentBuffers(const Graph& graph, std::span<const Fact> facts, Steps& steps, Services services)
    : graph_(graph),
      facts_(facts),
      steps_(steps),
      services_(std::move(services)),
      places_(services_.selector->devices().size() + 1),
      found_(graph.value_count() * places_ * 4, -1) {
  for (size_t p = 1; p < places_; ++p) {
    inputs_.push_back(copy_step(Place{static_cast<uint8_t>(p)}, true));
    results_.push_back(copy_step(Place{static_cast<uint8_t>(p)}, false));
  }
}

int SegmentBuffers::add(Fact fact, ValueId value, int alias_of) {
  steps_.buffers.push_back(
      {.fact = std::move(fact), .value = value, .alias_of = alias_of, .slot = {}, .view = nullptr});
  return static_cast<int>(steps_.buffers.size()) - 1;
}

void SegmentBuffers::set(ValueId v, bool upcast, int buffer) {
  const Fact& fact = steps_.buffers[static_cast<size_t>(buffer)].fact;
  found(v, fact.layout, upcast, fact.place) = buffer;
}

// ---- what stands where

int& SegmentBuffers::found(ValueId v, Layout layout, bool upcast, Place place) {
  return found_[(index(v) * places_ + place.device) * 4 + static_cast<size_t>(layout) + (upcast ? 2 : 0)];
}
int SegmentBuffers::found(ValueId v, Layout layout, bool upcast, Place place) const {
  return const_cast<SegmentBuffers*>(this)->found(v, layout, upcast, place);
}

bool SegmentBuffers::stands(ValueId v, bool upcast) const {
  for (size_t p = 0; p < places_; ++p) {
    const Place place{static_cast<uint8_t>(p)};
    if (found(v, Layout::kRowMajor, upcast, place) >= 0 || found(v, Layout::kChannelsLast, upcast, place) >= 0)
      return true;
  }
  return false;
}

bool SegmentBuffers::is_channels_last(ValueId v) const {
  for (size_t p = 0; p < places_; ++p) {
    const Place place{static_cast<uint8_t>(p)};
    if (found(v, Layout::kChannelsLast, false, place) >= 0 || found(v, Layout::kChannelsLast, true, place) >= 0) {
      return !layouts_agree(facts_[index(v)].shape);
    }
  }
  return false;
}

bool SegmentBuffers::stands_at(ValueId v, Place place) const {
  const size_t first = (index(v) * places_ + place.device) * 4;
  return std::any_of(found_.begin() + static_cast<ptrdiff_t>(first), found_.begin() + static_cast<ptrdiff_t>(first) + 4,
                     [](int l) { return l >= 0; });
}

/// A device on which the value stands, or the host.
Place SegmentBuffers::device_of(ValueId v) const {
  for (size_t p = 1; p < places_; ++p) {
    const Place place{static_cast<uint8_t>(p)};
    if (stands_at(v, place)) return place;
  }
  return {};
}

/// The buffer at a place that is nearest to a form, or -1.
int SegmentBuffers::any_at(ValueId v, Place place, Layout layout, bool upcast) const {
  for (const Form form :
       {Form{layout, upcast}, Form{other(layout), upcast}, Form{layout, !upcast}, Form{other(layout), !upcast}}) {
    if (const int l = found(v, form.layout, form.upcast, place); l >= 0) return l;
  }
  return -1;
}

// ---- conversions

const KernelDef* SegmentBuffers::kernel_for(const Step& step, const ArgFacts& args, LayoutRule rule,
                                            Place place) const {
  for (const KernelDef* kernel : services_.selector->kernels(step.op.schema(), place)) {
    if (kernel->layout != rule) continue;
    if (!place.is_host() && !takes(kernel->types, step.op.schema(), step.in_counts, args)) continue;
    if (kernel->rejection(step.op.attributes(), args) == nullptr) return kernel;
  }
  return nullptr;
}

bool SegmentBuffers::has_kernel(const OpSchema& op, LayoutRule rule) const {
  const auto kernels = services_.selector->kernels(op);
  return std::any_of(kernels.begin(), kernels.end(), [&](const KernelDef* k) { return k->layout == rule; });
}

/// -1 if the place has no kernel for it.
int SegmentBuffers::try_conversion(Op op, LayoutRule rule, int from, Fact to) {
  to.value = nullptr;
  Step step;
  step.op = std::move(op);
  step.in = {from};
  step.in_counts = {1};
  step.out_counts = {1};
  step.place = to.place;
  const Fact in = steps_.buffers[static_cast<size_t>(from)].fact;
  const Fact* in_fact = &in;
  const Fact* out_fact = &to;
  const ArgFacts args({&in_fact, 1}, step.in_counts, {&out_fact, 1}, step.out_counts);
  step.kernel = kernel_for(step, args, rule, step.place);
  if (step.kernel == nullptr) return -1;
  services_.prepare(step, args);
  const int made = add(std::move(to), steps_.buffers[static_cast<size_t>(from)].value);
  step.out = {made};
  steps_.steps.push_back(std::move(step));
  return made;
}

int SegmentBuffers::add_conversion(Op op, LayoutRule rule, int from, Fact to) {
  const std::string name = op.name();
  const int made = try_conversion(std::move(op), rule, from, std::move(to));
  require(made >= 0, ErrorCode::kUnsupported, "no kernel for ", name);
  return made;
}

// ---- buffers

int SegmentBuffers::get(ValueId v, Layout layout, bool upcast, Place place) {
  take_given(v);
  if (const int l = found(v, layout, upcast, place); l >= 0) return l;
  if (!place.is_host()) return on_device(v, layout, upcast, place);
  const Place device = device_of(v);
  if (device.is_host() || stands_at(v, place)) return on_host(v, layout, upcast);
  int from = converted(v, layout, upcast, device);
  if (from < 0) from = any_at(v, device, layout, upcast);
  const int l = copied(from, place);
  const Fact& fact = steps_.buffers[static_cast<size_t>(l)].fact;
  set(v, fact.dtype != facts_[index(v)].dtype, l);
  return get(v, layout, upcast, place);
}

/// What the segment gets on a device, as a buffer there.
void SegmentBuffers::take_given(ValueId v) {
  if (services_.given.empty() || services_.given[index(v)].is_host()) return;
  if (facts_[index(v)].value != nullptr || stands(v, false) || stands(v, true)) return;
  Fact fact = facts_[index(v)];
  fact.place = services_.given[index(v)];
  set(v, false, add(std::move(fact), v));
  steps_.buffers.back().slot = {.kind = Slot::Kind::kExternal, .external = v};
}

int SegmentBuffers::on_host(ValueId v, Layout layout, bool upcast) {
  const Place host;
  if (const int from = found(v, other(layout), upcast, host); from >= 0) {
    Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
    fact.layout = layout;
    const int made = layouts_agree(fact.shape) ? add(fact, v, from)
                                               : add_conversion(Relayout{layout}, LayoutRule::kRelayout, from, fact);
    return found(v, layout, upcast, host) = made;
  }
  const bool other_width =
      found(v, Layout::kRowMajor, !upcast, host) >= 0 || found(v, Layout::kChannelsLast, !upcast, host) >= 0;
  if (other_width || (upcast && facts_[index(v)].value == nullptr)) {
    // Cast where it stands: in either layout if there is a kernel for it.
    const bool stands = found(v, layout, !upcast, host) >= 0;
    const Layout at = !has_kernel(kOpSchema<Cast>, LayoutRule::kSame) ? Layout::kRowMajor
                      : stands                                        ? layout
                                                                      : other(layout);
    const int from = get(v, other_width ? at : Layout::kRowMajor, !upcast);
    Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
    fact.dtype = upcast ? DType::kFloat32 : facts_[index(v)].dtype;
    const LayoutRule rule = has_kernel(kOpSchema<Cast>, LayoutRule::kSame) ? LayoutRule::kSame : LayoutRule::kRowMajor;
    const Layout made_in = fact.layout;
    const DType dtype = fact.dtype;
    const int made = add_conversion(Cast{dtype}, rule, from, std::move(fact));
    found(v, made_in, upcast, host) = made;
    return get(v, layout, upcast);
  }
  if (layout != Layout::kRowMajor) {
    get(v, Layout::kRowMajor, upcast);
    return get(v, layout, upcast);
  }
  return original(v, upcast);
}

/// What the segment gets, on the host: an input or a constant.
int SegmentBuffers::original(ValueId v, bool upcast) {
  Fact fact = facts_[index(v)];
  fact.layout = Layout::kRowMajor;
  if (upcast) {
    fact.dtype = DType::kFloat32;
    fact.value = services_.upcast_value(v);
  }
  const bool constant = fact.value != nullptr;
  const int made = add(std::move(fact), v);
  found(v, Layout::kRowMajor, upcast, Place{}) = made;
  Slot& slot = steps_.buffers.back().slot;
  slot.kind = constant ? Slot::Kind::kConstant : Slot::Kind::kExternal;
  slot.external = v;
  return made;
}

int SegmentBuffers::on_device(ValueId v, Layout layout, bool upcast, Place place) {
  const bool constant = facts_[index(v)].value != nullptr;
  const bool narrow_first = upcast && !constant;
  const bool given = constant || !(stands(v, false) || stands(v, true));
  if (given && found(v, Layout::kRowMajor, upcast && !narrow_first, place) < 0) {
    // As the segment has it, and then converted there.
    const int host = get(v, Layout::kRowMajor, upcast && !narrow_first);
    const int made = graph_.value(v).is_constant() ? constant_on(v, host, place) : copied(host, place);
    set(v, upcast && !narrow_first, made);
  }
  if (const int l = converted(v, layout, upcast, place); l >= 0) return l;
  const int made = copied(get(v, layout, upcast), place);
  return found(v, layout, upcast, place) = made;
}

/// The buffer in a form, if it stands at the place or can be made there of what does; else -1.
int SegmentBuffers::converted(ValueId v, Layout layout, bool upcast, Place place) {
  if (const int l = found(v, layout, upcast, place); l >= 0) return l;
  if (const int from = found(v, other(layout), upcast, place); from >= 0) {
    Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
    fact.layout = layout;
    const int made = layouts_agree(fact.shape) ? add(fact, v, from)
                                               : try_conversion(Relayout{layout}, LayoutRule::kRelayout, from, fact);
    return found(v, layout, upcast, place) = made;
  }
  const int from = any_at(v, place, layout, !upcast);
  if (from < 0) return -1;
  Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
  fact.dtype = upcast ? DType::kFloat32 : facts_[index(v)].dtype;
  int made = -1;
  for (const LayoutRule rule : {LayoutRule::kSame, LayoutRule::kRowMajor}) {
    if (rule == LayoutRule::kRowMajor && fact.layout != Layout::kRowMajor && !layouts_agree(fact.shape)) continue;
    if (made < 0) made = try_conversion(Cast{fact.dtype}, rule, from, fact);
  }
  if (made < 0) return -1;
  found(v, fact.layout, upcast, place) = made;
  return converted(v, layout, upcast, place);
}

// ---- copies

/// A constant of the graph is on the device for good.
int SegmentBuffers::constant_on(ValueId v, int host, Place place) {
  Fact fact = steps_.buffers[static_cast<size_t>(host)].fact;
  fact.place = place;
  DevicePiece piece =
      services_.constants[place.device - size_t{1}]->get(text(services_.graph, "/", static_cast<int>(v)), *fact.value);
  const int made = add(std::move(fact), v);
  SegmentBuffer& buffer = steps_.buffers.back();
  buffer.slot.kind = Slot::Kind::kConstant;
  buffer.constant = std::move(piece);
  return made;
}

/// Between devices it goes through the host. What the segment gets is copied before the first step.
int SegmentBuffers::copied(int from, Place to) {
  const SegmentBuffer& buffer = steps_.buffers[static_cast<size_t>(from)];
  const bool given =
      !to.is_host() && steps_.buffers[static_cast<size_t>(owner_of(steps_, from))].slot.kind != Slot::Kind::kArena;
  const Place device = to.is_host() ? buffer.fact.place : to;
  Fact fact = buffer.fact;
  fact.place = to;
  const int made = add(std::move(fact), buffer.value);
  if (given) {
    add_item(inputs_[device.device - size_t{1}], from, made);
  } else {
    steps_.steps.push_back(copy_step(device, !to.is_host()));
    add_item(steps_.steps.back(), from, made);
  }
  return made;
}

/// The buffer of a value that stays on the device, with an external slot; -1 where it cannot lie there as a whole.
int SegmentBuffers::staying(ValueId v, Place device) {
  int l = converted(v, Layout::kRowMajor, false, device);
  if (l < 0) return -1;
  const auto owner = [&] { return static_cast<size_t>(owner_of(steps_, l)); };
  const Fact fact = steps_.buffers[static_cast<size_t>(l)].fact;
  const SegmentBuffer& whole = steps_.buffers[owner()];
  if (whole.slot.kind != Slot::Kind::kArena || whole.fact.bytes() != fact.bytes()) {
    l = try_conversion(Relayout{Layout::kRowMajor}, LayoutRule::kRelayout, l, fact);
    if (l < 0) return -1;
  }
  steps_.buffers[owner()].slot = {.kind = Slot::Kind::kExternal, .external = v};
  steps_.buffers[static_cast<size_t>(l)].slot = steps_.buffers[owner()].slot;
  return l;
}

int SegmentBuffers::get_for_caller(ValueId v) {
  const Place device = device_of(v);
  if (!device.is_host() && services_.stays != nullptr && services_.stays(v, device)) {
    if (const int l = staying(v, device); l >= 0) return l;
  }
  if (device.is_host() || stands_at(v, Place{})) return get(v, Layout::kRowMajor);
  const int from = converted(v, Layout::kRowMajor, false, device);
  if (from < 0) return get(v, Layout::kRowMajor);
  Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
  fact.place = Place{};
  const int made = add(std::move(fact), v);
  steps_.buffers.back().slot = {.kind = Slot::Kind::kExternal, .external = v};
  set(v, false, made);
  add_item(results_[device.device - size_t{1}], from, made);
  return made;
}

int SegmentBuffers::brought(int from) {
  Fact fact = steps_.buffers[static_cast<size_t>(from)].fact;
  const Place device = fact.place;
  fact.place = Place{};
  const int made = add(std::move(fact), kNoValue);
  add_item(results_[device.device - size_t{1}], from, made);
  return made;
}

void SegmentBuffers::finish() {
  for (const std::unique_ptr<DeviceConstants>& constants : services_.constants) constants->finish();
  const auto empty = [](const Step& step) { return step.in.empty(); };
  std::erase_if(inputs_, empty);
  std::erase_if(results_, empty);
  for (Step& step : inputs_) step.copy->staged.resize(step.in.size());
  for (Step& step : results_) step.copy->staged.resize(step.in.size());
  steps_.steps.insert(steps_.steps.begin(), std::make_move_iterator(inputs_.begin()),
                      std::make_move_iterator(inputs_.end()));
  steps_.steps.insert(steps_.steps.end(), std::make_move_iterator(results_.begin()),
                      std::make_move_iterator(results_.end()));
}

}  // namespace coracle::internal
