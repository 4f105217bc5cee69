// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coracle::internal::quantize {

/// How a model is quantised; options.def says what each option does. It reaches as a whole whoever acts on a part of
/// it.
struct Options {
#define CORACLE_QUANTIZE_OPTION(type, name, value, allowed, concern, text) type name = value;
#include "quantize/options.def"
#undef CORACLE_QUANTIZE_OPTION
};

/// Values that an option may have.
struct Allowed {
  std::string_view texts = {};  ///< separated by '|'; empty: any
  double least = 0;             ///< of numbers, where it is below `most`
  double most = 0;
};
constexpr Allowed one_of(std::string_view texts) { return {texts}; }
constexpr Allowed between(double least, double most) { return {{}, least, most}; }

enum class OptionConcern { kWeights, kOperands, kLayers };

/// A row of options.def, but for type and value.
struct OptionDef {
  std::string_view name;
  Allowed allowed;
  OptionConcern concern;
  const char* text;
};

/// Calls visit(row, value) for each option of `options`, which are Options or const Options.
template <class AnyOptions, class Visit>
void for_each_option(AnyOptions& options, Visit visit) {
#define CORACLE_QUANTIZE_OPTION(type, name, value, allowed, concern, text) \
  visit(OptionDef{#name, allowed, OptionConcern::concern, text}, options.name);
#include "quantize/options.def"
#undef CORACLE_QUANTIZE_OPTION
}

}  // namespace coracle::internal::quantize
