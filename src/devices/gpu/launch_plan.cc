// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/launch_plan.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

namespace coracle::internal::gpu {

namespace {

size_t put_arguments(const KernelCall& call, const PlannedLaunch& launch, int64_t round, GpuQueue& queue,
                     Argument* arguments) noexcept {
  size_t count = 0;
  for (const Parameter& p : launch.parameters) {
    switch (p.kind) {
      case Parameter::Kind::kOperand:
        std::construct_at(arguments + count++, call.in[static_cast<size_t>(p.number)]);
        break;
      case Parameter::Kind::kResult:
        std::construct_at(arguments + count++, call.out[static_cast<size_t>(p.number)]);
        break;
      case Parameter::Kind::kWorkspace: {
        const DeviceBytes& workspace = *static_cast<const DeviceBytes*>(call.workspace);
        const size_t offset = workspace.offset + static_cast<size_t>(p.number) * sizeof(float);
        std::construct_at(arguments + count++, DeviceBytes{workspace.allocation, offset}, sizeof(float));
        break;
      }
      case Parameter::Kind::kRound: std::construct_at(arguments + count++, static_cast<int32_t>(round)); break;
      case Parameter::Kind::kInt: std::construct_at(arguments + count++, p.number); break;
      case Parameter::Kind::kFloat: std::construct_at(arguments + count++, p.real); break;
      case Parameter::Kind::kFaults:
        std::construct_at(arguments + count++, queue.faults(), sizeof(int64_t));
        std::construct_at(arguments + count++, queue.number_of(p.text));
        break;
    }
  }
  return count;
}

}  // namespace

Prepared prepared(LaunchPlan plan, int64_t workspace) {
  Prepared p;
  size_t most = 0;
  for (PlannedLaunch& launch : plan) {
    const size_t bytes = launch.function->workspace();
    if (bytes != 0) launch.parameters.push_back(Parameter::workspace(workspace));
    most = std::max(most, bytes);
  }
  p.workspace = static_cast<size_t>(workspace) * sizeof(float) + most;
  p.state_bytes = sizeof(LaunchPlan);
  for (const PlannedLaunch& launch : plan) {
    p.state_bytes += sizeof(PlannedLaunch) + launch.parameters.size() * sizeof(Parameter);
  }
  p.state = std::make_shared<const LaunchPlan>(std::move(plan));
  return p;
}

void run_plan(KernelCall& call) noexcept {
  auto& queue = static_cast<GpuQueue&>(*call.queue);
  for (const PlannedLaunch& l : *static_cast<const LaunchPlan*>(call.state)) {
    for (int64_t round = 0; round < l.rounds; ++round) {
      alignas(Argument) std::byte room[kMaxParameters * sizeof(Argument)];
      auto* arguments = reinterpret_cast<Argument*>(room);
      const size_t count = put_arguments(call, l, round, queue, arguments);
      queue.launch(*call.context, *l.function, l.grid, std::span<const Argument>(arguments, count));
    }
  }
}

Definitions& Definitions::set(std::string_view name, std::string_view value) {
  if (!text_.empty()) text_ += ' ';
  ((text_ += "-D").append(name)) += '=';
  for (char c : value) {
    if (c != ' ') text_ += c;
  }
  return *this;
}

Definitions& Definitions::set_each(std::string_view name, int first, int last) {
  std::string value;
  for (int i = first; i < last; ++i) ((value += "f(") += std::to_string(i)) += ')';
  return set(std::string(name) + "(f)", value);
}

Definitions& Definitions::set_stored(DType type) {
  if (type == DType::kFloat16) set("HALF", 1);
  if (type == DType::kInt8) set("INT8", 1);
  return *this;
}

std::shared_ptr<const Function> compile(OpenDevice& device, std::string_view name, const Definitions& definitions) {
  return static_cast<OpenGpu&>(device).compile({name}, name, definitions.text());
}

const char* storage_type(DType type) {
  switch (type) {
    case DType::kFloat32: return "f32";
    case DType::kFloat16: return "f16";
    case DType::kInt8: return "i8";
    case DType::kInt16: return "i16";
    case DType::kInt32: return "i32";
    case DType::kInt64: return "i64";
    default: return "u8";
  }
}

const char* moved_type(DType type) {
  switch (size_of(type)) {
    case 1: return "u8";
    case 2: return "u16";
    case 4: return "u32";
    default: return "u64";
  }
}

RejectionReason too_large(const ArgFacts& args) {
  const auto large = [](const Fact* f) { return f->shape.count() > std::numeric_limits<int32_t>::max() / 2; };
  for (const Fact* f : args.all_in()) {
    if (large(f)) return "an operand has more than 2^30 elements";
  }
  for (const Fact* f : args.all_out()) {
    if (large(f)) return "a result has more than 2^30 elements";
  }
  return nullptr;
}

int lanes_for(int64_t length) { return length <= kLanes / 2 ? 1 : kLanes; }

Grid grid_of_lines(int64_t lines, int lanes) {
  if (lanes == 1) return grid_of(lines);
  Grid grid;
  grid.global[0] = static_cast<size_t>(lines) * static_cast<size_t>(lanes);
  grid.local[0] = static_cast<size_t>(lanes);
  return grid;
}

Grid grid_of(int64_t count) {
  Grid grid;
  grid.global[0] = static_cast<size_t>(count);
  return grid;
}

}  // namespace coracle::internal::gpu
