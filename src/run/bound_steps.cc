// SPDX-License-Identifier: Apache-2.0
#include "run/bound_steps.h"

namespace coracle::internal {
namespace {

const SegmentBuffer& root_of(const Steps& steps, int l) {
  while (steps.buffers[static_cast<size_t>(l)].alias_of >= 0) l = steps.buffers[static_cast<size_t>(l)].alias_of;
  return steps.buffers[static_cast<size_t>(l)];
}

}  // namespace

void BoundSteps::drop() {
  planned_ = nullptr;
  if (ledger_ != nullptr) ledger_->give_back(charged_);
  ledger_ = nullptr;
  charged_ = 0;
}

void BoundSteps::add_view(int l) {
  const Steps& steps = planned_->steps;
  const SegmentBuffer& buffer = steps.buffers[static_cast<size_t>(l)];
  const bool on_host = buffer.fact.place.is_host();
  TensorView view{.data = nullptr, .fact = &buffer.fact};
  switch (buffer.slot.kind) {
    case Slot::Kind::kArena:
      if (on_host) in_arena_.push_back({views.size(), buffer.slot.offset});
      if (!on_host) on_device_.push_back({views.size(), buffer.fact.place, buffer.slot.allocation});
      if (!on_host) view.offset = buffer.slot.offset;
      break;
    case Slot::Kind::kExternal: externals.push_back({views.size(), buffer.slot.external}); break;
    case Slot::Kind::kConstant: {
      const SegmentBuffer& root = root_of(steps, l);
      view.data = on_host ? const_cast<void*>(root.fact.value->raw()) : root.constant.allocation.get();
      view.offset = root.constant.offset;
    }
  }
  views.push_back(view);
}

void BoundSteps::take(std::shared_ptr<const PlannedSteps> planned, std::shared_ptr<MemoryLedger> ledger) {
  drop();
  views.clear();
  calls.clear();
  externals.clear();
  in_arena_.clear();
  on_device_.clear();
  workspaces_.clear();
  arena_ = nullptr;
  device_generation = 0;
  selection = 0;
  const size_t table_bytes = planned->table_bytes;
  ledger->charge(table_bytes, [] { return "tables that were made while planning"; });
  charged_ = table_bytes;
  ledger_ = std::move(ledger);
  planned_ = std::move(planned);
  const Steps& steps = planned_->steps;
  size_t count = 0;
  size_t workspaces = 0;
  for (const Step& step : steps.steps) {
    count += step.in.size() + step.out.size();
    workspaces += step.workspace >= 0 ? 1 : 0;
  }
  views.reserve(count);  // calls point to them
  workspaces_.reserve(workspaces);
  calls.reserve(steps.steps.size());
  for (const Step& step : steps.steps) {
    const size_t first = views.size();
    for (int l : step.in) add_view(l);
    const size_t second = views.size();
    for (int l : step.out) add_view(l);
    KernelCall& call = calls.emplace_back();
    call.schema = &step.op.schema();
    call.kernel = step.kernel;
    call.op = step.op.attributes();
    call.in = {views.data() + first, second - first};
    call.out = {views.data() + second, views.size() - second};
    call.in_counts = step.in_counts;
    call.out_counts = step.out_counts;
    call.weights = step.prepared.weights.get();
    call.state = step.copy != nullptr ? step.copy.get() : step.prepared.state.get();
    if (step.workspace >= 0) {
      const Slot& slot = steps.buffers[static_cast<size_t>(step.workspace)].slot;
      call.workspace =
          &workspaces_
               .emplace_back(Workspace{step.place, slot.allocation, {.allocation = nullptr, .offset = slot.offset}})
               .bytes;
    }
  }
}

size_t BoundSteps::bytes() const {
  return (planned_ == nullptr ? 0 : planned_->bytes()) + views.capacity() * sizeof(TensorView) +
         calls.capacity() * sizeof(KernelCall) + externals.capacity() * sizeof(External) +
         in_arena_.capacity() * sizeof(InArena) + on_device_.capacity() * sizeof(OnDevice) +
         workspaces_.capacity() * sizeof(Workspace);
}

void BoundSteps::bind(std::byte* arena, ThreadPool* pool) {
  if (arena == arena_ && arena != nullptr) return;
  arena_ = arena;
  for (const InArena& v : in_arena_) views[v.view].data = arena + v.offset;
  const std::vector<Step>& steps = planned_->steps.steps;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (steps[i].place.is_host()) calls[i].workspace = arena + planned_->steps.workspace_offset;
    calls[i].pool = pool;
  }
}

void BoundSteps::bind_externals(std::span<const Tensor> tensors) {
  device_tensors_.clear();
  for (const External& e : externals) {
    const Tensor& tensor = tensors[index(e.value)];
    const bool on_host = tensor.is_on_host();
    views[e.view].data = on_host ? const_cast<void*>(tensor.raw()) : tensor.storage()->memory();
    if (!on_host) device_tensors_.push_back(views[e.view].data);
  }
}

void BoundSteps::bind_device(Place place, std::span<void* const> arena, void* staging, Queue* queue) {
  for (const OnDevice& v : on_device_) {
    if (v.place == place) views[v.view].data = arena[v.block];
  }
  for (Workspace& w : workspaces_) {
    if (w.place == place) w.bytes.allocation = arena[w.block];
  }
  const std::vector<Step>& steps = planned_->steps.steps;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (steps[i].place != place) continue;
    calls[i].queue = queue;
    if (steps[i].copy != nullptr) calls[i].workspace = staging;
  }
}

}  // namespace coracle::internal
