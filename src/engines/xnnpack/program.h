// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xnnpack.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "node.h"
#include "strided_copy.h"

namespace coracle_xnnpack {

using ValueNumber = int;
inline constexpr ValueNumber kNoValue = -1;  ///< of an operand that is absent

/// A tensor of the program. One of rank 4 lies channels-last unless `rows` says that it is row-major; any other is
/// row-major.
struct Value {
  Dims dims;  ///< logical: N, C, H, W
  bool rows = false;
  const float* constant = nullptr;
  int input = -1;     ///< of the block, if it is one
  int output = -1;    ///< of the block, if its memory is that
  int producer = -1;  ///< step
  bool kept = false;  ///< read by a later level than it is written in

  bool channels_last() const { return dims.size() == 4 && !rows; }
  /// The sizes as they lie in memory.
  std::vector<size_t> stored() const;
  /// How far apart elements lie, by logical dimension.
  Dims strides() const;
};

/// An operator of XNNPACK, or a copy.
struct Step {
  using Define = std::function<xnn_status(xnn_subgraph_t, const uint32_t* ids)>;

  std::vector<ValueNumber> values;  ///< operands, then the result
  Define define;                    ///< gets the numbers of `values` in the subgraph; null for a copy
  StridedCopy copy;                 ///< of values[0] to values[1], which other steps may write parts of
  std::string name;                 ///< of the node, for messages
  int level = 0;                    ///< kNoLevel: nobody needs it
};
inline constexpr int kNoLevel = -1;

/// A block as steps. Steps of XNNPACK that need no copy between them become one subgraph: levels with even numbers are
/// subgraphs, those with odd ones copies.
class Program {
 public:
  ValueNumber add(Value value);
  const Value& value(ValueNumber v) const { return values_[static_cast<size_t>(v)]; }
  const std::deque<Value>& values() const { return values_; }
  const std::vector<Step>& steps() const { return steps_; }

  /// Elements that stay with the program, with the room behind them that XNNPACK reads; in the order they lie in.
  const float* keep(std::vector<float> elements);

  void define(std::vector<ValueNumber> operands, ValueNumber result, Step::Define define, const std::string& name);
  void copy(ValueNumber from, ValueNumber to, StridedCopy copy);
  /// The value is output `output` of the block.
  void add_output(ValueNumber value, int output);
  /// Decides on levels; nothing is added afterwards.
  void finish();

  int levels() const { return levels_; }
  size_t bytes() const { return bytes_; }

 private:
  int level_of(ValueNumber value, bool copy) const;

  std::deque<Value> values_;
  std::vector<Step> steps_;
  std::deque<std::vector<float>> kept_;
  size_t bytes_ = 0;
  int levels_ = 0;
};

/// A copy of the elements of `from` to those of `to`, of equal shape; dimension i of `to` is `order[i]` of `from`
/// (empty: the same).
StridedCopy whole_copy(const Value& from, const Value& to, const Dims& order = {});

/// What one session needs to run a program.
class ProgramRun {
 public:
  /// Throws Refused where XNNPACK does.
  ProgramRun(const Program& program, int threads);
  ~ProgramRun();
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  void run(const void* const* inputs, void* const* outputs);

 private:
  struct Runtime {
    xnn_runtime_t runtime = nullptr;
    std::vector<xnn_external_value> external;
    std::vector<ValueNumber> values;  ///< by position in `external`
    bool set_up = false;
  };

  void build(int level);
  void release();

  const Program& program_;
  pthreadpool_t pool_ = nullptr;
  std::vector<Runtime> runtimes_;  ///< by half the level; without a runtime where a level is empty
  std::vector<std::vector<float>> buffers_;
  std::vector<float*> memory_;  ///< by value; null where it has none of its own
};

/// "xnn_status_invalid_parameter"
const char* name_of(xnn_status status);

}  // namespace coracle_xnnpack
