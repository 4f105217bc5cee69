// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plan/steps.h"

namespace coracle::internal {

/// The order of elements that a layout is converted to and from.
constexpr Layout other(Layout layout) {
  return layout == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
}

/// The values of a segment as its steps see them: each in every order, width and place in which a step wants it. What
/// stands in other forms only is converted and copied by steps that are added here, once for each form.
class SegmentBuffers {
 public:
  struct Services {
    const KernelSelector* selector = nullptr;
    std::span<const std::unique_ptr<DeviceConstants>> constants = {};  ///< by device
    int32_t graph = 0;                                                 ///< number of the graph within the model
    std::function<void(Step& step, const ArgFacts& args)> prepare = nullptr;
    /// The float32 elements of a half constant.
    std::function<std::shared_ptr<const Tensor>(ValueId v)> upcast_value = nullptr;
    std::span<const Place> given = {};  ///< by value: where what the segment gets stands; none: on the host
    /// Whether a value stays on the device after the segment.
    std::function<bool(ValueId v, Place device)> stays = nullptr;
  };

  /// `facts` by value; both outlive it.
  SegmentBuffers(const Graph& graph, std::span<const Fact> facts, Steps& steps, Services services);

  int add(Fact fact, ValueId value, int alias_of = -1);
  /// Where it is told which buffer a value has in the form of the buffer's fact. `upcast`: a half value in float32.
  void set(ValueId v, bool upcast, int buffer);

  /// The buffer of a value; adds relayout, cast and copy steps where it exists in other forms only. Conversions are
  /// made where the value stands if that place has a kernel for them, else on the host.
  int get(ValueId v, Layout layout, bool upcast = false, Place place = {});
  /// The same for a value that leaves the segment. One that stays on a device has an external slot there, if it can be
  /// made row-major there. Others are on the host, with an external slot of their own where the value stands on a
  /// device only; copied with all others of that device, by the last step.
  int get_for_caller(ValueId v);

  /// A buffer on the host that one of a device, no value's, is copied to with what leaves the segment.
  int brought(int from);

  bool stands(ValueId v, bool upcast) const;  ///< in any order, at any place
  bool is_channels_last(ValueId v) const;     ///< at any place, where that is another order

  /// A step that makes `to` of buffer `from`, at its place: a relayout or a cast.
  int add_conversion(Op op, LayoutRule rule, int from, Fact to);

  /// Adds the copies of inputs, which come first, and of results.
  void finish();

 private:
  struct Form {
    Layout layout = Layout::kRowMajor;
    bool upcast = false;
  };

  int& found(ValueId v, Layout layout, bool upcast, Place place);
  int found(ValueId v, Layout layout, bool upcast, Place place) const;
  bool stands_at(ValueId v, Place place) const;
  Place device_of(ValueId v) const;
  int any_at(ValueId v, Place place, Layout layout, bool upcast) const;
  const KernelDef* kernel_for(const Step& step, const ArgFacts& args, LayoutRule rule, Place place) const;
  bool has_kernel(const OpSchema& op, LayoutRule rule) const;
  int try_conversion(Op op, LayoutRule rule, int from, Fact to);
  int on_host(ValueId v, Layout layout, bool upcast);
  int on_device(ValueId v, Layout layout, bool upcast, Place place);
  int converted(ValueId v, Layout layout, bool upcast, Place place);
  void take_given(ValueId v);
  int staying(ValueId v, Place device);
  int original(ValueId v, bool upcast);
  int constant_on(ValueId v, int host, Place place);
  int copied(int from, Place to);

  const Graph& graph_;
  const std::span<const Fact> facts_;
  Steps& steps_;
  const Services services_;
  const size_t places_;
  std::vector<int> found_;     // by value, place, width and layout
  std::vector<Step> inputs_;   // by device: the copy of what the segment gets
  std::vector<Step> results_;  // by device: the copy of what leaves it
};

}  // namespace coracle::internal
