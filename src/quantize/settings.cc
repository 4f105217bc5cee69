// SPDX-License-Identifier: Apache-2.0
#include "quantize/settings.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/nearest_name.h"
#include "base/printable.h"
#include "base/shortest.h"
#include "quantize/error.h"

namespace coracle::internal::quantize {
namespace {

[[noreturn]] void refuse_value(const OptionDef& row, std::string_view value, const std::string& expected) {
  fail(ErrorCode::kInvalidArgument, row.name, " is ", in_quotes(value), ", expected ", expected);
}

/// "auto, minmax or kl", of "auto|minmax|kl".
std::string alternatives(std::string_view texts) {
  std::string out(texts);
  const size_t last = out.rfind('|');
  if (last != std::string::npos) out.replace(last, 1, " or ");
  for (size_t at = out.find('|'); at != std::string::npos; at = out.find('|')) out.replace(at, 1, ", ");
  return out;
}

bool is_among(std::string_view value, std::string_view texts) {
  const std::string in_bars = "|" + std::string(texts) + "|";
  return value.find('|') == std::string_view::npos && in_bars.find("|" + std::string(value) + "|") != std::string::npos;
}

void read(const OptionDef& row, std::string_view value, bool& to) {
  if (!is_among(value, "true|false")) refuse_value(row, value, "true or false");
  to = value == "true";
}

void read(const OptionDef& row, std::string_view value, std::string& to) {
  if (row.allowed.texts.empty() || is_among(value, row.allowed.texts)) {
    to = value;
    return;
  }
  std::vector<std::string_view> texts;
  for (std::string_view left = row.allowed.texts; !left.empty();) {
    const size_t end = std::min(left.find('|'), left.size());
    texts.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  refuse_value(row, value, alternatives(row.allowed.texts) + suggestion(value, texts));
}

void read(const OptionDef& row, std::string_view value, double& to) {
  JsonDocument d;
  d.Parse<rapidjson::kParseFullPrecisionFlag>(value.data(), value.size());  // of whatever locale
  const Allowed& allowed = row.allowed;
  if (d.HasParseError() || !d.IsNumber() || d.GetDouble() < allowed.least || d.GetDouble() > allowed.most) {
    refuse_value(row, value, text("a number from ", shortest(allowed.least), " to ", shortest(allowed.most)));
  }
  to = d.GetDouble();
}

void read(const OptionDef& row, std::string_view value, std::optional<double>& to) { read(row, value, to.emplace()); }

void read(const OptionDef& /*row*/, std::string_view value, std::vector<std::string>& to) { to.emplace_back(value); }

/// Options that were given, by what they are about.
struct Given {
  std::vector<std::string_view> of_weights;
  std::vector<std::string_view> of_operands;

  void add(const OptionDef& row) {
    std::vector<std::string_view>& to = row.concern == OptionConcern::kWeights ? of_weights : of_operands;
    if (row.concern == OptionConcern::kLayers || std::find(to.begin(), to.end(), row.name) != to.end()) return;
    to.push_back(row.name);
  }
  void require_compatible() const {
    if (of_weights.empty()) return;
    require(of_weights.size() == 1, ErrorCode::kInvalidArgument, of_weights[0], " excludes ", of_weights.back());
    require(of_operands.empty(), ErrorCode::kInvalidArgument, of_weights[0], " excludes ",
            of_operands.empty() ? std::string_view() : of_operands[0], ", which is about operands");
  }
};

}  // namespace

Options options_of(const std::vector<std::string_view>& settings) {
  Options options;
  Given given;
  for (const std::string_view setting : settings) {
    const size_t equals = setting.find('=');
    require(equals != std::string_view::npos, ErrorCode::kInvalidArgument, "option ", in_quotes(setting),
            ": expected NAME=VALUE, such as method=kl");
    std::string name(setting.substr(0, equals));
    std::replace(name.begin(), name.end(), '-', '_');
    bool known = false;
    std::vector<std::string_view> names;
    for_each_option(options, [&](const OptionDef& row, auto& value) {
      names.push_back(row.name);
      if (row.name != name) return;
      known = true;
      read(row, setting.substr(equals + 1), value);
      given.add(row);
    });
    require(known, ErrorCode::kInvalidArgument, "there is no option ", in_quotes(name), " of quantising",
            suggestion(name, names));
  }
  given.require_compatible();
  return options;
}

}  // namespace coracle::internal::quantize
