// SPDX-License-Identifier: Apache-2.0
// Two towers of convolutions, each a block on an engine of its own, at the same time and one after the other, by turns
// in one process: coracle-bench-engines [ENGINE ENGINE [THREADS [SECONDS]]], openvino and xnnpack unless named.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "loading/model.h"
#include "ops/activation/relu.h"
#include "ops/conv_pool/conv2d.h"
#include "ops/elementwise/add.h"
#include "run/session.h"

namespace coracle::internal {
namespace {

constexpr int64_t kChannels = 64;
constexpr int64_t kSide = 56;
constexpr int kLayers = 8;

Tensor random_tensor(const Shape& shape, std::mt19937& random) {
  std::uniform_real_distribution<float> uniform(-0.05F, 0.05F);
  Tensor t = Tensor::make(DType::kFloat32, shape);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = uniform(random);
  return t;
}

/// Each tower has a name scope, by which marks name it.
Graph two_towers() {
  std::mt19937 random(1);
  Graph graph;
  const ValueId x = graph.add_input("x", Fact(DType::kFloat32, {1, kChannels, kSide, kSide}));
  std::vector<ValueId> tops;
  for (const char* tower : {"left", "right"}) {
    ValueId v = x;
    const auto add = [&](const Op& op, const PortValues& inputs) {
      const NodeId id = graph.add_node(op, inputs, {1});
      graph.set_scope(id, text("/", tower, "/"));
      v = graph.node(id).outputs[0];
    };
    for (int i = 0; i < kLayers; ++i) {
      const ValueId filter = graph.add_constant(random_tensor({kChannels, kChannels, 3, 3}, random));
      Conv2d convolution;
      convolution.paddings = {1, 1};
      add(convolution, {{v}, {filter}});
      add(Relu{}, {{v}});
    }
    tops.push_back(v);
  }
  graph.add_output(graph.node(graph.add_node(Add{}, {{tops[0]}, {tops[1]}}, {1})).outputs[0], "y");
  return graph;
}

struct Timed {
  Session session;
  std::vector<double> ms = {};

  void run() {
    const auto start = std::chrono::steady_clock::now();
    session.run();
    ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
};

int measure(const std::string& left, const std::string& right, int threads, double seconds) {
  ModelOptions options;
  EngineChoice& choice = options.engines;
  choice.cache = FileCache({}, 0);  // none
  add_mark(left + "@left", Precision::kDefault, choice);
  add_mark(right + "@right", Precision::kDefault, choice);
  for (const UsedEngine& engine : choice.engines) {
    if (engine.missing.empty()) continue;
    std::fprintf(stderr, "%s: %s\n", engine.name.c_str(), engine.missing.c_str());
    return 1;
  }
  LoadedModel loaded;
  const Shape shape{1, kChannels, kSide, kSide};
  loaded.info.inputs.push_back({"x", DType::kFloat32, shape, 0});
  loaded.info.outputs.push_back({"y", DType::kFloat32, shape, 0});
  loaded.graph = two_towers();
  const std::shared_ptr<const Model> model = Model::make(std::move(loaded), options);
  if (model->engine_report().blocks != 2) {
    std::fprintf(stderr, "%s and %s make %d blocks of the towers, expected two: name two engines\n", left.c_str(),
                 right.c_str(), model->engine_report().blocks);
    return 1;
  }
  std::mt19937 random(2);
  const Tensor x = random_tensor(shape, random);
  Timed sequence{{model, {.threads = threads}}};
  Timed parallel{{model, {.threads = threads, .parallel_engines = 2}}};
  for (Timed* timed : {&sequence, &parallel}) {
    timed->session.set_input(0, x);
    timed->session.run();
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    sequence.run();
    parallel.run();
  }
  std::printf("%s and %s, %d threads, %zu runs each\n", left.c_str(), right.c_str(), threads, sequence.ms.size());
  for (Timed* timed : {&sequence, &parallel}) {
    std::sort(timed->ms.begin(), timed->ms.end());
    std::printf("%-18s least %8.3f ms, median %8.3f ms\n",
                timed == &sequence ? "one after another" : "at the same time", timed->ms.front(),
                timed->ms[timed->ms.size() / 2]);
  }
  return 0;
}

}  // namespace
}  // namespace coracle::internal

int main(int argc, char** argv) {
  const std::string left = argc > 2 ? argv[1] : "openvino";
  const std::string right = argc > 2 ? argv[2] : "xnnpack";
  return coracle::internal::measure(left, right, argc > 3 ? std::atoi(argv[3]) : 2, argc > 4 ? std::atof(argv[4]) : 10);
}
