// SPDX-License-Identifier: Apache-2.0
#include "plan/copy.h"

#include "base/long_loop.h"
#include "plan/call_failure.h"

namespace coracle::internal {
namespace {

DeviceBytes place_of(const TensorView& view) { return {view.data, view.offset}; }

void upload(const CopyPlan& plan, const KernelCall& call) {
  auto* const staging = static_cast<std::byte*>(call.workspace);
  for (size_t i = 0; i < plan.staged.size(); ++i) {
    copy_in_blocks(*call.context, staging + plan.staged[i], call.in[i].data, call.in[i].fact->bytes());
  }
  for (const Transfer& t : plan.transfers) {
    const void* from = plan.staged.empty() ? call.in[t.item].data : staging + plan.staged[t.item];
    call.queue->upload(from, place_of(call.out[t.item]), t.bytes);
  }
}

void download(const CopyPlan& plan, const KernelCall& call) {
  auto* const staging = static_cast<std::byte*>(call.workspace);
  for (const Transfer& t : plan.transfers) {
    void* to = plan.staged.empty() ? call.out[t.item].data : staging + plan.staged[t.item];
    call.queue->download(place_of(call.in[t.item]), to, t.bytes);
  }
}

void run_copy(KernelCall& call) noexcept {
  const auto& plan = *static_cast<const CopyPlan*>(call.state);
  try {
    plan.upload ? upload(plan, call) : download(plan, call);
  } catch (...) {
    fail_with_exception(call, "a copy failed");
  }
}

}  // namespace

void infer(const Copy& /*op*/, InferArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) a.out(0, i) = a.in(0, i);
}

void reference(const Copy& /*op*/, ReferenceArgs& a) {
  for (int i = 0; i < a.out_count(0); ++i) a.out(0, i) = a.in(0, i);
}

const KernelDef& copy_kernel() {
  static constexpr KernelDef kCopy = {.name = "copy", .op = nullptr, .types = kAnyTypeRule, .run = run_copy};
  return kCopy;
}

void take_staged(const KernelCall& call) {
  const auto& plan = *static_cast<const CopyPlan*>(call.state);
  const auto* const staging = static_cast<const std::byte*>(call.workspace);
  for (size_t i = 0; i < plan.staged.size(); ++i) {
    copy_in_blocks(*call.context, call.out[i].data, staging + plan.staged[i], call.out[i].fact->bytes());
  }
}

}  // namespace coracle::internal
