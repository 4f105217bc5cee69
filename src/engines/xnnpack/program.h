// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xnnpack.h>

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node.h"
#include "operator.h"
#include "packed.h"
#include "strided_copy.h"

namespace coracle_xnnpack {

using ValueNumber = int;
inline constexpr ValueNumber kNoValue = -1;

enum class Element { kFloat32, kInt8 };

constexpr size_t bytes_of(Element element) { return element == Element::kInt8 ? 1 : sizeof(float); }

/// int8 elements in the memory of a step's value.
inline int8_t* integers(float* memory) { return reinterpret_cast<int8_t*>(memory); }

/// A tensor of the program. One of rank 4 lies channels-last unless `rows` says that it is row-major; any other is
/// row-major.
struct Value {
  /// Whose the elements of a constant are: the host's for as long as the block, or only until it is compiled, or the
  /// program's.
  enum class Owner { kHost, kHostForNow, kProgram };

  Dims dims;  ///< logical: N, C, H, W
  bool rows = false;
  Element element = Element::kFloat32;
  const float* elements = nullptr;  ///< of a constant, in row-major order
  Owner owner = Owner::kProgram;
  int input = -1;               ///< of the block, if it is one
  int output = -1;              ///< of the block, if its memory is that
  ValueNumber same = kNoValue;  ///< whose memory it has under other dimensions
  int producer = -1;            ///< its last step

  bool channels_last() const { return dims.size() == 4 && !rows; }
  /// The sizes as they lie in memory.
  std::vector<size_t> stored() const;
  /// How far apart elements lie, by logical dimension.
  Dims strides() const;
};

/// An operator as XNNPACK has it: created with all but the sizes, set up with these and with the memory of its values,
/// which of int8 values holds `integers`.
struct Recipe {
  /// `low` and `high` are bounds of the results, for those that take them.
  using Create = std::function<xnn_status(float low, float high, xnn_operator_t*)>;
  using SetUp = std::function<xnn_status(xnn_operator_t, float* const* memory, pthreadpool_t)>;

  Create create;  ///< unless it has weights
  SetUp set_up;
  std::optional<Packed> packed;
  bool shared = false;   ///< the host keeps the weights' elements
  bool bounded = false;  ///< takes bounds
  bool clamps = false;   ///< does nothing else
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

/// Without what sets it up. `stays`: the host keeps the elements of the filter and the bias.
inline Recipe recipe_of(const Packed& packed, bool stays) {
  Recipe recipe;
  recipe.packed = packed;
  recipe.shared = stays;
  recipe.bounded = true;
  return recipe;
}

/// An operator, or a copy.
struct Step {
  std::vector<ValueNumber> values;  ///< operands, then the result
  Recipe recipe;                    ///< without `set_up` for a copy
  StridedCopy copy;                 ///< of values[0] to values[1], which other steps may write parts of
  std::string name;                 ///< of the node, for messages
  std::shared_ptr<Operator> op;

  bool copies() const { return recipe.set_up == nullptr; }
  ValueNumber result() const { return values.back(); }
};

/// A block as steps in the order in which they run.
class Program {
 public:
  ValueNumber add(Value value);
  const Value& value(ValueNumber v) const { return values_[static_cast<size_t>(v)]; }
  const std::deque<Value>& values() const { return values_; }
  const std::vector<Step>& steps() const { return steps_; }

  /// Elements that stay with the program.
  const float* keep(std::vector<float> elements);

  void define(std::vector<ValueNumber> operands, ValueNumber result, Recipe recipe, const std::string& name);
  void copy(ValueNumber from, ValueNumber to, StridedCopy copy);
  /// The value is output `output` of the block.
  void add_output(ValueNumber value, int output);
  /// Makes the operators; nothing is added afterwards. Throws Refused where XNNPACK does.
  void finish();

  /// Where a value lies in the memory of a run, or its constant elements; neither for inputs and outputs.
  struct Place {
    size_t at = 0;
    const float* constant = nullptr;
  };
  /// The value that has the memory of `v`.
  ValueNumber root(ValueNumber v) const { return value(v).same == kNoValue ? v : value(v).same; }
  const Place& place_of(ValueNumber v) const { return places_[static_cast<size_t>(root(v))]; }
  /// What a run needs.
  size_t memory() const { return memory_; }
  /// What it keeps beside the constants of the block. Packed weights and copies of constants that blocks share count
  /// for the block that has made them.
  size_t bytes() const { return bytes_; }

 private:
  void drop_unread();
  void join_clamps();
  void plan_memory();
  void store_constants();
  void make_operators();

  std::deque<Value> values_;
  std::vector<Step> steps_;
  std::vector<Place> places_;
  std::deque<std::vector<float>> kept_;
  std::vector<std::shared_ptr<const std::vector<float>>> constants_;
  size_t memory_ = 0;
  size_t bytes_ = 0;
};

/// A copy of the elements of `from` to those of `to`, of equal shape; dimension i of `to` is `order[i]` of `from`
/// (empty: the same).
StridedCopy whole_copy(const Value& from, const Value& to, const Dims& order = {});

/// "xnn_status_invalid_parameter"
const char* name_of(xnn_status status);

}  // namespace coracle_xnnpack
