// SPDX-License-Identifier: Apache-2.0
#include "metamorphic/answer.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "run/session_results.h"

namespace coracle::internal::test {
namespace {

bool same_lod(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return x.lod() == y.lod(); });
}

/// Calls f(node) for all nodes of a graph and its regions until it gives false.
bool for_all_nodes(const Graph& graph, const std::function<bool(const Node&)>& f) {
  return std::all_of(graph.order().begin(), graph.order().end(), [&](NodeId id) {
    const Node& node = graph.node(id);
    return f(node) && std::all_of(node.regions.begin(), node.regions.end(),
                                  [&](const auto& region) { return for_all_nodes(*region, f); });
  });
}

}  // namespace

bool operator==(const Answer& a, const Answer& b) {
  return a.error.empty() == b.error.empty() && same_bits(a.outputs, b.outputs) && same_lod(a.outputs, b.outputs);
}

Answer answer(Session& session, const Inputs& inputs) {
  Answer a;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].empty_handle()) continue;
      session.set_input(i, inputs[i]);
      session.set_input_lod(i, inputs[i].lod());
    }
    session.run();
    for (size_t i = 0; i < session.model().info().outputs.size(); ++i) {
      const Tensor& output = session.output(i);
      a.outputs.push_back(output.is_array() ? output : output.clone());
    }
  } catch (const Error& e) {
    a.error = e.text();
  }
  return a;
}

bool repeats(const Model& model) {
  return for_all_nodes(model.program()->graph(),
                       [](const Node& node) { return node.op.schema().pure || !node.regions.empty(); });
}

bool is_smooth(const Model& model) {
  static constexpr const char* kJumps[] = {"quantize", "nms",   "argsort", "topk", "round", "floor",
                                           "ceil",     "where", "while",   "if",   "beam",  "decode"};
  return for_all_nodes(model.program()->graph(), [](const Node& node) {
    if (node.op.schema().quantizes) return false;
    return std::none_of(std::begin(kJumps), std::end(kJumps), [&](const char* part) {
      return std::string_view(node.op.name()).find(part) != std::string_view::npos;
    });
  });
}

std::string difference_in_rounding(const Answer& want, const Answer& got) {
  constexpr double kTolerance = 2e-3;
  if (want.error.empty() != got.error.empty()) return "one fails: " + want.error + got.error;
  if (want.outputs.size() != got.outputs.size()) return "another number of outputs";
  if (!same_lod(want.outputs, got.outputs)) return "other sequence offsets";
  for (size_t i = 0; i < want.outputs.size(); ++i) {
    const Tensor& w = want.outputs[i];
    const Tensor& g = got.outputs[i];
    if (w.dtype() != g.dtype() || !(w.shape() == g.shape()))
      return text("output ", i, " is ", g.dtype(), g.shape(), ", expected ", w.dtype(), w.shape());
    if (!is_float(w.dtype())) continue;  // indices and the like jump where roundings differ
    const std::vector<double> a = w.doubles();
    const std::vector<double> b = g.doubles();
    double largest = 1e-6;
    for (double x : a) largest = std::isfinite(x) ? std::max(largest, std::fabs(x)) : largest;
    for (size_t k = 0; k < a.size(); ++k) {
      if (a[k] == b[k] || (!std::isfinite(a[k]) && !std::isfinite(b[k]))) continue;
      if (!(std::fabs(a[k] - b[k]) <= kTolerance * largest))
        return text("element ", k, " of output ", i, " is ", b[k], ", expected ", a[k]);
    }
  }
  return {};
}

}  // namespace coracle::internal::test
