// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "graph/attributes.h"
#include "model/paddle_lite.h"

namespace coracle::internal::paddle_lite {

/// The greatest number of steps that an int8 counts.
inline constexpr int64_t kInt8Limit = 127;

bool is_convolution(std::string_view type);

/// The scales in an attribute of an operator, under its name or that of older files.
Floats noted_scales(const programdesc::Operator& op, std::string_view name, std::string_view old_name);

/// The parameters of a model that `opt` made smaller than float32. Weights of int8 layers have scales at the operator
/// that reads them; those that are smaller in the file alone (`quant_model`) have them at one operator, for all that
/// read them.
class SmallParameters {
 public:
  explicit SmallParameters(Model& model);

  /// An operator that makes float32 of the parameter that `op` reads at `slot`: without its result, whose slot is the
  /// only one. Nothing for what is read as it is.
  std::optional<programdesc::Operator> restoring(const programdesc::Operator& op, std::string_view slot,
                                                 std::string_view variable);
  /// A new parameter of the model, of float32, under the name or one like it.
  std::string_view add(std::string name, const Floats& values);

 private:
  struct Scales {
    Floats values;
    int axis = -1;  ///< the dimension whose elements have scales of their own; -1 where all have the same
  };
  std::optional<Scales> scales_of(const programdesc::Operator& op, std::string_view slot, std::string_view variable,
                                  const Shape& shape) const;

  Model& model_;
  int64_t renamed_ = 0;
  std::map<std::string, Scales, std::less<>> of_files_;
};

}  // namespace coracle::internal::paddle_lite
