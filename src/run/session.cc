// SPDX-License-Identifier: Apache-2.0
#include "run/session.h"

#include <algorithm>

#include "base/copy_bytes.h"
#include "base/counted.h"
#include "base/cpus.h"
#include "base/log.h"
#include "base/nearest_name.h"
#include "base/printable.h"

namespace coracle::internal {
namespace {

/// The model was consistent when it was loaded: what does not fit now are the inputs.
[[noreturn]] void blame_inputs(const Error& e, const char* work, const std::string& inputs) {
  throw Error(ErrorCode::kInvalidArgument, e.text()).add_context(text(work, " with ", inputs));
}

/// Plans cut the work for all threads of a session, and whoever runs it alone pays for each cut (row tiles of images
/// overlap): no more than so many for each processor.
constexpr int kMostPerCpu = 4;

int thread_count(const SessionOptions& options) {
  int asked = options.threads;
  if (asked == 0 && options.workers != nullptr) asked = options.workers->threads();
  if (options.workers != nullptr && options.workers->is_imagined()) return asked;
  if (asked == 0) asked = static_cast<int>(options.cpus.size());
  const int threads = asked == 0 ? usable_cpus() : std::min(asked, kMostPerCpu * allowed_cpus());
  log(threads < asked ? LogLevel::kWarning : LogLevel::kDebug, "session with ", counted(threads, "thread"), ": ", asked,
      " requested, ", counted(usable_cpus(), "processor"), " available");
  return threads;
}

/// The options with threads: their number, and where they have processors, what runs on these.
SessionOptions with_threads(SessionOptions options) {
  options.threads = thread_count(options);
  if (!options.cpus.empty()) options.workers = std::make_shared<Workers>(options.threads, options.cpus);
  return options;
}

/// The first dimension whose size is not the one that the model declares, or -1. The rows of an input with sequence
/// offsets are those of all its sequences, whatever is declared.
int undeclared_size(const TensorInfo& info, const Shape& shape) {
  if (!info.shape.rank_known()) return -1;
  for (int i = info.lod_levels > 0 ? 1 : 0; i < shape.rank(); ++i) {
    if (info.shape[i] >= 0 && info.shape[i] != shape[i]) return i;
  }
  return -1;
}

void check_sizes(const TensorInfo& info, const Shape& shape) {
  const int i = undeclared_size(info, shape);
  require(i < 0, ErrorCode::kInvalidArgument, "input '", info.name, "' takes ", Fact(info.dtype, info.shape),
          ", given ", Fact(info.dtype, shape), ": dimension ", i, " has size ", i < 0 ? 0 : shape[i],
          ", the model declares ", i < 0 ? 0 : info.shape[i], " (without check_declared_sizes it runs nevertheless)");
}

}  // namespace

/// Marks the session as busy while a call runs.
class Session::Use {
 public:
  explicit Use(const Session& session) : session_(session) {
    session.hold();
    session.user_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  }
  ~Use() { session_.release(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  const Session& session_;
};

void Session::hold() const {
  if (in_use_.exchange(true, std::memory_order_acquire)) refuse();
}

void Session::release() const noexcept {
  user_.store(std::thread::id(), std::memory_order_relaxed);
  in_use_.store(false, std::memory_order_release);
}

void Session::refuse() const {
  if (process_ != this_process()) {
    fail(ErrorCode::kInvalidArgument, "the session is in use by another thread of this process, ", this_process(),
         ", or was when that was forked from process ", process_,
         ": a session belongs to one thread at a time; what was in use during a fork stays so, load the model again "
         "in this process");
  }
  require(user_.load(std::memory_order_relaxed) != std::this_thread::get_id(), ErrorCode::kInvalidArgument,
          "the session is in use by its own observer, which may not call it");
  require(!is_running_async_.load(std::memory_order_relaxed), ErrorCode::kInvalidArgument,
          "the session is in use by its asynchronous run: wait for the end of that, or make one session for each run "
          "at the same time");
  fail(ErrorCode::kInvalidArgument,
       "the session is in use by another thread: a session belongs to one thread at a time, make one per thread");
}

Session::Session(std::shared_ptr<const RunnableModel> model, const SessionOptions& options)
    : model_(std::move(model)),
      options_(options),
      executor_(model_->program(), with_threads(options), &cancellation_.state()),
      padding_(options.padding, model_->info().inputs, model_->info().outputs),
      inputs_(model_->info().inputs.size()) {}

const TensorInfo& Session::input_info(size_t index) const {
  const std::vector<TensorInfo>& infos = model_->info().inputs;
  require(index < infos.size(), ErrorCode::kInvalidArgument, "the model has ", counted(infos.size(), "input"),
          ", there is no input ", index);
  return infos[index];
}

void Session::check_input(size_t index, const Tensor& tensor) const {
  const TensorInfo& info = input_info(index);
  require(tensor.dtype() == info.dtype, ErrorCode::kInvalidArgument, "input '", info.name, "' takes elements of type ",
          info.dtype, ", given ", tensor.dtype());
  require(!info.shape.rank_known() || tensor.shape().rank() == info.shape.rank(), ErrorCode::kInvalidArgument,
          "input '", info.name, "' has ", counted(info.shape.rank(), "dimension"), " ", info.shape, ", given ",
          tensor.shape());
  if (model_->declared_sizes_bind()) check_sizes(info, tensor.shape());
  require(tensor.bytes() == 0 || tensor.raw() != nullptr || !tensor.is_on_host(), ErrorCode::kInvalidArgument,
          "input '", info.name, "' was given no data");
}

void Session::set_input(size_t index, Tensor tensor) {
  const Use use(*this);
  check_input(index, tensor);
  if (!inputs_[index].lod().empty() && tensor.lod().empty() && !inputs_[index].empty_handle() &&
      inputs_[index].lod().back().back() == static_cast<size_t>(tensor.shape().rank() > 0 ? tensor.shape()[0] : 0)) {
    tensor.share_lod(inputs_[index]);
  }
  inputs_[index] = std::move(tensor);
}

void Session::copy_input(size_t index, const Tensor& tensor) {
  check_input(index, tensor);
  set_input(index, tensor.clone());
}

void Session::set_input_lod(size_t index, Lod lod) {
  const Use use(*this);
  const std::string& name = input_info(index).name;
  Tensor& input = inputs_[index];
  require(!input.empty_handle(), ErrorCode::kInvalidArgument, "set input '", name, "' before its sequence offsets");
  for (size_t level = 0; level < lod.size(); ++level) {
    const std::vector<size_t>& offsets = lod[level];
    require(!offsets.empty() && offsets.front() == 0 && std::is_sorted(offsets.begin(), offsets.end()),
            ErrorCode::kInvalidArgument, "sequence offsets of input '", name, "', level ", level,
            ", must begin with 0 and must not decrease");
    const size_t end = level + 1 < lod.size() ? lod[level + 1].size() - 1
                                              : static_cast<size_t>(input.shape().rank() > 0 ? input.shape()[0] : 0);
    require(offsets.back() == end, ErrorCode::kInvalidArgument, "sequence offsets of input '", name, "', level ", level,
            ", end with ", offsets.back(), ", expected ", end);
  }
  input.set_lod(std::move(lod));
}

void Session::bind_output(size_t index, void* data, size_t bytes) { bind(index, {.data = data, .bytes = bytes}); }

void Session::keep_output_on_device(size_t index) {
  require(executor_.has_devices(), ErrorCode::kInvalidArgument, "output ", index,
          " cannot stay on a device: the model uses none, load it with the option `device`");
  bind(index, {.on_device = true});
}

void Session::bind_output(size_t index, const Tensor& tensor) {
  require(UserMemory::of(tensor) != nullptr, ErrorCode::kInvalidArgument, "output ", index,
          " cannot be bound to the tensor: that is a result, which never changes, or on the host; give one in memory "
          "of your own on the device");
  require(!executor_.place_of(tensor).is_host(), ErrorCode::kInvalidArgument, "output ", index,
          " is bound to a tensor on ", shared(*UserMemory::of(tensor)->open_device()).name(),
          ", where the model does not run: load it with the option `device`");
  bind(index, {.data = nullptr,
               .bytes = tensor.bytes(),
               .there = std::static_pointer_cast<const UserMemory>(tensor.storage()),
               .dtype = tensor.dtype()});
}

void Session::set_stream(void* stream) {
  const Use use(*this);
  if (stream == this->stream()) return;
  const std::span<const UsedDevice> devices = model_->program()->selector().devices();
  require(!devices.empty(), ErrorCode::kInvalidArgument,
          "the session takes no stream: the model uses no device, load it with the option `device`");
  if (stream != nullptr) shared(*devices.front().open).check_stream(stream);
  // Work on tensors that are gone may be under way on the one before: blocks are freed after it.
  executor_.release_devices();
  stream_.store(stream, std::memory_order_relaxed);
}

std::shared_ptr<const StreamPoint> Session::stream_point() {
  if (stream() == nullptr) return nullptr;
  executor_.settle_devices();  // before the point, which others may put work behind
  return shared(*model_->program()->selector().devices().front().open).point_of(stream());
}

void Session::bind(size_t index, const OutputMemory& memory) {
  const Use use(*this);
  const size_t count = model_->info().outputs.size();
  require(index < count, ErrorCode::kInvalidArgument, "the model has ", counted(count, "output"),
          ", there is no output ", index);
  for (size_t i = 0; i < output_memory_.size(); ++i) {
    const OutputMemory& other = output_memory_[i];
    require(i == index || !memory.is_users() || !other.is_users() || !memory.overlaps(other),
            ErrorCode::kInvalidArgument, "the memory for output ", index, " overlaps that of output ", i);
  }
  outputs_.clear();  // they may be in memory that is about to go
  output_memory_.resize(std::max(count, output_memory_.size()));
  const bool is_wanted = output_memory_[index].is_wanted;
  output_memory_[index] = memory;
  output_memory_[index].is_wanted = is_wanted;
}

std::vector<std::string> Session::output_names() const {
  std::vector<std::string> names = model_->program()->graph().output_names();
  for (size_t i = 0; i < model_->info().outputs.size(); ++i) names[i] = model_->info().outputs[i].name;
  return names;
}

void Session::select_outputs(std::span<const std::string_view> names) {
  const Use use(*this);
  const std::vector<std::string> all = output_names();
  std::vector<bool> wanted(all.size(), names.empty());
  for (std::string_view name : names) {
    const std::string wanted_name = printable(name);
    const auto found = std::find(all.begin(), all.end(), wanted_name);
    require(found != all.end(), ErrorCode::kInvalidArgument, "there is no output ", in_quotes(name),
            ", and no variable of that name is kept (keep_tensors)", suggestion(wanted_name, all));
    wanted[static_cast<size_t>(found - all.begin())] = true;
  }
  outputs_.clear();
  output_memory_.resize(all.size());
  for (size_t i = 0; i < all.size(); ++i) output_memory_[i].is_wanted = wanted[i];
}

MachineLimits Session::measure_limits() {
  const Use use(*this);
  return executor_.measure_limits();
}

void Session::set_profiling(bool on) {
  const Use use(*this);
  profiling_ = on;
}

Profile Session::profile() const {
  const Use use(*this);
  return profile_;
}

Session::Memory Session::memory() const {
  const Use use(*this);
  return {.arena = executor_.arena_bytes(), .plans = executor_.plan_bytes(), .device = executor_.device_bytes()};
}

void Session::set_observer(Observer observer) {
  const Use use(*this);
  observer_ = std::move(observer);
}

void Session::require_inputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const TensorInfo& info = model_->info().inputs[i];
    require(!inputs_[i].empty_handle(), ErrorCode::kInvalidArgument, "input '", info.name, "' (", info.dtype,
            info.shape, ") was not set");
  }
}

void Session::run(const RunOptions& options) {
  const Use use(*this);
  const Cancellation::Scope may_be_cancelled(cancellation_);
  require_inputs();
  RunOptions own = options;
  own.after = stream_point();
  own.may_end_late = own.after != nullptr;
  run_held(own);
}

void Session::run_held(const RunOptions& options) {
  profile_.clear();
  executor_.set_profile(profiling_ ? &profile_ : nullptr);
  executor_.set_observer(observer_ != nullptr ? &observer_ : nullptr);
  outputs_.clear();
  try {
    const std::vector<Shape> own =
        padding_.own_shapes(inputs_, [this](const std::vector<Shape>& inputs) { return result_shapes(inputs); });
    if (own.empty()) {
      executor_.run(outputs_, inputs_, options, output_memory_);
    } else {
      run_padded(options, own);
    }
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInvalidModel) throw;
    blame_inputs(e, "running", describe_inputs());
  }
}

void Session::run_padded(const RunOptions& options, const std::vector<Shape>& own) {
  std::vector<OutputMemory> memory = output_memory_;
  for (size_t i = 0; i < memory.size(); ++i) {
    require(!memory[i].on_device && memory[i].there == nullptr, ErrorCode::kInvalidArgument, "output ", i,
            " stays on a device, where results of padded inputs are not cut back: take it to the host, or give inputs "
            "of sizes that need no padding");
    memory[i] = {.is_wanted = memory[i].is_wanted};
  }
  std::vector<Tensor> results = executor_.run(padding_.padded(inputs_), options, memory);
  for (size_t i = 0; i < results.size() && i < own.size(); ++i) {
    Tensor& result = results[i];
    if (i < output_memory_.size() && !output_memory_[i].is_wanted) continue;
    if (result.shape() != own[i]) result = front_part(result, own[i]);
    if (i >= output_memory_.size() || output_memory_[i].data == nullptr) continue;
    require(result.bytes() <= output_memory_[i].bytes, ErrorCode::kInvalidArgument, "output ", i, " needs ",
            counted(result.bytes(), "byte"), ", but the memory that it is bound to has ", output_memory_[i].bytes);
    copy_bytes(output_memory_[i].data, result.raw(), result.bytes());
    result = Tensor::borrow(result.dtype(), result.shape(), output_memory_[i].data);
  }
  outputs_ = std::move(results);
}

std::vector<Shape> Session::result_shapes(const std::vector<Shape>& inputs) const {
  Graph graph = model_->program()->graph();
  for (size_t i = 0; i < inputs.size(); ++i) {
    Fact fact = input_fact(inputs_[i]);
    fact.shape = inputs[i];
    graph.set_input_fact(graph.inputs()[i], fact);
  }
  graph.infer_all();
  std::vector<Shape> shapes;
  for (const ValueId v : graph.outputs()) shapes.push_back(graph.fact(v).shape);
  return shapes;
}

std::string Session::describe_inputs() const {
  std::string out;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    out.append(out.empty() ? "" : ", ");
    const TensorInfo& info = model_->info().inputs[i];
    out.append(text("'", info.name, "' ", inputs_[i].dtype(), inputs_[i].shape()));
    if (undeclared_size(info, inputs_[i].shape()) < 0) continue;
    out.append(text(" (the model declares ", Fact(info.dtype, info.shape), ")"));
  }
  return out;
}

Tensor Session::output(size_t index) const {
  const Use use(*this);
  const size_t count = model_->info().outputs.size();
  require(index < count, ErrorCode::kInvalidArgument, "the model has ", counted(count, "output"),
          ", there is no output ", index);
  require(index < outputs_.size(), ErrorCode::kInvalidArgument, "there are no outputs before a run that succeeded");
  return result(index);
}

const Tensor& Session::result(size_t index) const {
  if (index < output_memory_.size() && !output_memory_[index].is_wanted) {
    fail(ErrorCode::kInvalidArgument, in_quotes(output_names()[index]),
         " is not among the outputs that runs compute: select it, or all of them");
  }
  return outputs_[index];
}

Tensor Session::kept(std::string_view name) const {
  const Use use(*this);
  const std::vector<std::string>& names = model_->program()->graph().output_names();
  const std::string wanted = printable(name);
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != wanted) continue;
    require(i < outputs_.size(), ErrorCode::kInvalidArgument, "there are no tensors before a run that succeeded");
    return result(i);
  }
  fail(ErrorCode::kInvalidArgument, "variable ", in_quotes(name),
       " is not kept: name it in keep_tensors when loading the model (is it a variable of the main block?)");
}

std::shared_ptr<const Steps> Session::explain() {
  const Use use(*this);
  const Cancellation::Scope may_be_cancelled(cancellation_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    require(!inputs_[i].empty_handle(), ErrorCode::kInvalidArgument, "input '", model_->info().inputs[i].name,
            "' was not set");
  }
  std::vector<Fact> facts;
  for (const Tensor& input : padding_.padded(inputs_)) {
    facts.push_back(input_fact(input));
    facts.back().place = executor_.place_of(input);
  }
  try {
    return executor_.plan(facts, true);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInvalidModel) throw;
    blame_inputs(e, "planning", describe_inputs());
  }
}

Fact Session::input_fact(const Tensor& tensor) {
  Fact fact(tensor.dtype(), tensor.shape());
  if (!tensor.lod().empty()) fact.lod = std::make_shared<const Lod>(tensor.lod());
  return fact;
}

Graph Session::typed_graph() {
  const Use use(*this);
  const Cancellation::Scope may_be_cancelled(cancellation_);
  Graph graph = model_->program()->graph();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].empty_handle()) graph.set_input_fact(graph.inputs()[i], input_fact(inputs_[i]));
  }
  try {
    graph.infer_all();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInvalidModel) throw;
    blame_inputs(e, "inferring", describe_inputs());
  }
  return graph;
}

size_t Session::release_memory() {
  const Use use(*this);
  outputs_.clear();
  return executor_.release_memory();
}

}  // namespace coracle::internal
