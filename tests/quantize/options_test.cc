// SPDX-License-Identifier: Apache-2.0
#include "quantize/options.h"

#include <gtest/gtest.h>

#include <set>

namespace coracle::internal::quantize {
namespace {

/// Whether the program would take what an option is at first.
bool allows(const Allowed& allowed, const std::string& text) {
  const std::string texts = "|" + std::string(allowed.texts) + "|";
  return text.empty() || allowed.texts.empty() || texts.find("|" + text + "|") != std::string::npos;
}
bool allows(const Allowed& allowed, double number) {
  return allowed.least == allowed.most || (allowed.least <= number && number <= allowed.most);
}
bool allows(const Allowed& allowed, bool /*flag*/) { return allowed.texts.empty() && allowed.least == allowed.most; }
template <class T>
bool allows(const Allowed& allowed, const std::optional<T>& value) {
  return allowed.least < allowed.most && (!value || allows(allowed, *value));
}
bool allows(const Allowed& allowed, const std::vector<std::string>& texts) {
  return allowed.texts.empty() && texts.empty();
}

TEST(QuantizeOptions, RowsFitTheirValues) {
  const Options options;
  std::set<std::string_view> names;
  for_each_option(options, [&](const OptionDef& row, const auto& value) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(allows(row.allowed, value)) << row.name;
    EXPECT_NE(std::string(row.text), "") << row.name;
  });
  EXPECT_TRUE(names.contains("method"));
}

TEST(QuantizeOptions, ValuesAreTheFields) {
  Options options;
  for_each_option(options, [&](const OptionDef& row, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, bool>) {
      if (row.name == "bias_correction") value = false;
    }
  });
  EXPECT_FALSE(options.bias_correction);
  EXPECT_FALSE(options.half);
}

}  // namespace
}  // namespace coracle::internal::quantize
