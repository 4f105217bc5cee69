// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "devices/gpu/open_gpu.h"

/// What the kernels of all families share: a node is a list of launches with their arguments, made while planning, so
/// that one function runs all of them.
namespace coracle::internal::gpu {

/// One argument of a kernel, known while planning up to where tensors lie.
struct Parameter {
  enum class Kind : uint8_t { kOperand, kResult, kWorkspace, kRound, kInt, kFloat, kFaults };
  Kind kind = Kind::kInt;
  int32_t number = 0;  ///< an integer, the position in the flat list of operands or results, or in the workspace
  float real = 0;
  const char* text = nullptr;  ///< static

  static Parameter operand(int position) { return {Kind::kOperand, position, 0}; }
  static Parameter result(int position = 0) { return {Kind::kResult, position, 0}; }
  /// Floats of the call's workspace, from one on.
  static Parameter workspace(int64_t first) { return {Kind::kWorkspace, static_cast<int32_t>(first), 0}; }
  /// Which of the launch's rounds it is.
  static Parameter round() { return {Kind::kRound, 0, 0}; }
  static Parameter of(int64_t value) { return {Kind::kInt, static_cast<int32_t>(value), 0}; }
  static Parameter of(float value) { return {Kind::kFloat, 0, value}; }
  /// Where kernels/faults.cl says that an index from this operand ("Ids") is out of range, and the operand's number.
  static Parameter faults(const char* operand) { return {Kind::kFaults, 0, 0, operand}; }
};

struct PlannedLaunch {
  std::shared_ptr<const Function> function;
  Grid grid;
  std::vector<Parameter> parameters;
  int64_t rounds = 1;  ///< how often it is launched, each time after the time before
};

using LaunchPlan = std::vector<PlannedLaunch>;

/// Kernels take at most this many parameters.
inline constexpr size_t kMaxParameters = 96;

/// `workspace`: floats that launches of the plan share. Behind them lies what functions need for themselves, one after
/// the other (Function::workspace).
Prepared prepared(LaunchPlan plan, int64_t workspace = 0);

/// KernelDef::run of every kernel.
void run_plan(KernelCall& call) noexcept;

/// Preprocessor definitions as OpenGpu::compile takes them.
class Definitions {
 public:
  /// Blanks are left out of the value: nothing in it may need them.
  Definitions& set(std::string_view name, std::string_view value);
  Definitions& set(std::string_view name, int64_t value) { return set(name, std::to_string(value)); }
  /// name(f) as f(first)f(first + 1) ... f(last - 1)
  Definitions& set_each(std::string_view name, int first, int last);
  /// What numbers in memory are, for sources that have them in STORED: real numbers, or int8 that is read as such.
  Definitions& set_stored(DType type);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// The function of kernels/`name`.cl that has its name, for the device of a PrepareContext. Throws Error.
std::shared_ptr<const Function> compile(OpenDevice& device, std::string_view name, const Definitions& definitions);

/// An element type in kernels: as it is stored, or the integer of its size where it is only moved.
const char* storage_type(DType type);
const char* moved_type(DType type);

/// Why no kernel takes a node: positions are 32-bit integers.
RejectionReason too_large(const ArgFacts& args);

/// Work-groups that take a line each have this many items, which are its lanes: item i takes elements i, i + kLanes ...
/// in order, and the lanes are joined pairwise, i with i + kLanes / 2 first. Short lines are taken by one item.
inline constexpr int kLanes = 64;
int lanes_for(int64_t length);
/// Items for `lines` lines.
Grid grid_of_lines(int64_t lines, int lanes);
/// One item for each element.
Grid grid_of(int64_t count);

/// float32 and float16, all operands alike.
inline constexpr DTypes kFloats = DType::kFloat32 | DType::kFloat16;
inline constexpr TypeRule kFloatRule = {.operands = kFloats, .results = kFloats, .alike = true};
/// The same and int8, for what chooses one of the numbers that it reads.
inline constexpr DTypes kChosen = kFloats | DType::kInt8;
inline constexpr TypeRule kChosenRule = {.operands = kChosen, .results = kChosen, .alike = true};
/// What is moved, whatever it is.
inline constexpr DTypes kMoved = DTypes::all() - DTypes(DType::kComplex128);
inline constexpr TypeRule kMovedRule = {.operands = kMoved, .results = kMoved};

}  // namespace coracle::internal::gpu
