// SPDX-License-Identifier: Apache-2.0
#include "support/chance_engine.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

#include "graph/text.h"
#include "run/executor.h"

namespace coracle::internal::test {
namespace {

/// What an engine shares with its blocks.
struct Shared {
  std::atomic<int> compiled{0};
  std::atomic<int> alive{0};
  std::atomic<int> starts{0};
  std::atomic<int> runs{0};
  std::atomic<int> loaded{0};
  std::atomic<int> load_fault{0};
  std::atomic<int> compile_fault{0};
  std::atomic<int> start_fault{0};
  std::atomic<int> run_fault{0};
  std::atomic<int> memory_fault{0};
  std::atomic<int> threads{0};
  std::function<void()> hook;
  std::atomic<int> varying{0};
  std::atomic<int> served_percent{-1};  // below 0: it compiles for one size at a time

  bool serves(const BlockToCompile& block, std::span<const Fact> facts) const {
    uint32_t hash = 2166136261U;
    for (const ValueId v : block.graph.inputs()) {
      for (const int64_t size : facts[index(v)].shape) hash = (hash ^ static_cast<uint32_t>(size)) * 16777619U;
    }
    hash ^= hash >> 15U;
    return static_cast<int>(hash % 100) < served_percent;
  }
};

class Run final : public BlockRun {
 public:
  Run(std::shared_ptr<const Program> program, int threads, std::shared_ptr<Shared> shared)
      : executor_(std::move(program), {.threads = threads}), shared_(std::move(shared)) {}

  void run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const int number = ++shared_->runs;
    if (shared_->hook) shared_->hook();
    if (number == shared_->memory_fault) throw std::bad_alloc();
    const bool fails = number == shared_->run_fault;
    const std::vector<Tensor> results = executor_.run(inputs);
    for (size_t i = 0; i < results.size(); ++i) {
      require(results[i].dtype() == outputs[i].dtype() && results[i].shape() == outputs[i].shape(), "result ", i,
              " is ", results[i].shape(), ", expected ", outputs[i].shape());
      std::memcpy(outputs[i].raw(), results[i].raw(), fails ? results[i].bytes() / 2 : results[i].bytes());
    }
    require(!fails, ErrorCode::kRunFailure, "this run was to fail");
  }

 private:
  Executor executor_;
  std::shared_ptr<Shared> shared_;
};

class Compiled final : public CompiledBlock {
 public:
  Compiled(const BlockToCompile& block, std::shared_ptr<Shared> shared)
      : text_(text_of(block)),
        program_(std::make_shared<const Program>(std::make_shared<const Graph>(block.graph), ProgramOptions{})),
        threads_(block.threads),
        varies_(!block.varying.empty()),
        shared_(std::move(shared)) {
    ++shared_->alive;
  }
  ~Compiled() override { --shared_->alive; }

  /// What it saves: enough to tell one block from another.
  static std::string text_of(const BlockToCompile& block) { return print(block.graph); }
  std::vector<uint8_t> save() const override { return {text_.begin(), text_.end()}; }
  bool serves(const BlockToCompile& block) const override { return varies_ && shared_->serves(block, block.facts); }
  size_t bytes() const override { return ChanceEngine::kBlockBytes; }

  std::unique_ptr<BlockRun> make_run() const override {
    const int number = ++shared_->starts;
    require(number != shared_->start_fault, ErrorCode::kUnsupported, "this one was not to start");
    return std::make_unique<Run>(program_, threads_, shared_);
  }

 private:
  std::string text_;
  std::shared_ptr<const Program> program_;
  int threads_;
  bool varies_;
  std::shared_ptr<Shared> shared_;
};

class Chance final : public ChanceEngine {
 public:
  Chance(std::string name, unsigned seed, int percent) : name_(std::move(name)), seed_(seed), percent_(percent) {}

  std::string_view name() const override { return name_; }
  std::string missing() const override { return {}; }
  std::string version() const override { return "1"; }

  std::string refusal(const Graph& /*graph*/, const Node& node) const override {
    uint32_t hash = 2166136261U + seed_ * 977U;
    for (char c : node.name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    hash ^= hash >> 15U;
    return hash % 100 < static_cast<uint32_t>(percent_) ? std::string() : "by chance";
  }

  std::shared_ptr<const CompiledBlock> compile(const BlockToCompile& block) const override {
    const int number = ++shared_->compiled;
    require(number != shared_->compile_fault, ErrorCode::kUnsupported, "this one was not to compile");
    for (const Fact& f : block.facts) require(f.known(), "a type is not known");
    shared_->threads = std::max(shared_->threads.load(), block.threads);
    if (!block.varying.empty()) check_varying(block);
    return std::make_shared<const Compiled>(block, shared_);
  }

  bool varies() const override { return shared_->served_percent >= 0; }
  bool saves_blocks() const override { return true; }
  std::shared_ptr<const CompiledBlock> load(const BlockToCompile& block, const Tensor& saved) const override {
    require(++shared_->loaded != shared_->load_fault, ErrorCode::kUnsupported, "this one was not to load");
    const std::string expected = Compiled::text_of(block);
    require(std::ranges::equal(saved.values<uint8_t>(), expected, {}, [](uint8_t c) { return static_cast<char>(c); }),
            "another block was saved");
    return std::make_shared<const Compiled>(block, shared_);
  }

  Counts counts() const override {
    return {.compiled = shared_->compiled,
            .alive = shared_->alive,
            .runs = shared_->runs,
            .loaded = shared_->loaded,
            .threads = shared_->threads,
            .varying = shared_->varying};
  }
  void set_hook(std::function<void()> hook) override { shared_->hook = std::move(hook); }
  void set_faults(const ChanceFaults& faults) override {
    shared_->compile_fault = faults.compile;
    shared_->start_fault = faults.start;
    shared_->run_fault = faults.run;
    shared_->memory_fault = faults.memory;
    shared_->load_fault = faults.load;
  }
  void set_varies(int percent) override { shared_->served_percent = percent; }

 private:
  /// What every engine may rely on.
  void check_varying(const BlockToCompile& block) const {
    ++shared_->varying;
    require(block.examples.size() >= 2, "there are not two examples");
    for (const VaryingDim& d : block.varying) {
      const ValueId v = block.graph.inputs().at(static_cast<size_t>(d.input));
      const auto size = [&](const std::vector<Fact>& facts) { return facts.at(index(v)).shape[d.dim]; };
      const auto differs = [&](const std::vector<Fact>& facts) { return size(facts) != size(block.examples[0]); };
      require(std::any_of(block.examples.begin(), block.examples.end(), differs), "a dimension does not vary");
    }
    for (const std::vector<Fact>& facts : block.examples) {
      require(shared_->serves(block, facts), ErrorCode::kUnsupported, "one of the sizes has a program of its own");
    }
  }

  std::string name_;
  unsigned seed_;
  int percent_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

}  // namespace

std::shared_ptr<ChanceEngine> ChanceEngine::make(std::string name, unsigned seed, int percent) {
  return std::make_shared<Chance>(std::move(name), seed, percent);
}

}  // namespace coracle::internal::test
