// SPDX-License-Identifier: Apache-2.0
#include "passes/pass_cases.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

namespace coracle::internal::test {

std::vector<PassCase> read_pass_cases(const std::string& folder, const std::string& pass) {
  std::vector<PassCase> cases;
  std::ifstream file(folder + "/" + pass + ".txt");
  std::string line;
  std::string* part = nullptr;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("== ")) {
      cases.push_back({.pass = pass, .name = line.substr(3), .before = {}, .after = {}, .line = number});
      part = &cases.back().before;
    } else if (line == "=>") {
      require(part != nullptr, "'=>' without a case");
      part = &cases.back().after;
    } else if (part != nullptr) {
      part->append(line).append("\n");
    }
  }
  return cases;
}

std::vector<Tensor> inputs_for(const Graph& graph, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<Tensor> inputs;
  for (ValueId v : graph.inputs()) {
    const Fact& fact = graph.fact(v);
    Shape shape = fact.shape;
    if (!shape.rank_known()) shape = Shape{4, 6};
    for (int64_t& d : shape) d = d < 0 ? 4 : d;
    Tensor t = Tensor::make(fact.dtype, shape);
    if (is_float(fact.dtype)) {
      std::uniform_real_distribution<double> uniform(-2, 2);
      std::vector<double> values(static_cast<size_t>(t.count()));
      for (double& x : values) x = uniform(engine);
      t.assign(std::span<const double>(values));
    } else {
      std::uniform_int_distribution<int64_t> uniform(0, 2);
      std::vector<int64_t> values(static_cast<size_t>(t.count()));
      for (int64_t& x : values) x = uniform(engine);
      t.assign(std::span<const int64_t>(values));
    }
    inputs.push_back(std::move(t));
  }
  return inputs;
}

namespace {

std::string tensor_difference(const Tensor& want, const Tensor& got, double tolerance) {
  if (want.dtype() != got.dtype() || want.is_array() != got.is_array()) return "another type";
  if (want.is_array()) return "";
  if (!(want.shape() == got.shape())) return text("shape ", got.shape(), ", expected ", want.shape());
  if (is_complex(want.dtype())) return "";
  const std::vector<double> a = want.doubles();
  const std::vector<double> b = got.doubles();
  double squares = 0;
  for (double v : a) squares += std::isfinite(v) ? v * v : 0.0;
  const double floor = std::max(1e-3, a.empty() ? 0.0 : std::sqrt(squares / static_cast<double>(a.size())));
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    const bool near = is_float(want.dtype()) && std::fabs(a[i] - b[i]) <= tolerance * std::max(std::fabs(a[i]), floor);
    if (!near)
      return text("element ", i, " is ", b[i], ", expected ", a[i], " (difference ", (b[i] - a[i]) * 1e6, "e-6)");
  }
  return "";
}

}  // namespace

std::string difference(const std::vector<Tensor>& want, const std::vector<Tensor>& got, double tolerance) {
  if (want.size() != got.size()) return text(got.size(), " outputs, expected ", want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const std::string d = tensor_difference(want[i], got[i], tolerance);
    if (!d.empty()) return text("output ", i, ": ", d);
  }
  return "";
}

size_t constant_bytes(const Graph& graph) {
  size_t bytes = 0;
  for (size_t i = 0; i < graph.value_count(); ++i) {
    const Value& v = graph.value(ValueId{static_cast<int32_t>(i)});
    if (v.is_constant()) bytes += v.fact.value->bytes();
  }
  return bytes;
}

}  // namespace coracle::internal::test
