// SPDX-License-Identifier: Apache-2.0
#include "support/late_kernels.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "ops/index/masked_select.h"
#include "ops/index/nonzero.h"
#include "support/late_device.h"

namespace coracle::internal::test {
namespace {

/// Of workspaces on the device, in bytes, which may have but small blocks; larger ones are of no matter to it.
constexpr size_t kMostWorkspace = 65536;

/// Kernels of this device, and the kernel of the CPU that each of them runs.
struct LateKernelDefs {
  std::vector<KernelDef> kernels;
  std::vector<const KernelDef*> originals;
  std::deque<std::string> names;
};
const LateKernelDefs& all_kernels();

/// The kernel of the CPU behind the one that is asked.
const KernelDef& original(const ArgFacts& args) {
  const LateKernelDefs& all = all_kernels();
  return *all.originals.at(static_cast<size_t>(&args.kernel() - all.kernels.data()));
}

std::atomic<unsigned> refusal_seed{0};
std::atomic<int> refused_percent{0};

/// The same answer for all kernels and layouts of a node.
bool is_refused(const OpSchema& op, const ArgFacts& args) {
  const int percent = refused_percent.load();
  if (percent == 0) return false;
  uint64_t hash = refusal_seed.load();
  const auto mix = [&](uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15U + (hash >> 29U); };
  mix(std::hash<std::string>()(op.name));
  for (const Fact* f : args.all_in()) {
    mix(reinterpret_cast<uintptr_t>(f->value.get()));
    for (int64_t d : f->shape) mix(static_cast<size_t>(d));
  }
  mix(args.all_in().size());
  return (hash >> 32U) % 100 < static_cast<uint64_t>(percent);
}

/// What a kernel of the CPU prepared.
struct State {
  const KernelDef* kernel = nullptr;
  Prepared prepared;
  int threads = 1;
  bool strided = false;  ///< operands or results lie in larger tensors
};

RejectionReason fits(const void* op, const ArgFacts& args) {
  const KernelDef& kernel = original(args);
  if (is_refused(*kernel.op, args)) return "refused by chance";
  return kernel.fits == nullptr ? nullptr : kernel.fits(op, args);
}

Prepared prepare(const void* op, const ArgFacts& args, PrepareContext& context) {
  auto state = std::make_shared<State>();
  state->kernel = &original(args);
  require(context.device != nullptr, ErrorCode::kRunFailure, "prepared without its device");
  if (state->kernel->prepare != nullptr) state->prepared = state->kernel->prepare(op, args, context);
  state->threads = context.pool->threads();
  for (size_t i = 0; i < args.all_in().size(); ++i) state->strided |= args.view_flat(i) != nullptr;
  state->strided |= args.view_out() != nullptr;
  Prepared prepared;
  prepared.in_place = state->prepared.in_place;
  if (state->prepared.workspace <= kMostWorkspace) prepared.workspace = state->prepared.workspace;
  prepared.state_bytes = state->prepared.state_bytes + sizeof(State);
  prepared.state = std::move(state);
  return prepared;
}

void run_late(KernelCall& call) noexcept {
  const State& state = *static_cast<const State*>(call.state);
  LateCall late;
  for (const std::span<const TensorView> views : {call.in, call.out}) {
    for (const TensorView& v : views) {
      const bool on_host = v.fact->place.is_host();
      // A part of a larger tensor may begin with the last of its bytes.
      late.tensors.push_back({.at = {v.data, v.offset},
                              .on_host = on_host,
                              .bytes = state.strided ? 0 : v.fact->bytes(),
                              .elements = on_host ? v.data : nullptr,
                              .fact = v.fact});
    }
  }
  late.operands = call.in.size();
  late.results = call.out.size();
  if (call.workspace != nullptr) {
    const DeviceBytes& at = *static_cast<const DeviceBytes*>(call.workspace);
    late.tensors.push_back({.at = at, .bytes = state.prepared.workspace});
  }
  late.kernel = state.kernel;
  late.prepared = &state.prepared;
  late.call = call;
  late.threads = state.threads;
  dynamic_cast<LateKernels&>(*call.queue).run(std::move(late));
}

std::vector<Shape> bounds_of_nonzero(const void*, const ArgFacts& args) {
  return {Shape{args.shape(0).count(), args.shape(0).rank()}};
}
std::vector<Shape> bounds_of_masked_select(const void*, const ArgFacts& args) { return {Shape{args.shape(0).count()}}; }

using Bounds = std::vector<Shape> (*)(const void* op, const ArgFacts& args);
/// Of operators whose results have as many rows as the data says; null for others.
Bounds bounds_of(const OpSchema& op) {
  if (&op == &kOpSchema<Nonzero>) return bounds_of_nonzero;
  return &op == &kOpSchema<MaskedSelect> ? bounds_of_masked_select : nullptr;
}

/// Rows of result 0, which has memory for the most there may be, and their number in result 1.
class CountedRows final : public ResultMaker {
 public:
  explicit CountedRows(std::span<const TensorView> results) : results_(results) {}
  void* make(KernelCall& call, size_t /*i*/, const Shape& shape) noexcept override {
    if (shape[0] > results_[0].fact->shape[0]) call.failure = "more rows than there may be";
    *results_[1].as<int64_t>() = shape[0];
    return call.failure == nullptr ? results_[0].data : nullptr;
  }

 private:
  const std::span<const TensorView> results_;
};

LateKernelDefs make_kernels() {
  LateKernelDefs all;
  static const KernelSelector selector({});
  for (const OpSchema* op : all_ops()) {
    if (op->reference == nullptr) continue;
    for (const KernelDef* kernel : selector.kernels(*op)) {
      KernelDef late = *kernel;
      late.sized = false;
      if (kernel->sized) late.bounds = bounds_of(*op);
      if (kernel->sized && late.bounds == nullptr) continue;
      late.name = all.names.emplace_back("late." + std::string(kernel->name)).c_str();
      late.fits = fits;
      late.prepare = prepare;
      late.run = kernel->view ? nullptr : run_late;
      late.run_rows = nullptr;
      all.kernels.push_back(late);
      all.originals.push_back(kernel);
    }
  }
  return all;
}

const LateKernelDefs& all_kernels() {
  static const LateKernelDefs kAll = make_kernels();
  return kAll;
}

std::span<const KernelTable* const> kernels() {
  static const KernelTable kTable{all_kernels().kernels};
  static const KernelTable* const kTables[] = {&kTable};
  return kTables;
}

}  // namespace

const char* LateCall::run(std::string* detail) const {
  std::vector<TensorView> views;
  for (const Tensor& t : tensors) views.push_back({.data = t.elements, .fact = t.fact});
  const std::span<const TensorView> all = views;
  // Whatever else lies in the workspace is lost, whether the kernel uses all of it or not.
  const auto own = std::make_unique<std::max_align_t[]>(prepared->workspace / sizeof(std::max_align_t) + 8);
  void* workspace = own.get();
  size_t space = prepared->workspace + 8 * sizeof(std::max_align_t);
  workspace =
      call.workspace != nullptr ? tensors.back().elements : std::align(64, prepared->workspace, workspace, space);
  const auto spoil = [&] { std::memset(workspace, 0xFF, prepared->workspace); };
  spoil();
  ThreadPool pool(threads);
  KernelCall on_cpu = call;
  on_cpu.in = all.first(operands);
  on_cpu.out = all.subspan(operands, results);
  on_cpu.weights = prepared->weights.get();
  on_cpu.state = prepared->state.get();
  on_cpu.workspace = workspace;
  on_cpu.pool = &pool;
  on_cpu.queue = nullptr;
  on_cpu.failure = nullptr;
  on_cpu.failure_detail = detail;
  CountedRows counted(on_cpu.out);
  if (kernel->sized) on_cpu.results = &counted;
  kernel->run(on_cpu);
  spoil();
  return on_cpu.failure;
}

const Device& late_device() {
  static const Device kDevice{
      .name = "late", .kernels = kernels, .measure_limits = nullptr, .probe = nullptr, .open = nullptr};
  return kDevice;
}

void refuse_nodes(unsigned seed, int percent) {
  refusal_seed = seed;
  refused_percent = percent;
}

}  // namespace coracle::internal::test
