// SPDX-License-Identifier: Apache-2.0
#include "run/sized_call.h"

#include "plan/call_failure.h"

namespace coracle::internal {
namespace {

/// Results of known shape are there from the start, others are made when the kernel asks.
class Results final : public ResultMaker {
 public:
  explicit Results(const SizedCall& call) : call_(call), tensors_(call.results.size()), views_(call.results.size()) {
    for (size_t i = 0; i < views_.size(); ++i) {
      const Fact& fact = call.results[i];
      views_[i].fact = &fact;
      if (!fact.known()) continue;
      try {
        allocate(i, fact.shape);
      } catch (Error& e) {
        e.add_context(text("running operator ", call.node.op.name(), " (", call.node.name, ")"));
        throw;
      }
      views_[i].data = tensors_[i].raw();
    }
  }

  void* make(KernelCall& call, size_t i, const Shape& shape) noexcept override {
    try {
      allocate(i, shape);
      return tensors_[i].raw();
    } catch (...) {
      fail_with_exception(call, "a result cannot be made");
      return nullptr;
    }
  }

  std::span<const TensorView> views() const { return views_; }
  std::vector<Tensor> take() { return std::move(tensors_); }

 private:
  void allocate(size_t i, const Shape& shape) {
    const Fact& fact = call_.results[i];
    Tensor& before = *call_.before[i];
    if (!call_.reuse) before = Tensor();
    if (before.reusable_for(fact.dtype, shape)) {
      tensors_[i] = std::exchange(before, Tensor());
      tensors_[i].retype(fact.dtype, shape);
      tensors_[i].set_lod({});
    } else {
      tensors_[i] = Tensor::make(call_.context, fact.dtype, shape);
    }
    if (fact.lod != nullptr) tensors_[i].set_lod(*fact.lod);
  }

  const SizedCall& call_;
  std::vector<Tensor> tensors_;
  std::vector<TensorView> views_;
};

}  // namespace

std::vector<Tensor> run_sized(const SizedCall& c) {
  std::vector<TensorView> in;
  for (size_t i = 0; i < c.inputs.size(); ++i) in.push_back({c.inputs[i].raw(), c.facts[i]});
  Results results(c);
  std::string detail;
  KernelCall call{.schema = &c.node.op.schema(),
                  .kernel = c.step.kernel,
                  .op = c.node.op.attributes(),
                  .in = in,
                  .out = results.views(),
                  .in_counts = c.node.input_counts,
                  .out_counts = c.node.output_counts,
                  .state = c.step.prepared.state.get(),
                  .workspace = c.workspace,
                  .pool = &c.pool,
                  .context = &c.context,
                  .results = &results,
                  .failure_detail = &detail};
  c.step.kernel->run(call);
  if (call.failure != nullptr) [[unlikely]] {
    throw Error(code_of_failure(call.failure), detail.empty() ? std::string(call.failure) : detail)
        .add_context(text("running operator ", c.node.op.name(), " (", c.node.name, ")"));
  }
  return results.take();
}

}  // namespace coracle::internal
