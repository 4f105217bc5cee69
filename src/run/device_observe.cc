// SPDX-License-Identifier: Apache-2.0
// What observers see of steps on devices.
#include <algorithm>

#include "plan/placement.h"
#include "run/device_run.h"

namespace coracle::internal {

/// Of results whose rows are counted there are no more than the last view, that of the number, says.
void DeviceRun::Segment::show_counted_rows(const std::vector<int>& buffers, std::vector<TensorView>& views,
                                           std::vector<Fact>& facts) const {
  const std::vector<ValueId>& values = steps_.counted->values;
  const int64_t rows = *views.back().as<const int64_t>();
  facts.reserve(views.size());
  for (size_t v = 0; v < views.size(); ++v) {
    const ValueId value = steps_.buffers[static_cast<size_t>(buffers[v])].value;
    if (std::find(values.begin(), values.end(), value) == values.end()) continue;
    Fact& fact = facts.emplace_back(*views[v].fact);
    fact.shape[0] = std::clamp<int64_t>(rows, 0, fact.shape[0]);
    views[v].fact = &fact;
  }
}

/// Shows the operands or results of call `i`, in memory of the host.
void DeviceRun::Segment::observe(size_t i, bool results) {
  const Step& step = steps_.steps[i];
  if (segment_.observer == nullptr || step.place.is_host() || step.copy != nullptr) return;
  KernelCall call = bound_.calls[i];
  const std::span<const TensorView> there = results ? call.out : call.in;
  const std::vector<int>& buffers = results ? step.out : step.in;
  const size_t context = step.place.device - size_t{1};
  std::vector<TensorView> views(there.begin(), there.end());
  std::vector<Tensor> tensors;
  for (size_t v = 0; v < views.size(); ++v) {
    if (views[v].fact->place.is_host()) continue;
    const Fact& whole = steps_.buffers[static_cast<size_t>(owner_of(steps_, buffers[v]))].fact;
    const auto bytes = static_cast<int64_t>(whole.bytes());
    Tensor& tensor = tensors.emplace_back(Tensor::make(*call.context, DType::kUint8, {bytes}));
    if (bytes != 0)
      run_.contexts_[context].queue->download({views[v].data, views[v].offset}, tensor.raw(), tensor.bytes());
    views[v].data = tensor.raw();
    views[v].offset = 0;
  }
  std::string detail;
  check(context, run_.contexts_[context].queue->finish(&detail), detail);
  work_[context].done = work_[context].given;
  std::vector<Fact> facts;
  if (results && steps_.counted && steps_.buffers[static_cast<size_t>(buffers.back())].value == kNoValue) {
    show_counted_rows(buffers, views, facts);
  }
  (results ? call.out : call.in) = views;
  observe_step(segment_.graph, steps_, step, call, results, *segment_.observer);
  segment_.context.check();  // whoever looks may cancel
}

}  // namespace coracle::internal
