// SPDX-License-Identifier: Apache-2.0
#include "openvino_support.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "graph/text.h"

namespace coracle::internal::test {
namespace {

/// The numbers of "0.1..2", else those given.
std::pair<double, double> range_of(const std::string& name, double low, double high) {
  const size_t dots = name.find("..");
  if (dots == std::string::npos) return {low, high};
  return {std::strtod(name.c_str(), nullptr), std::strtod(name.c_str() + dots + 2, nullptr)};
}

Tensor random_elements(const Fact& fact, const std::string& name, unsigned seed) {
  std::mt19937 engine(seed);
  Tensor t = Tensor::make(fact.dtype, fact.shape);
  const bool real = is_float(fact.dtype);
  const auto [low, high] = real ? range_of(name, -1, 1) : range_of(name, 0, fact.dtype == DType::kBool ? 2 : 4);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> numbers;
  for (int64_t i = 0; i < t.count(); ++i) {
    const double x = uniform(engine);
    numbers.push_back(real ? x : std::floor(x));
  }
  t.assign(std::span<const double>(numbers));
  return t;
}

}  // namespace

const Engine& openvino_engine() {
#ifndef CORACLE_SANITIZED  // the library's own code is not what sanitizers are to look at
  const std::filesystem::path venv = CORACLE_OPENVINO_VENV "/lib";
  if (::getenv("CORACLE_OPENVINO") == nullptr && std::filesystem::is_directory(venv)) {
    for (const auto& python : std::filesystem::directory_iterator(venv)) {
      const std::filesystem::path libs = python.path() / "site-packages/openvino/libs";
      if (std::filesystem::is_directory(libs)) ::setenv("CORACLE_OPENVINO", libs.c_str(), 0);
    }
  }
#endif
  return *find_engine("openvino").engine;
}

std::vector<Tensor> inputs_for(const Graph& graph, std::span<const Shape> shapes) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    Fact fact = graph.fact(graph.inputs()[i]);
    if (i < shapes.size()) fact.shape = shapes[i];
    inputs.push_back(random_elements(fact, graph.value(graph.inputs()[i]).name, static_cast<unsigned>(i) + 1));
  }
  return inputs;
}

std::vector<Tensor> run_by_engine(const Graph& graph, std::span<const Tensor> inputs, int threads,
                                  const EngineOptions& options) {
  std::vector<Fact> given;
  for (const Tensor& t : inputs) given.emplace_back(t.dtype(), t.shape());
  const std::vector<Fact> facts = infer_graph(graph, given);
  const auto block = openvino_engine().compile({graph, facts, threads, options});
  const auto run = block->make_run();
  std::vector<Tensor> outputs;
  for (const ValueId v : graph.outputs()) {
    const Fact& fact = facts[static_cast<size_t>(v)];
    outputs.push_back(Tensor::make(fact.dtype, fact.shape));
  }
  // Twice: the second run takes other memory.
  run->run(inputs, outputs);
  for (Tensor& t : outputs) t = Tensor::make(t.dtype(), t.shape());
  run->run(inputs, outputs);
  return outputs;
}

std::string difference(std::span<const Tensor> got, std::span<const Tensor> want, double relative) {
  for (size_t k = 0; k < want.size(); ++k) {
    if (got[k].shape() != want[k].shape() || got[k].dtype() != want[k].dtype()) {
      return text("result ", k, " is ", got[k].dtype(), got[k].shape(), ", wanted ", want[k].dtype(), want[k].shape());
    }
    for (int64_t i = 0; i < want[k].count(); ++i) {
      const double w = want[k].number(i);
      const double g = got[k].number(i);
      const double bound = is_float(want[k].dtype()) ? relative * std::max(1.0, std::fabs(w)) : 0.0;
      if (w == g || (std::isnan(w) && std::isnan(g)) || std::fabs(g - w) <= bound) continue;
      return text("element ", i, " of result ", k, ' ', want[k].shape(), " is ", g, ", wanted ", w);
    }
  }
  return {};
}

std::string complaint_of(const Graph& graph, std::span<const Tensor> inputs, int threads) {
  for (const NodeId id : graph.order()) {
    const std::string refusal = openvino_engine().refusal(graph, graph.node(id));
    if (!refusal.empty()) return text("refuses ", graph.node(id).op.name(), ": ", refusal);
  }
  try {
    return difference(run_by_engine(graph, inputs, threads), evaluate_graph(graph, inputs));
  } catch (const Error& e) {
    return e.text();
  }
}

std::vector<EngineCase> engine_cases(const std::string& file) {
  std::ifstream in(file);
  std::vector<EngineCase> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("== ")) {
      cases.push_back({line.substr(3), {}, {}});
    } else if (line.starts_with("=> ")) {
      cases.back().reason = line.substr(3);
    } else if (!cases.empty()) {
      cases.back().graph.append(line).push_back('\n');
    }
  }
  return cases;
}

std::vector<std::string> case_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(CORACLE_ENGINE_CASES "/openvino")) {
    files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace coracle::internal::test
