// SPDX-License-Identifier: Apache-2.0
#include "serve/prometheus_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace coracle::serve {

void PrometheusText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
  text_.append(name).append(" ").append(type).append("\n");
}

std::string PrometheusText::number(double value) {
  std::array<char, 64> digits{};
  const double size = std::fabs(value);
  const auto form = size >= 1e-6 && size < 1e15 ? std::chars_format::fixed : std::chars_format::general;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, form).ptr};
}

void PrometheusText::line(std::string_view suffix, const Labels& labels, std::string_view value) {
  text_.append(name_).append(suffix);
  char before = '{';
  for (const auto& [name, of] : labels) {
    (text_ += before).append(name).append("=\"");
    before = ',';
    for (const char c : of) {
      if (c == '\\' || c == '"') text_ += '\\';
      c == '\n' ? text_.append("\\n") : text_ += c;
    }
    text_ += '"';
  }
  if (!labels.empty()) text_ += '}';
  text_.append(" ").append(value).append("\n");
}

void PrometheusText::histogram(const Labels& labels, const std::vector<Bucket>& buckets, uint64_t count, double sum) {
  Labels with_bound = labels;
  with_bound.emplace_back("le", "");
  uint64_t below = 0;
  for (const Bucket& bucket : buckets) {
    with_bound.back().second = number(bucket.bound);
    line("_bucket", with_bound, std::to_string(below += bucket.count));
  }
  with_bound.back().second = "+Inf";
  line("_bucket", with_bound, std::to_string(count));
  line("_sum", labels, number(sum));
  line("_count", labels, std::to_string(count));
}

}  // namespace coracle::serve
