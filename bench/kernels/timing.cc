// SPDX-License-Identifier: Apache-2.0
#include "timing.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <set>

#include "devices/cpu/gemm_plan.h"
#include "plan/kernel_selector.h"
#include "probe.h"

namespace coracle::internal::bench {
namespace {

using test::KernelCase;

/// Memory of `size` bytes at a cache line.
std::shared_ptr<std::byte> aligned_bytes(size_t size) {
  constexpr std::align_val_t kLine{64};
  auto* memory = static_cast<std::byte*>(::operator new(std::max<size_t>(size, 1), kLine));
  return {memory, [](std::byte* p) { ::operator delete (p, std::align_val_t{64}); }};
}

/// A case on one kernel: facts with the layouts that it wants.
class Bound {
 public:
  Bound(const KernelCase& c, const KernelDef& kernel) : c_(c), kernel_(kernel), in_counts_(c.in_counts) {
    if (in_counts_.empty()) in_counts_.assign(c.in.size(), 1);
    const std::span<const Port> ports = c.op.schema().inputs;
    for (size_t p = 0, i = 0; p < in_counts_.size(); ++p) {
      for (int n = 0; n < in_counts_[p]; ++n, ++i) {
        const bool constant = ports[p].weight || ports[p].shape_input;
        in_.push_back(constant ? Fact::constant(c.in[i]) : Fact(c.in[i].dtype(), c.in[i].shape()));
        weight_.push_back(ports[p].weight);
      }
    }
    size_t results = 0;
    for (int n : c.out_counts) results += static_cast<size_t>(n);
    out_.resize(results);
    std::vector<const Fact*> in;
    for (const Fact& f : in_) in.push_back(&f);
    InferArgs args(kNoRun, in, in_counts_, out_, c.out_counts);
    c.op.schema().infer(c.op.attributes(), args);
    for (size_t i = 0; i < in_.size(); ++i) set_layout(in_[i], weight_[i]);
    for (Fact& f : out_) set_layout(f, false);
    for (const Fact& f : in_) in_facts_.push_back(&f);
    for (const Fact& f : out_) out_facts_.push_back(&f);
  }

  ArgFacts facts() const { return {in_facts_, in_counts_, out_facts_, c_.out_counts}; }

  bool fits() const {
    return takes(kernel_.types, c_.op.schema(), in_counts_, facts()) &&
           kernel_.rejection(c_.op.attributes(), facts()) == nullptr;
  }

  double bytes() const {
    size_t sum = 0;
    for (const Fact& f : in_) sum += f.bytes();
    for (const Fact& f : out_) sum += f.bytes();
    return static_cast<double>(sum);
  }

  /// Runs the benchmark's iterations; gives the seconds of the fastest.
  double time(benchmark::State& state, int threads) const {
    ThreadPool pool(threads);
    pool.start();
    PrepareContext context;
    context.pool = &pool;
    context.packed = [&](const Packing& packing, std::span<const int> operands) {
      std::vector<const Tensor*> constants;
      for (int i : operands) constants.push_back(facts().all_in()[static_cast<size_t>(i)]->value.get());
      return packed_unshared(packing, constants, pool, RunContext());
    };
    const Prepared prepared = kernel_.prepared(c_.op.attributes(), facts(), context);
    std::vector<std::shared_ptr<std::byte>> memory;
    std::vector<TensorView> in;
    std::vector<TensorView> out;
    for (size_t i = 0; i < in_.size(); ++i) {
      // Another order of the elements needs no moving: they are random.
      memory.push_back(aligned_bytes(in_[i].bytes()));
      std::copy_n(static_cast<const std::byte*>(c_.in[i].raw()), in_[i].bytes(), memory.back().get());
      in.push_back({memory.back().get(), &in_[i]});
    }
    for (const Fact& f : out_) {
      memory.push_back(aligned_bytes(f.bytes()));
      out.push_back({memory.back().get(), &f});
    }
    const std::shared_ptr<std::byte> workspace = aligned_bytes(prepared.workspace);
    std::string detail;
    KernelCall call{.schema = &c_.op.schema(),
                    .kernel = &kernel_,
                    .op = c_.op.attributes(),
                    .in = in,
                    .out = out,
                    .in_counts = in_counts_,
                    .out_counts = c_.out_counts,
                    .weights = prepared.weights.get(),
                    .state = prepared.state.get(),
                    .workspace = workspace.get(),
                    .pool = &pool,
                    .failure_detail = &detail};
    using Clock = std::chrono::steady_clock;
    Clock::duration best = Clock::duration::max();
    for (auto _ : state) {
      const Clock::time_point start = Clock::now();
      kernel_.run(call);
      best = std::min(best, Clock::now() - start);
    }
    if (call.failure != nullptr) state.SkipWithError(call.failure);
    return std::chrono::duration<double>(best).count();
  }

 private:
  void set_layout(Fact& fact, bool weight) const {
    fact.layout = layout_of(kernel_.layout, weight, fact.shape, out_[0].shape.rank(), Layout::kRowMajor);
  }

  const KernelCase& c_;
  const KernelDef& kernel_;
  PortCounts in_counts_;
  std::vector<bool> weight_;
  std::vector<Fact> in_;
  std::vector<Fact> out_;
  std::vector<const Fact*> in_facts_;
  std::vector<const Fact*> out_facts_;
};

double read_rate(int threads) {
  static const double rates[] = {probe_read(1, 1 << 28, 5), probe_read(2, 1 << 28, 5)};
  return rates[threads - 1];
}

/// GFLOP/s of multiply-adds in registers: the best seen so far.
double peak_rate(int threads) {
  constexpr int kProbes = 5;
  static double best[] = {0, 0};
  double& rate = best[threads - 1];
  for (int i = 0; i < kProbes; ++i) rate = std::max(rate, probe_fma(threads, 2));
  return rate;
}

/// GFLOP/s of float32 products that matrix tiles allow: so many products of bfloat16 parts for each.
double tile_rate(cpu::ComputeMode mode, int threads) {
  constexpr int64_t kSteps = 100'000;
  constexpr int kTries = 5;
  static double best[] = {0, 0};
  double& rate = best[threads - 1];
  for (int i = 0; i < kTries; ++i) {
    ThreadPool pool(threads);
    pool.start();
    const auto start = std::chrono::steady_clock::now();
    std::atomic<int64_t> done = 0;
    pool.parallel_for(threads, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) done += cpu::machine_tile_gemm().multiply_tiles(kSteps);
    });
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    rate = std::max(rate, static_cast<double>(done) / passed.count() * 1e-9);
  }
  return rate / (mode == cpu::ComputeMode::kBf16x6 ? 6 : (mode == cpu::ComputeMode::kBf16x3 ? 3 : 1));
}

void time_case(benchmark::State& state, const KernelCase& c, double flops, const KernelDef& kernel, int threads) {
  const Bound bound(c, kernel);
  const double memory_rate = read_rate(threads);
  const double seconds = bound.time(state, threads);
  const bool on_tiles = cpu::kernel_mode(kernel) != cpu::ComputeMode::kFloat32;
  const double peak = on_tiles ? tile_rate(cpu::kernel_mode(kernel), threads) : peak_rate(threads);
  if (flops > 0) {
    const double rate = flops / seconds * 1e-9;
    state.counters["GFLOP/s"] = rate;
    state.counters["%peak"] = 100 * rate / peak;
  }
  const double rate = bound.bytes() / seconds * 1e-9;
  state.counters["GB/s"] = rate;
  state.counters["%read"] = 100 * rate / memory_rate;
}

}  // namespace

void add(const test::ModelCase& model) {
  static const KernelSelector selectors[] = {KernelSelector({.precision = Precision::kDefault}),
                                             KernelSelector({.precision = Precision::kHigh}),
                                             KernelSelector({.precision = Precision::kBf16})};
  const auto shared = std::make_shared<const KernelCase>(model.make());
  std::vector<const KernelDef*> kernels;
  for (const KernelSelector& selector : selectors) {
    for (const KernelDef* kernel : selector.kernels(shared->op.schema())) kernels.push_back(kernel);
  }
  std::set<std::string_view> seen;  // Of kernels with one name the later ones take what the first does not.
  for (const KernelDef* kernel : kernels) {
    if (kernel->view || std::string_view(kernel->name) == "reference" || !Bound(*shared, *kernel).fits()) continue;
    if (!seen.insert(kernel->name).second) continue;
    for (int threads : {1, 2}) {
      const std::string name = std::string(kernel->name) + "/" + model.name + "/" + std::to_string(threads);
      benchmark::RegisterBenchmark(
          name.c_str(),
          [=, flops = model.flops](benchmark::State& state) { time_case(state, *shared, flops, *kernel, threads); })
          ->UseRealTime()
          ->Unit(benchmark::kMicrosecond);
    }
  }
}

}  // namespace coracle::internal::bench
