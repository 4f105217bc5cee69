// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/memory_ledger.h"
#include "base/pages.h"
#include "base/run_context.h"
#include "plan/device.h"
#include "run/block_runner.h"
#include "run/bound_steps.h"
#include "run/device_runner.h"
#include "run/observer.h"
#include "run/output_memory.h"
#include "run/profile.h"
#include "run/program.h"
#include "run/step_cache.h"

namespace coracle::internal {

/// Runs graphs of a program with memory of its own: arena, bound steps, tensors between segments.
/// One thread at a time.
class Executor : private BlockHost {
 public:
  /// `options` have at least one thread; their `cpus` are those of `workers`. `cancelled` ends runs and planning; see
  /// Deadline.
  Executor(std::shared_ptr<const Program> program, const SessionOptions& options,
           const std::atomic<uint32_t>* cancelled = nullptr);
  ~Executor() override;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs the main graph, or what the wanted results need of it; the others are empty. On devices all of it runs.
  /// Results stay valid and are overwritten by the next run unless somebody shares them.
  /// `options` hold for this run. `memory`: by result, where it is afterwards, none for no result's. Throws Error.
  std::vector<Tensor> run(std::span<const Tensor> inputs, const RunOptions& options = {},
                          std::span<const OutputMemory> memory = {}) {
    std::vector<Tensor> outputs;
    run(outputs, inputs, options, memory);
    return outputs;
  }
  /// The same; `outputs` becomes the results. A run like the last one then allocates nothing on the host.
  void run(std::vector<Tensor>& outputs, std::span<const Tensor> inputs, const RunOptions& options,
           std::span<const OutputMemory> memory);

  /// Steps planned for such inputs, without running them: the first segment.
  std::shared_ptr<const Steps> plan(std::span<const Fact> inputs, bool keep_refusals);

  /// Records events of runs into `profile` until called with null.
  void set_profile(Profile* profile) { profile_ = profile; }
  /// Shows values of runs to `observer` until called with null.
  void set_observer(const Observer* observer) { observer_ = observer; }
  /// What this machine reaches with the kernels' instruction set and the threads of this executor.
  MachineLimits measure_limits();
  size_t arena_bytes() const { return arena_.bytes(); }
  /// Of the steps that are bound to this executor, which others may share.
  size_t plan_bytes() const;
  /// That work on a run at most, the calling one included.
  int threads() const { return pool_.threads(); }
  bool has_devices() const { return devices_ != nullptr; }
  /// Between runs: gives back what it holds on devices.
  void release_devices() { devices_->release(); }
  /// See DeviceRunner.
  void settle_devices() { devices_->settle(); }
  /// Where a tensor lies for this executor.
  Place place_of(const Tensor& tensor) const { return devices_ == nullptr ? Place{} : devices_->place_of(tensor); }
  size_t device_bytes() const { return devices_ == nullptr ? 0 : devices_->bytes(); }
  /// Gives back the arenas, bound steps and tensors, and the program's steps that nobody is bound to; returns about how
  /// many bytes that were.
  size_t release_memory();

 private:
  /// The tensors of one graph that live outside segments.
  struct Frame {
    std::vector<Fact> facts;      // by value; elements (Fact::value) of constants and of available values only
    std::vector<Tensor> tensors;  // by value, external ones
    std::vector<ValueId> available;
    std::unordered_map<size_t, std::shared_ptr<BoundSteps>> bound;  // by position, the steps that ran last
  };
  /// A value that a call of a segment reads, of a block that may not be done.
  struct LateOperand {
    size_t call;
    ValueId value;
  };

  void run_main(const RunContext& context, std::span<Tensor> inputs, std::vector<Tensor>& outputs);
  /// The user's memory for a value of a graph, if kernels may write it there: its tensor of this type, else nothing.
  std::optional<Tensor> in_user_memory(const Graph& graph, ValueId value, const Fact& fact, const Steps& steps) const;
  /// The inputs of a run, those in memory of the user's read after what his streams were given, which devices follow,
  /// too: given_.
  std::span<Tensor> follow(std::span<const Tensor> inputs, const RunOptions& options);
  /// A tensor in memory of the user's that is read after that point, too.
  static Tensor read_after(const Tensor& tensor, const std::shared_ptr<const StreamPoint>& point);
  /// Brings results to where they are to be, and forgets the user's memory.
  void deliver(const RunContext& context, std::vector<Tensor>& outputs);
  /// Takes the inputs.
  void run_graph(const RunContext& context, const Graph& graph, std::span<Tensor> inputs, std::vector<Tensor>& outputs);
  std::vector<Tensor> run_nested(const RunContext& context, const Graph& graph, std::vector<Tensor> inputs);
  /// Results of a graph that are to stay on a device.
  std::span<const ValueId> stay(const Graph& graph) const {
    return &graph == &program_->graph() ? std::span(stay_) : std::span(program_->info(graph).stay);
  }
  /// For what reads elements on the host: puts a tensor there.
  static void bring_to_host(Frame& frame, ValueId value);
  Frame& frame_of(const Graph& graph);
  void make_available(Frame& frame, ValueId value, Tensor tensor);
  /// Frees the tensors that nothing from `position` on uses.
  void free_used(const Graph& graph, Frame& frame, size_t position);
  /// Frees what is kept for later runs only.
  void reclaim();
  /// Gives up all that earlier runs have left.
  void free_all();
  std::shared_ptr<const PlannedSteps> steps_for(const RunContext& context, const Graph& graph, size_t position,
                                                const Frame& frame);
  std::unique_ptr<PlannedSteps> plan_steps(const RunContext& context, const Graph& graph, size_t position,
                                           const Frame& frame);
  [[gnu::cold]] void log_plan(const Graph& graph, size_t position, const Frame& frame, const Steps& steps,
                              std::chrono::nanoseconds taken) const;
  void run_steps(const RunContext& context, const Graph& graph, size_t position,
                 const std::shared_ptr<const PlannedSteps>& planned, Frame& frame);
  /// Whether a node, or a value, of a graph is needed in this run.
  template <class T>
  bool is_needed(const Graph& graph, const T& what) const {
    return selection_.is_all() || &graph != &program_->graph() || selection_.has(what);
  }
  void select(std::span<const OutputMemory> memory);
  /// After a run: results whose rows a device has counted become that many first rows of their memory.
  void take_counted(const Graph& graph, const Steps& steps, Frame& frame) const;
  void unbind();
  void run_calls(const RunContext& context, const Graph& graph, BoundSteps& bound, LateEnd* late_end);
  /// How steps may end: they are the whole graph, whose results are where they are to be. Null: when they are done.
  LateEnd* late_end(const Graph& graph, size_t position, const Steps& steps, const Frame& frame);
  void run_call(const RunContext& context, const Graph& graph, const Steps& steps, const Step& step, KernelCall& call);
  PlanContext plan_context(const RunContext& context, const Graph& graph, bool keep_refusals);
  bool read_shape_inputs(const RunContext& context, const Node& node, Frame& frame);
  void run_node(const RunContext& context, const Graph& graph, size_t position, Frame& frame);
  // Nodes that are blocks (block_runner.h).
  Tensor make_result(const BlockCall& call, size_t i, const Fact& fact) override;
  std::vector<Tensor> evaluate_aside(const RunContext& context, const Node& block, std::vector<Tensor> inputs) override;
  void record_block(const Node& block, std::span<const Fact> results, std::chrono::steady_clock::time_point start,
                    std::chrono::steady_clock::time_point end, int lane) override;
  /// Starts a block that runs while the calling thread goes on; false: it runs in its turn.
  bool start_block(const RunContext& context, const Graph& graph, size_t position, Frame& frame);
  /// Waits for the blocks whose results these values are.
  void await(const RunContext& context, const Graph& graph, std::span<const ValueId> values) {
    if (blocks_ != nullptr) blocks_->await(context, graph, values);
  }
  std::vector<LateOperand> late_operands(const Graph& graph, const BoundSteps& bound) const;
  /// A node's operands: constants and known elements in place of tensors that are not there.
  struct Operands {
    std::vector<Tensor> tensors;
    std::vector<const Fact*> facts;
  };
  static Operands operands_of(const Node& node, Frame& frame);
  std::vector<Fact> infer_results(const RunContext& context, const Node& node,
                                  std::span<const Fact* const> facts) const;
  static std::string largest_tensor(const Graph& graph, const Steps& steps);
  void reserve_arena(size_t bytes, const std::function<std::string()>& largest);
  void free_arena();

  std::shared_ptr<const Program> program_;
  const SessionOptions options_;
  const std::atomic<uint32_t>* const cancelled_;
  ThreadPool pool_;
  const std::shared_ptr<MemoryLedger> ledger_;   // with the limit of the run that goes on, or the session's
  const std::unique_ptr<DeviceRunner> devices_;  // null where the program uses none
  StepCache::User step_user_;
  Pages arena_;
  std::optional<size_t> arena_in_use_;  // how much of the arena
  std::unordered_map<const Graph*, Frame> frames_;
  std::unique_ptr<BlockRunner> blocks_;  // null where the program has none
  std::string key_;
  std::vector<Tensor> given_;             // inputs of a run, until it begins
  std::span<const OutputMemory> memory_;  // by result, during a run
  std::optional<LateEnd> late_;           // of a run that may end so
  std::vector<ValueId> stay_;             // results of the main graph that stay on a device
  std::vector<bool> written_;             // by result: kernels write to its memory in this run
  std::vector<bool> wanted_;              // by result; empty: all
  OutputSelection selection_;             // for the wanted ones
  Profile* profile_ = nullptr;
  const Observer* observer_ = nullptr;
  std::chrono::steady_clock::time_point run_start_;
};

}  // namespace coracle::internal
