// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Operations of PIR by the names that ProgramDesc has for them, their slots and attributes.
namespace coracle::quantize {

struct PirOperation {
  const char* name;  ///< in PIR, without dialect and trailing '_'
  const char* type;  ///< in ProgramDesc
  std::vector<const char*> inputs;
  std::vector<const char*> outputs;
};

/// The entry of an operation, or null where slots are called by their number but for X, Y and Out.
const PirOperation* find_pir_operation(std::string_view name);
/// What ProgramDesc calls an operation.
std::string programdesc_type(std::string_view name);
std::string input_slot(const PirOperation* operation, size_t at);
std::string output_slot(const PirOperation* operation, size_t at);
/// What ProgramDesc calls an attribute.
std::string programdesc_attribute(const std::string& name);

}  // namespace coracle::quantize
