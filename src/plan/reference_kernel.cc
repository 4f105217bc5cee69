// SPDX-License-Identifier: Apache-2.0
#include "plan/reference_kernel.h"

#include "base/long_loop.h"
#include "plan/call_failure.h"

namespace coracle::internal {
namespace {

Tensor borrowed(const TensorView& view) {
  Tensor t = Tensor::borrow(view.fact->dtype, view.fact->shape, view.data);
  if (view.fact->lod != nullptr) t.set_lod(*view.fact->lod);
  return t;
}

void run_reference(KernelCall& call) noexcept {
  try {
    std::vector<Tensor> in;
    std::vector<Tensor> out;
    for (const TensorView& v : call.in) in.push_back(borrowed(v));
    for (const TensorView& v : call.out) out.push_back(borrowed(v));
    ReferenceArgs args(*call.context, in, call.in_counts, out, call.out_counts);
    call.schema->reference(call.op, args);
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].raw() == call.out[i].data || out[i].bytes() == 0) continue;
      require(out[i].bytes() == call.out[i].fact->bytes(), ErrorCode::kRunFailure, "the result has ", out[i].shape(),
              ", planned ", call.out[i].fact->shape);
      copy_in_blocks(*call.context, call.out[i].data, out[i].raw(), out[i].bytes());
    }
  } catch (...) {
    fail_with_exception(call, "the operator's data is wrong");
  }
}

/// Planning ends where a library without the reference has no kernel for a node.
Prepared refuse(const void* /*op*/, const ArgFacts& args, PrepareContext& /*context*/) {
  std::string operands;
  for (const Fact* fact : args.all_in()) {
    operands.append(operands.empty() ? "" : ", ");
    append_text(operands, *fact);
  }
  fail(ErrorCode::kUnsupported, "this library has no kernel of the operator ", args.kernel().op->name, " for ",
       operands, ": use libcoracle, or one that is made for the model (coracle tailor)");
}

}  // namespace

KernelDef reference_kernel(const OpSchema& op) {
  return {.name = "reference",
          .op = &op,
          .types = kAnyTypeRule,
          .rank = kLastResort,
          .prepare = op.reference == nullptr ? refuse : nullptr,
          .run = run_reference};
}

const KernelDef& custom_kernel() {
  static constexpr KernelDef kCustom = {.name = "custom", .op = nullptr, .types = kAnyTypeRule, .run = run_reference};
  return kCustom;
}

const KernelDef& nothing_kernel() {
  static constexpr KernelDef kNothing = {
      .name = "nothing", .op = nullptr, .types = kAnyTypeRule, .run = [](KernelCall&) noexcept {}};
  return kNothing;
}

}  // namespace coracle::internal
