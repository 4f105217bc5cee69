// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "quantize/layers.h"
#include "quantize/parameters.h"
#include "quantize/program.h"

namespace coracle::internal::quantize {

/// Parameters that each channel of a value is in proportion to.
struct ScalingSource {
  struct Divided {
    std::string parameter;
    int dimension;  ///< of the parameter, that has an element for each channel; -1: all its elements are these
  };
  std::string type;  ///< of the operator that they belong to
  std::vector<Divided> divided;
};

/// Finds where a value's channels can be scaled in the parameters that it was computed with.
class ScalingSources {
 public:
  /// `layers`: all of the program. All must outlive it.
  ScalingSources(const Program& program, const ParameterMap& parameters, const std::vector<Layer>& layers);

  /// The parameters that channels of `variable`, the elements of its dimension `channels`, are in proportion to:
  /// back over what is positively homogeneous in each channel (relu, leaky_relu, prelu, pooling, biases) to a
  /// normalisation, a product by a constant or a layer. Nothing where there are none, or where anything but `readers`
  /// operands reads a value or a parameter on the way.
  std::optional<ScalingSource> of(const std::string& variable, int channels, int64_t count, int readers) const;

 private:
  bool follow(const std::string& variable, size_t channels, int64_t count, int readers, ScalingSource& to) const;
  bool follow_sum(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const;
  bool follow_product(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const;
  bool take(const std::string& variable, int64_t count, ScalingSource& to) const;
  bool take_norm(const ProgramOperator& o, size_t channels, int64_t count, ScalingSource& to) const;
  bool take_layer(size_t index, size_t channels, int64_t count, ScalingSource& to) const;
  bool is_along(const ProgramOperator& o, const std::string& constant, size_t channels, int64_t count) const;
  std::string parameter_of(const std::string& variable) const;
  int readers_of(const std::string& name) const;
  size_t rank_of(const std::string& variable) const;

  const Program& program_;
  const ParameterMap& parameters_;
  std::map<size_t, const Layer*> layers_;  ///< by operator
  std::map<std::string, int> readers_;
  std::map<std::string, int> writes_;
  std::map<std::string, size_t> producers_;
  std::map<std::string, std::string> shaped_;  ///< parameters that were given another shape
};

}  // namespace coracle::internal::quantize
