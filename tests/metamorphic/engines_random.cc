// SPDX-License-Identifier: Apache-2.0
// Programs give on engines what they give natively, within rounding, however they are parted: random programs, and the
// recorded cases of Paddle by turns, with engines in any order, blocks of any least size, marks, threads and blocks
// beside each other, all by chance.
//   engines_random [--programs N] [--first SEED] [--seconds S] [--operators DIR]
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "metamorphic/answer.h"
#include "metamorphic/subjects.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// A program, natively or with engines, and inputs that it takes.
struct Program {
  std::string name;
  std::function<std::shared_ptr<const Model>(const ModelOptions&)> load;
  std::vector<Inputs> inputs;
};

Program program_of(unsigned seed, const std::vector<Subject>& recorded) {
  Program program;
  if (seed % 2 == 0 && !recorded.empty()) {
    // Neighbours among the cases are of one operator: a step that meets all of them far from each other.
    const Subject& subject = recorded[size_t{seed / 2} * 7919 % recorded.size()];
    program.name = subject.name;
    program.load = [&subject](const ModelOptions& options) { return Model::load(subject.source, options); };
    program.inputs = inputs_of_all_sizes(subject, program.load({})->info().inputs);
    program.inputs.resize(std::min<size_t>(program.inputs.size(), 2));
  } else {
    program.name = text("random graph ", seed);
    program.load = [seed](const ModelOptions& options) {
      return model_of(random_graph(seed, 5 + static_cast<int>(seed * 37 % 56)), options);
    };
    for (const Shape& shape : {Shape{1, 4, 8, 9}, {2, 4, 5, 7}}) program.inputs.push_back({random_tensor(shape, seed)});
  }
  return program;
}

/// A way to part programs, told by `name`.
struct Partition {
  std::string name;
  ModelOptions model;
  SessionOptions session;
};

Partition random_partition(unsigned seed, const Graph& graph) {
  std::mt19937 random(seed);
  const auto below = [&](size_t n) { return random() % n; };
  Partition p;
  EngineChoice& choice = p.model.engines;
  choice.cache = FileCache({}, 0);  // none
  std::vector<std::string> engines{"openvino", "xnnpack"};
  if (below(2) == 0) std::swap(engines[0], engines[1]);
  if (below(4) == 0) engines.pop_back();
  std::vector<std::string> marks;
  for (size_t i = below(4); i > 0 && !graph.order().empty(); --i) {
    const Node& node = graph.node(graph.order()[below(graph.order().size())]);
    const std::string& engine = engines[below(engines.size())];
    marks.push_back(below(2) == 0 ? engine + ":" + node.name : engine + "=" + node.op.name());
  }
  const bool marked_alone = !marks.empty() && below(4) == 0;
  for (const std::string& engine : engines) {
    if (!marked_alone) choice.engines.push_back(used_engine(engine, Precision::kDefault));
  }
  for (const std::string& mark : marks) add_mark(mark, Precision::kDefault, choice);
  choice.min_ops = std::array{1, 1, 2, 3, 5, 10}[below(6)];
  if (below(4) != 0) p.model.passes.disabled.emplace_back("engine_cost");
  if (below(4) == 0) p.model.passes.disabled.emplace_back("all");
  p.session.threads = static_cast<int>(1 + below(3));
  p.session.parallel_engines = static_cast<int>(1 + below(3));
  p.name = text(marked_alone ? "marks alone" : "", engines[0], engines.size() > 1 ? "," + engines[1] : "", ", min_ops ",
                choice.min_ops, ", threads ", p.session.threads, ", parallel ", p.session.parallel_engines);
  for (const std::string& mark : marks) p.name.append(", ").append(mark);
  for (const std::string& pass : p.model.passes.disabled) p.name.append(", without ").append(pass);
  return p;
}

bool all_finite(const Answer& answer) {
  return std::all_of(answer.outputs.begin(), answer.outputs.end(), [](const Tensor& t) {
    if (t.is_array() || !is_float(t.dtype())) return true;
    const std::vector<double> numbers = t.doubles();
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
  });
}

struct Tally {
  int64_t programs = 0;
  int64_t blocks = 0;
  int64_t compared = 0;
  int64_t failed = 0;
};

/// Why a program gives something else when it is parted; empty if it does not.
std::string difference(const Program& program, unsigned seed, Tally& tally) {
  const std::shared_ptr<const Model> plain = program.load({});
  if (!repeats(*plain)) return {};
  const Partition partition = random_partition(seed, plain->program()->graph());
  const std::shared_ptr<const Model> parted = program.load(partition.model);
  tally.blocks += parted->engine_report().blocks;
  Session native(plain, {.threads = 1});
  Session session(parted, partition.session);
  for (int round = 0; round < 2; ++round) {
    for (const Inputs& inputs : program.inputs) {
      const Answer want = answer(native, inputs);
      const Answer got = answer(session, inputs);
      if (want.error.empty() != got.error.empty()) {
        return text(partition.name, ": natively '", want.error, "', on engines '", got.error, "'");
      }
      // Numbers that are none may become others on an engine, and what jumps jumps by rounding.
      if (!is_smooth(*plain) || !all_finite(want)) continue;
      ++tally.compared;
      const std::string differs = difference_in_rounding(want, got);
      if (!differs.empty()) return text(partition.name, ": ", differs);
    }
  }
  return {};
}

int run_all(unsigned first, int64_t count, double seconds, const std::vector<Subject>& recorded) {
  const auto start = std::chrono::steady_clock::now();
  Tally tally;
  for (unsigned seed = first; tally.programs < count; ++seed) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
    ++tally.programs;
    std::string name = text("seed ", seed);
    std::string differs;
    try {
      const Program program = program_of(seed, recorded);
      name = text("seed ", seed, ", ", program.name);
      differs = difference(program, seed, tally);
    } catch (const Error& e) {
      differs = e.text();
    }
    if (differs.empty()) continue;
    ++tally.failed;
    std::printf("%s: %s\n", name.c_str(), differs.c_str());
    std::fflush(stdout);
  }
  std::printf("%lld programs in %lld blocks, %lld answers compared, %lld programs failed\n",
              static_cast<long long>(tally.programs), static_cast<long long>(tally.blocks),
              static_cast<long long>(tally.compared), static_cast<long long>(tally.failed));
  return tally.failed == 0 && tally.blocks > 0 ? 0 : 1;
}

}  // namespace
}  // namespace coracle::internal::test

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  std::string folder = CORACLE_ORACLE_SAMPLE;
  unsigned first = 1;
  int64_t count = 1000;
  double seconds = 1e9;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const char* value = i + 1 < argc ? argv[++i] : nullptr;
    if (option == "--programs" && value != nullptr) {
      count = std::atoll(value);
    } else if (option == "--first" && value != nullptr) {
      first = static_cast<unsigned>(std::atoll(value));
    } else if (option == "--seconds" && value != nullptr) {
      seconds = std::atof(value);
    } else if (option == "--operators" && value != nullptr) {
      folder = value;
    } else {
      std::fprintf(stderr, "engines_random: there is no option '%s', or its value is missing\n", argv[i]);
      return 2;
    }
  }
  bool one = false;
  for (const char* engine : {"openvino", "xnnpack"}) {
    const std::string missing = coracle::internal::used_engine(engine, coracle::internal::Precision::kDefault).missing;
    one = one || missing.empty();
    if (!missing.empty()) std::printf("without %s: %s\n", engine, missing.c_str());
  }
  if (!one) {
    std::printf("skipped: no engine\n");
    return kSkipped;
  }
  return coracle::internal::test::run_all(first, count, seconds, coracle::internal::test::operator_subjects(folder));
}
