// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "cli/failure.h"

namespace coracle::cli {

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string printable(const std::string& text) {
  coracle_set_last_error(text.c_str());  // which makes it so
  return coracle_last_error();
}

std::string names_of(const std::vector<coracle::TensorInfo>& infos) {
  std::string names;
  for (const coracle::TensorInfo& info : infos) names.append(names.empty() ? "" : ", ").append(info.name);
  return names;
}

coracle::Dims parse_dims(const std::string& text, const std::string& option) {
  const auto refuse = [&] {
    throw Failure(ExitCode::kUsage, option + "=" + text + ": expected integers like 1,3,224,224 or 1x3x224x224");
  };
  const bool bracketed = text.starts_with('[');
  if (bracketed && (text.size() < 2 || !text.ends_with(']'))) refuse();
  const std::string list = bracketed ? text.substr(1, text.size() - 2) : text;
  const char separator = list.find('x') == std::string::npos ? ',' : 'x';
  coracle::Dims dims;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at != end) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 0) refuse();
    dims.push_back(value);
    at = next;
    if (at == end) break;
    if (*at++ != separator) refuse();
    while (bracketed && at != end && *at == ' ') ++at;
    if (at == end) refuse();
  }
  return dims;
}

int64_t parse_bytes(const std::string& text) {
  struct Unit {
    const char* name;
    double bytes;
  };
  constexpr Unit kUnits[] = {
      {"", 1},      {"b", 1},        {"kb", 1e3},        {"mb", 1e6},           {"gb", 1e9},
      {"tb", 1e12}, {"kib", 1024.0}, {"mib", 1048576.0}, {"gib", 1073741824.0}, {"tib", 1099511627776.0}};
  const char* const end = text.data() + text.size();
  if (int64_t exact = 0; !text.empty()) {
    const auto [next, error] = std::from_chars(text.data(), end, exact);
    if (error == std::errc() && next == end && exact >= 0) return exact;
  }
  double count = 0;
  const auto [next, error] = std::from_chars(text.data(), end, count, std::chars_format::fixed);
  std::string unit = lower_case({next, end});
  if (unit.starts_with(' ')) unit.erase(0, 1);
  const auto* const known =
      std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return unit == u.name; });
  if (error != std::errc() || known == std::end(kUnits) || count < 0 || !std::isfinite(count)) {
    throw std::invalid_argument("'" + text +
                                "' is not a size: expected bytes, or a number with a unit like 100MB or 1.5GiB");
  }
  const double bytes = std::floor(count * known->bytes);
  if (bytes >= 9.2e18) throw std::invalid_argument("'" + text + "' is more than any memory");
  return static_cast<int64_t>(bytes);
}

double parse_number(const std::string& text) {
  const auto number = [&](std::string_view part) {
    double value = 0;
    const auto [next, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (error != std::errc() || next != part.data() + part.size() || !std::isfinite(value)) {
      throw std::invalid_argument("'" + text + "' is not a number: expected one like 0.5 or 1/255");
    }
    return value;
  };
  const std::string_view whole = text;
  const size_t slash = whole.find('/');
  if (slash == std::string_view::npos) return number(whole);
  const double divisor = number(whole.substr(slash + 1));
  if (divisor == 0) throw std::invalid_argument("'" + text + "' divides by 0");
  const double quotient = number(whole.substr(0, slash)) / divisor;
  if (!std::isfinite(quotient)) throw std::invalid_argument("'" + text + "' is more than a number holds");
  return quotient;
}

std::vector<double> parse_numbers(const std::string& text) {
  std::vector<double> out;
  for (size_t start = 0; start <= text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    out.push_back(parse_number(text.substr(start, comma - start)));
    start = comma + 1;
  }
  return out;
}

}  // namespace coracle::cli
