// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coracle::serve {

/// Metrics in Prometheus' text format, version 0.0.4. A family is begun, then its samples follow.
class PrometheusText {
 public:
  /// {name="value",...}; values may have any bytes.
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  /// `type`: counter, gauge, histogram.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const Labels& labels, uint64_t value) { line("", labels, std::to_string(value)); }
  void sample(const Labels& labels, double value) { line("", labels, number(value)); }
  /// A family with one sample.
  template <class T>
  void metric(std::string_view name, std::string_view type, std::string_view help, T value) {
    family(name, type, help);
    sample({}, value);
  }

  /// A sample of a histogram: how many were at most each bound, and above it the bound before.
  struct Bucket {
    double bound;
    uint64_t count;
  };
  void histogram(const Labels& labels, const std::vector<Bucket>& buckets, uint64_t count, double sum);

  std::string take() { return std::move(text_); }

 private:
  static std::string number(double value);
  void line(std::string_view suffix, const Labels& labels, std::string_view value);

  std::string name_;
  std::string text_;
};

}  // namespace coracle::serve
