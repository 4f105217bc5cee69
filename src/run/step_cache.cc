// SPDX-License-Identifier: Apache-2.0
#include "run/step_cache.h"

#include "base/counted.h"
#include "base/log.h"

namespace coracle {

BoundSteps::BoundSteps(Steps planned) : steps(std::move(planned)) {
  size_t count = 0;
  for (const Step& step : steps.steps) count += step.in.size() + step.out.size();
  views.reserve(count);
  calls.reserve(steps.steps.size());
  const auto root_of = [&](int l) -> const Local& {
    while (steps.locals[static_cast<size_t>(l)].alias_of >= 0) l = steps.locals[static_cast<size_t>(l)].alias_of;
    return steps.locals[static_cast<size_t>(l)];
  };
  const auto add_view = [&](int l) {
    const Local& local = steps.locals[static_cast<size_t>(l)];
    const bool on_host = local.fact.place.is_host();
    TensorView view{.data = nullptr, .fact = &local.fact};
    switch (local.slot.kind) {
      case Slot::Kind::kArena:
        if (on_host) in_arena_.push_back({views.size(), local.slot.offset});
        if (!on_host) on_device_.push_back({views.size(), local.fact.place, local.slot.block});
        if (!on_host) view.offset = local.slot.offset;
        break;
      case Slot::Kind::kExternal: externals.push_back({views.size(), local.slot.external}); break;
      case Slot::Kind::kConstant: {
        const Local& root = root_of(l);
        view.data = on_host ? const_cast<void*>(root.fact.value->raw()) : root.constant.block.get();
        view.offset = root.constant.offset;
      }
    }
    views.push_back(view);
  };
  for (Step& step : steps.steps) {
    const size_t first = views.size();
    for (int l : step.in) add_view(l);
    const size_t second = views.size();
    for (int l : step.out) add_view(l);
    KernelCall call;
    call.row = &step.op.row();
    call.kernel = step.kernel;
    call.op = step.op.attributes();
    call.in = {views.data() + first, second - first};
    call.out = {views.data() + second, views.size() - second};
    call.in_counts = step.in_counts;
    call.out_counts = step.out_counts;
    call.weights = step.prepared.weights.get();
    call.state = step.copy != nullptr ? step.copy.get() : step.prepared.state.get();
    calls.push_back(call);
  }
  in_arena_.shrink_to_fit();
  on_device_.shrink_to_fit();
  externals.shrink_to_fit();
  bytes = steps.bytes + views.size() * sizeof(TensorView) + calls.size() * sizeof(KernelCall) +
          (in_arena_.size() + externals.size()) * sizeof(InArena) + on_device_.size() * sizeof(OnDevice);
}

void BoundSteps::bind(std::byte* arena, ThreadPool* pool) {
  if (arena == arena_ && arena != nullptr) return;
  arena_ = arena;
  for (const InArena& v : in_arena_) views[v.view].data = arena + v.offset;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (steps.steps[i].copy == nullptr) calls[i].workspace = arena + steps.workspace_offset;
    calls[i].pool = pool;
  }
}

void BoundSteps::bind_device(Place place, std::span<void* const> arena, void* staging, Queue* queue) {
  for (const OnDevice& v : on_device_) {
    if (v.place == place) views[v.view].data = arena[v.block];
  }
  for (size_t i = 0; i < calls.size(); ++i) {
    if (steps.steps[i].place != place) continue;
    calls[i].queue = queue;
    if (steps.steps[i].copy != nullptr) calls[i].workspace = staging;
  }
}

std::shared_ptr<BoundSteps> StepCache::find(std::string_view key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, it->second);
  return it->second->steps;
}

void StepCache::insert(std::string key, std::shared_ptr<BoundSteps> steps) {
  if (max_bytes_ == 0) return;
  const size_t size = steps->bytes + 2 * key.size();
  const size_t before = entries_.size();
  while (!entries_.empty() && bytes_ + size > max_bytes_) {
    const Entry& oldest = entries_.back();
    bytes_ -= oldest.steps->bytes + 2 * oldest.key.size();
    by_key_.erase(oldest.key);
    entries_.pop_back();
  }
  entries_.push_front({std::move(key), std::move(steps)});
  try {
    by_key_.emplace(entries_.front().key, entries_.begin());
  } catch (...) {
    entries_.pop_front();
    throw;
  }
  bytes_ += size;
  if (const size_t dropped = before + 1 - entries_.size(); dropped != 0) {
    log(LogLevel::kInfo, "dropped the plans of ", dropped, " other shapes for a new one of ", counted(size, "byte"),
        ": cache_bytes is ", max_bytes_);
  }
}

void StepCache::clear() {
  by_key_.clear();
  entries_.clear();
  bytes_ = 0;
}

}  // namespace coracle
