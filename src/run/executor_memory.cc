// SPDX-License-Identifier: Apache-2.0
// What an executor holds: its arena, and tensors as long as something uses them.
#include <algorithm>
#include <new>

#include "base/counted.h"
#include "base/long_loop.h"
#include "base/printable.h"
#include "run/executor.h"

namespace coracle::internal {
namespace {

Fact fact_of(const Tensor& tensor) {
  Fact fact(tensor.dtype(), tensor.is_array() ? Shape::unknown_rank() : tensor.shape());
  fact.is_array = tensor.is_array();
  if (!tensor.lod().empty()) fact.lod = std::make_shared<const Lod>(tensor.lod());
  return fact;
}

}  // namespace

void Executor::make_available(Frame& frame, ValueId value, Tensor tensor) {
  const Place place = place_of(tensor);
  if (place.is_host()) {
    tensor = tensor.to_host();  // from a device that the program does not use
  } else if (const UserMemory* memory = UserMemory::of(tensor); memory != nullptr && !memory->takes_kernels()) {
    tensor = devices_->clone(tensor, ledger_);
  }
  frame.facts[index(value)] = fact_of(tensor);
  frame.facts[index(value)].place = place;
  frame.tensors[index(value)] = std::move(tensor);
  frame.available.push_back(value);
}

std::optional<Tensor> Executor::in_user_memory(const Graph& graph, ValueId value, const Fact& fact,
                                               const Steps& steps) const {
  if (memory_.empty() || &graph != &program_->graph()) return std::nullopt;
  if (steps.counted && std::count(steps.counted->values.begin(), steps.counted->values.end(), value) != 0) {
    return std::nullopt;  // there may be fewer rows than kernels are given memory for
  }
  const std::vector<ValueId>& outputs = graph.outputs();
  for (size_t i = 0; i < memory_.size(); ++i) {
    const OutputMemory& memory = memory_[i];
    if (!written_[i] || outputs[i] != value || fact.bytes() > memory.bytes) continue;
    if (fact.place.is_host() != (memory.there == nullptr)) continue;
    if (memory.there == nullptr) return Tensor::borrow(fact.dtype, fact.shape, memory.data);
    Tensor there = Tensor::on_device(fact.dtype, fact.shape, memory.there);
    if (fact.dtype == memory.dtype && place_of(there) == fact.place) return there;
  }
  return std::nullopt;
}

Tensor Executor::read_after(const Tensor& tensor, const std::shared_ptr<const StreamPoint>& point) {
  Tensor same = Tensor::on_device(tensor.dtype(), tensor.shape(), UserMemory::of(tensor)->after(point));
  same.share_lod(tensor);
  return same;
}

/// What is copied to its place when the steps are done, and what other nodes read, has to be waited for.
LateEnd* Executor::late_end(const Graph& graph, size_t position, const Steps& steps, const Frame& frame) {
  if (!late_ || &graph != &program_->graph() || position != 0 || steps.stop != graph.order().size()) return nullptr;
  const std::vector<ValueId>& outputs = graph.outputs();
  if (memory_.size() != outputs.size()) return nullptr;
  late_->held.clear();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = frame.tensors[index(outputs[i])];
    if (graph.value(outputs[i]).is_constant() || memory_[i].there == nullptr || !written_[i]) return nullptr;
    if (tensor.empty_handle() || tensor.storage() != memory_[i].there) return nullptr;
    late_->held.push_back(tensor);
  }
  for (const ValueId input : graph.inputs()) late_->held.push_back(frame.tensors[index(input)]);
  return &*late_;
}

std::span<Tensor> Executor::follow(std::span<const Tensor> inputs, const RunOptions& options) {
  given_.assign(inputs.begin(), inputs.end());
  StreamPoints points;
  if (options.after != nullptr) points.push_back(options.after);
  for (Tensor& tensor : given_) {
    const UserMemory* const memory = UserMemory::of(tensor);
    if (memory == nullptr) continue;
    points.insert(points.end(), memory->points().begin(), memory->points().end());
    if (options.after == nullptr) continue;
    tensor = read_after(tensor, options.after);
  }
  for (const OutputMemory& memory : memory_) {
    if (memory.there == nullptr) continue;
    points.insert(points.end(), memory.there->points().begin(), memory.there->points().end());
  }
  if (devices_ != nullptr) devices_->follow(points);
  return given_;
}

void Executor::deliver(const RunContext& context, std::vector<Tensor>& outputs) {
  const Graph& graph = program_->graph();
  std::vector<Tensor>& tensors = frames_.at(&graph).tensors;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const OutputMemory memory = i < memory_.size() ? memory_[i] : OutputMemory();
    if (!memory.is_wanted) continue;
    Tensor& output = outputs[i];
    if (!memory.on_device && memory.there == nullptr) output = output.to_host();
    if (!memory.is_users() && !memory.on_device) continue;
    const std::string& name = graph.output_names()[i];
    if (output.is_array()) {  // names are made readable for messages alone
      fail(ErrorCode::kInvalidArgument, "output ", i, " (", in_quotes(name),
           ") is a list of tensors, which no memory can be bound to");
    }
    if (memory.on_device) {
      if (output.is_on_host()) {
        output = devices_->upload(output, Place{1}, ledger_);
      } else if (UserMemory::of(output) != nullptr) {  // what the user gave, who may change it
        output = devices_->clone(output, ledger_);
      }
      continue;
    }
    if (output.bytes() > memory.bytes) {
      fail(ErrorCode::kInvalidArgument, "output ", i, " (", in_quotes(name), ") is ", output.dtype(), output.shape(),
           ", ", counted(output.bytes(), "byte"), ", its memory has room for ", memory.bytes);
    }
    if (memory.there != nullptr) {
      if (output.dtype() != memory.dtype) {
        fail(ErrorCode::kInvalidArgument, "output ", i, " (", in_quotes(name), ") has elements of type ",
             output.dtype(), ", the tensor that it is bound to has ", memory.dtype);
      }
      output = devices_->copy(output, memory.there);
      continue;
    }
    Tensor there = Tensor::borrow(output.dtype(), output.shape(), memory.data);
    there.share_lod(output);
    if (output.raw() != memory.data && output.bytes() != 0) {
      copy_in_blocks(context, there.raw(), output.raw(), output.bytes());
    }
    output = std::move(there);
  }
  // Later runs write elsewhere, unless they are told to.
  for (size_t i = 0; i < memory_.size(); ++i) {
    Tensor& tensor = tensors[index(graph.outputs()[i])];
    const OutputMemory& memory = memory_[i];
    const bool is_there = memory.there == nullptr ? tensor.raw() == memory.data : tensor.storage() == memory.there;
    if (written_[i] && is_there) tensor = Tensor();
  }
  memory_ = {};
}

void Executor::bring_to_host(Frame& frame, ValueId value) {
  Tensor& tensor = frame.tensors[index(value)];
  if (tensor.is_on_host()) return;
  tensor = tensor.to_host();
  frame.facts[index(value)].place = Place{};
}

void Executor::free_used(const Graph& graph, Frame& frame, size_t position) {
  const std::vector<size_t>& last_use = program_->info(graph).uses.last_use;
  std::erase_if(frame.available, [&](ValueId v) {
    const size_t last = last_use[index(v)];
    if (last != GraphUses::kUnused && last >= position) return false;
    frame.tensors[index(v)] = Tensor();
    frame.facts[index(v)].value = nullptr;
    return true;
  });
}

void Executor::reclaim() {
  for (auto& [graph, frame] : frames_) {
    std::vector<bool> kept(frame.tensors.size(), false);
    for (ValueId v : frame.available) kept[index(v)] = true;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) frame.tensors[i] = Tensor();
    }
  }
  unbind();
  if (devices_ != nullptr) devices_->release();
  if (!arena_in_use_) return free_arena();
  const size_t before = arena_.bytes();
  arena_.trim(*arena_in_use_);
  ledger_->give_back(before - arena_.bytes());
}

/// "the largest is float32[1, 64, 320, 320], 26214400 bytes, of conv2d (conv2d_3)", of the tensors in the arena.
std::string Executor::largest_tensor(const Graph& graph, const Steps& steps) {
  const Step* maker = nullptr;
  const Fact* largest = nullptr;
  for (const Step& step : steps.steps) {
    for (int l : step.out) {
      const SegmentBuffer& buffer = steps.buffers[static_cast<size_t>(l)];
      if (buffer.slot.kind != Slot::Kind::kArena || !buffer.fact.place.is_host()) continue;
      if (largest != nullptr && buffer.fact.bytes() <= largest->bytes()) continue;
      largest = &buffer.fact;
      maker = &step;
    }
  }
  if (largest == nullptr) return "all of it scratch of kernels";
  return text("the largest is ", *largest, ", ", counted(largest->bytes(), "byte"), ", of ", maker->op.name(),
              maker->node == kNoNode ? std::string() : text(" (", graph.node(maker->node).name, ")"));
}

/// `largest` says what takes most of it.
void Executor::reserve_arena(size_t bytes, const std::function<std::string()>& largest) {
  // Tensors without elements lie somewhere too: offsets to a null pointer are undefined.
  const bool enough = arena_.data() != nullptr && arena_.bytes() >= bytes;
  // Under a limit, what a larger run has left must not be missing in this one.
  if (enough && (ledger_->limit() == 0 || ledger_->used() <= ledger_->limit() / 2)) return;
  free_arena();
  const auto what = [&] { return text("intermediate tensors (", largest(), ")"); };
  ledger_->charge(bytes, what);
  try {
    arena_ = Pages(bytes);
  } catch (const std::bad_alloc&) {
    ledger_->give_back(bytes);
    fail(ErrorCode::kOutOfMemory, "not enough memory: ", counted(bytes, "byte"), " for ", what(),
         " cannot be allocated; use smaller inputs");
  }
}

void Executor::free_all() {
  frames_.clear();
  free_arena();
  if (devices_ != nullptr) devices_->release();
}

void Executor::free_arena() {
  ledger_->give_back(arena_.bytes());
  arena_ = Pages();
}

/// Whatever runs at the moment stays bound to its end.
void Executor::unbind() {
  for (auto& [graph, frame] : frames_) frame.bound.clear();
}

size_t Executor::plan_bytes() const {
  size_t bytes = 0;
  for (const auto& [graph, frame] : frames_) {
    for (const auto& [position, bound] : frame.bound) bytes += bound->bytes();
  }
  return bytes;
}

size_t Executor::release_memory() {
  size_t bytes = arena_bytes() + device_bytes();
  for (const auto& [graph, frame] : frames_) {
    for (const Tensor& t : frame.tensors) bytes += t.empty_handle() || t.is_array() ? 0 : t.bytes();
  }
  const size_t bound = plan_bytes();
  unbind();
  if (devices_ != nullptr) devices_->release();  // it keeps the steps of what it has recorded
  bytes += std::max(bound, program_->steps().release_unused());
  free_all();
  if (blocks_ != nullptr) blocks_->release();
  return bytes;
}

}  // namespace coracle::internal
