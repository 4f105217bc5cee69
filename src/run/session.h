// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/cancellation.h"
#include "base/process.h"
#include "run/executor.h"
#include "run/input_padding.h"

namespace coracle::internal {

class RunQueue;

/// One execution context of a model. One thread at a time: every call holds the session, and throws Error while another
/// call does, be it of another thread or the one whose observer calls. Results are shared or copied, so they stay.
class Session {
 public:
  Session(std::shared_ptr<const RunnableModel> model, const SessionOptions& options);

  const RunnableModel& model() const { return *model_; }
  const SessionOptions& options() const { return options_; }
  const std::shared_ptr<const RunnableModel>& shared_model() const { return model_; }
  /// What the model says of an input. Throws Error where there is none of that number.
  const TensorInfo& input_info(size_t index) const;

  /// Sets an input; the tensor is shared, not copied, and may be on a device. Throws Error when its type or rank is not
  /// the model's.
  void set_input(size_t index, Tensor tensor);
  /// The same with a copy. No element of a tensor that is refused is read: it may be shorter than its type says.
  void copy_input(size_t index, const Tensor& tensor);
  void set_input_lod(size_t index, Lod lod);
  /// From the next run on an output is in memory of the caller's, which has room for `bytes` and stays until it is
  /// taken away (by null), the output is bound to other memory, or the session ends. Throws Error where the memory
  /// overlaps that of another output.
  void bind_output(size_t index, void* data, size_t bytes);
  /// From the next run on an output stays on the model's device (Tensor::storage), until it is bound to memory, or by
  /// null. It lives as long as somebody has it; as an input of this or another session of that device it is not copied.
  /// Throws Error where the model uses no device.
  void keep_output_on_device(size_t index);
  /// The same, in memory of the user's on that device (UserMemory), in the elements of a tensor, as many as there are.
  /// Later runs overwrite it. Throws Error where it is not on the model's device, and where it overlaps that of another
  /// output.
  void bind_output(size_t index, const Tensor& tensor);
  /// From the next run on these outputs alone are computed, and variables that are kept: by their names, none for all
  /// of them. Throws Error where there is no such name.
  void select_outputs(std::span<const std::string_view> names);
  /// Runs on the model's device begin after what this stream was given before, until another or null is set. Throws
  /// Error where the model uses no device, and where that has no such stream.
  void set_stream(void* stream);
  void* stream() const { return stream_.load(std::memory_order_relaxed); }
  /// `options` hold for this run.
  void run(const RunOptions& options = {});
  /// Ends the run or the planning that goes on, or waits for its turn, with Error (cancelled); without one it does
  /// nothing. For any thread, for observers and for signal handlers.
  void cancel() noexcept { cancellation_.cancel(); }

  /// Told that an asynchronous run has ended, by what it failed with or null. May do all with the session, and end it.
  using Ended = std::function<void(const Error* failure)>;
  /// The same run in a thread of a RunQueue, which holds the session from now on until it has ended; then that thread
  /// calls `ended`, which may be null and does not throw. Limits of time count from now on.
  void run_async(const RunOptions& options, Ended ended);
  /// Returns when the last asynchronous run has ended and its `ended` has returned; throws what it failed with. For any
  /// number of threads. Throws Error where none was started, and in threads of runs where it would have to wait; in
  /// `ended` itself it does not.
  void wait() const;

  /// A result of the last run. Throws Error before the first.
  Tensor output(size_t index) const;
  /// A variable kept by ModelOptions::keep_tensors.
  Tensor kept(std::string_view name) const;

  void set_profiling(bool on);
  Profile profile() const;
  /// Shows values of later runs to `observer`; null for none.
  void set_observer(Observer observer);
  /// The first segment for the inputs set now, with refusals.
  std::shared_ptr<const Steps> explain();
  /// The graph with the types that follow from the inputs set now; the others' are those of the model.
  Graph typed_graph();

  /// What this machine reaches with the model's instruction set and this session's threads; measures for a moment.
  MachineLimits measure_limits();

  size_t arena_bytes() const { return memory().arena; }
  size_t plan_bytes() const { return memory().plans; }
  struct Memory {
    size_t arena = 0;
    size_t plans = 0;
    size_t device = 0;  ///< arenas on devices, and host memory that inputs and results pass through on their way
  };
  Memory memory() const;
  size_t release_memory();

  /// Holds the session for good, before its end, when its asynchronous run is over. False while a call holds it: then
  /// it may not end.
  bool claim_for_free() noexcept;

 private:
  class Use;  // holds the session for one call
  struct AsyncRun;

  void hold() const;
  void release() const noexcept;
  [[noreturn]] void refuse() const;
  void require_inputs() const;
  void run_held(const RunOptions& options);
  /// A run of padded inputs, with results of these shapes.
  void run_padded(const RunOptions& options, const std::vector<Shape>& own);
  /// The shapes of outputs for such shapes of inputs; unknown sizes depend on data.
  std::vector<Shape> result_shapes(const std::vector<Shape>& inputs) const;
  void run_in_queue(const RunOptions& options, AsyncRun& started, const Ended& ended) noexcept;
  std::shared_ptr<AsyncRun> last_async_run() const;
  std::shared_ptr<const AsyncRun> ended_async_run() const;

  /// Throws Error when the input takes no such tensor.
  void check_input(size_t index, const Tensor& tensor) const;
  void bind(size_t index, const OutputMemory& memory);
  /// Of all outputs of the graph: those of the model by the model's names, and what is kept.
  std::vector<std::string> output_names() const;
  /// A result of the last run, by its number among the graph's outputs. Throws Error where it was not wanted.
  const Tensor& result(size_t index) const;
  /// What the user's stream was given so far; null without one.
  std::shared_ptr<const StreamPoint> stream_point();
  std::string describe_inputs() const;
  /// The type of an input that was set.
  static Fact input_fact(const Tensor& tensor);

  std::shared_ptr<const RunnableModel> model_;
  SessionOptions options_;
  Cancellation cancellation_;
  Executor executor_;
  InputPadding padding_;
  std::vector<Tensor> inputs_;
  std::vector<Tensor> outputs_;
  std::vector<OutputMemory> output_memory_;  // by output; empty: none is bound
  std::atomic<void*> stream_ = nullptr;      // of the user's
  bool profiling_ = false;
  Profile profile_;
  Observer observer_;
  mutable std::atomic<bool> in_use_{false};
  mutable std::atomic<std::thread::id> user_;  // thread of the call that holds it
  std::atomic<bool> is_running_async_{false};  // an asynchronous run holds it
  const int64_t process_ = this_process();
  std::shared_ptr<RunQueue> queue_;                        // null before the first asynchronous run
  std::optional<Cancellation::Scope> async_cancellation_;  // during one
  mutable ProcessMutex async_run_mutex_;
  std::shared_ptr<AsyncRun> async_run_;  // the last one
};

}  // namespace coracle::internal
