// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coracle/coracle.hpp"

/// The inputs that a model is run with while it is quantised.
namespace coracle::internal::quantize {

/// The value of an input.
struct InputValue {
  coracle_dtype dtype = CORACLE_FLOAT32;
  coracle::Dims dims;
  std::vector<std::byte> bytes;  ///< row-major
  coracle::Lod lod;

  /// The elements of float32; null where it has others.
  const float* floats() const {
    return dtype == CORACLE_FLOAT32 ? reinterpret_cast<const float*>(bytes.data()) : nullptr;
  }
  size_t size() const { return bytes.size() / coracle_dtype_size(dtype); }
};

/// What one run has: a value for each input of the model, in its order.
struct InputSet {
  std::string name;  ///< for messages
  std::vector<InputValue> values;
};

/// Sets of inputs, read again whenever a run needs one.
class InputSets {
 public:
  virtual ~InputSets() = default;
  virtual size_t size() const = 0;
  /// Set number `index` for a model with these inputs. The same each time. Throws.
  virtual InputSet read(size_t index, const std::vector<coracle::TensorInfo>& inputs) const = 0;
};

/// Some of the sets, by their numbers.
struct ChosenSets {
  const InputSets* all = nullptr;
  std::vector<size_t> numbers;

  size_t size() const { return numbers.size(); }
  /// With real numbers that are finite. Throws Error that names the set, the input and the place of one that is not.
  InputSet read(size_t index, const std::vector<coracle::TensorInfo>& inputs) const;
  /// The first of them, `most` at most.
  ChosenSets first(size_t most) const;
};

/// Of all sets, those that ranges are seen of, and those that answers are compared for.
struct Split {
  ChosenSets seen;
  ChosenSets held_back;
};

/// Every fifth set is held back, of fewer the last; of a single one the answers are measured with itself.
Split split(const InputSets& sets);
ChosenSets all_of(const InputSets& sets);

}  // namespace coracle::internal::quantize
