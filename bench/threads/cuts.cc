// SPDX-License-Identifier: Apache-2.0
// How well the steps of a model are cut for more threads than the machine has: each loop is cut for all of them, one
// thread runs the parts one after the other, and of each loop only the longest part counts. That is the time on as many
// processors whose caches and memory are as fast for all as for one. `coracle-bench-threads --help` has the options.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/workers.h"
#include "loading/model.h"
#include "model/model_files.h"
#include "run/session.h"

namespace coracle::internal {
namespace {

/// What a loop costs beside its parts: helpers have to see it, and the caller that they are done.
constexpr double kWakingNs = 3000;

struct Options {
  std::string model;
  std::string params;
  std::vector<std::string> shapes;
  std::vector<int> threads = {2, 4, 8, 16};
  int repeat = 7;
  size_t steps = 8;
};

/// A step's least times, in ns.
struct Step {
  std::string name;
  double alone = 1e18;  ///< on one thread
  double cut = 1e18;    ///< on as many as it was cut for
};

Tensor input_tensor(const TensorInfo& info, const Shape& shape) {
  require(shape.count() >= 0, ErrorCode::kInvalidArgument, "the sizes of input '", info.name,
          "' are not known: give --shape ", info.name, "=1,3,224,224");
  Tensor t = Tensor::make(info.dtype, shape);
  std::fill_n(static_cast<std::byte*>(t.raw()), t.bytes(), std::byte{0});
  if (info.dtype != DType::kFloat32) return t;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int64_t i = 0; i < t.count(); ++i) t.data<float>()[i] = uniform(random);
  return t;
}

/// "x=1,3,224,224"
std::map<std::string, Shape> named_shapes(const std::vector<std::string>& texts, const ModelInfo& info) {
  std::map<std::string, Shape> shapes;
  for (const std::string& word : texts) {
    const size_t at = word.find('=');
    require(at != std::string::npos, ErrorCode::kInvalidArgument, "--shape ", word, ": expected NAME=SIZE,SIZE,...");
    std::vector<int64_t> sizes;
    for (const std::string& size : CLI::detail::split(word.substr(at + 1), ',')) {
      int64_t number = 0;
      require(CLI::detail::lexical_cast(size, number) && number >= 0, ErrorCode::kInvalidArgument, "--shape ", word,
              ": '", size, "' is no size");
      sizes.push_back(number);
    }
    const std::string name = word.substr(0, at);
    const bool is_input =
        std::any_of(info.inputs.begin(), info.inputs.end(), [&](const TensorInfo& i) { return i.name == name; });
    require(is_input, ErrorCode::kInvalidArgument, "--shape ", word, ": the model has no input '", name, "'");
    shapes[name] = Shape(sizes);
  }
  return shapes;
}

std::vector<Step> measured(const std::shared_ptr<const Model>& model, const Options& options, int threads) {
  Session session(model, {.workers = Workers::imagined(threads)});
  const std::map<std::string, Shape> shapes = named_shapes(options.shapes, model->info());
  for (size_t i = 0; i < model->info().inputs.size(); ++i) {
    const TensorInfo& info = session.input_info(i);
    const auto given = shapes.find(info.name);
    session.set_input(i, input_tensor(info, given == shapes.end() ? info.shape : given->second));
  }
  session.run();
  session.set_profiling(true);
  std::vector<Step> steps;
  for (int run = 0; run < options.repeat; ++run) {
    session.run();
    const Profile profile = session.profile();
    steps.resize(profile.size());
    for (size_t i = 0; i < profile.size(); ++i) {
      const ProfileEvent& e = profile[i];
      const auto alone = static_cast<double>(e.duration_ns);
      steps[i].name = text(e.kernel, "  ", e.outputs, "  ", e.node);
      steps[i].alone = std::min(steps[i].alone, alone);
      steps[i].cut =
          std::min(steps[i].cut, alone - static_cast<double>(e.beside_ns) + static_cast<double>(e.loops) * kWakingNs);
    }
  }
  return steps;
}

void print(std::vector<Step> steps, int threads, size_t shown) {
  double alone = 0;
  double cut = 0;
  for (const Step& s : steps) {
    alone += s.alone;
    cut += s.cut;
  }
  std::printf("%3d threads: %9.3f ms on one, %8.3f on all, %5.2f x\n", threads, alone / 1e6, cut / 1e6, alone / cut);
  const auto lost = [&](const Step& s) { return s.cut - s.alone / threads; };
  std::sort(steps.begin(), steps.end(), [&](const Step& a, const Step& b) { return lost(a) > lost(b); });
  for (size_t i = 0; i < std::min(shown, steps.size()); ++i) {
    const Step& s = steps[i];
    std::printf("  lost %7.3f: %8.3f -> %7.3f, %5.2f x  %s\n", lost(s) / 1e6, s.alone / 1e6, s.cut / 1e6,
                s.alone / s.cut, s.name.c_str());
  }
}

void run(const Options& options) {
  const std::shared_ptr<const Model> model = Model::load(ModelSource::on_disk(options.model, options.params), {});
  for (const int threads : options.threads) print(measured(model, options, threads), threads, options.steps);
}

}  // namespace
}  // namespace coracle::internal

int main(int argc, char** argv) {
  coracle::internal::Options options;
  CLI::App app("Shows how well the steps of a model are cut for threads, whatever the machine has");
  app.add_option("model", options.model, "folder, program file or saved model")->required();
  app.add_option("--params", options.params, "parameter file");
  app.add_option("--shape", options.shapes, "NAME=SIZE,SIZE,... of an input");
  app.add_option("--threads", options.threads, "numbers of threads")->delimiter(',')->check(CLI::Range(1, 1024));
  app.add_option("--repeat", options.repeat, "runs, of which the least times count")->check(CLI::Range(1, 1000));
  app.add_option("--steps", options.steps, "steps to show, those that lose most first");
  CLI11_PARSE(app, argc, argv);
  try {
    coracle::internal::run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "coracle-bench-threads: %s\n", e.what());
    return 1;
  }
  return 0;
}
