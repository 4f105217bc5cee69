// SPDX-License-Identifier: Apache-2.0
// Processes that need the same compiled blocks: one compiles them, whatever becomes of it, and answers are the same.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <new>
#include <thread>

#include "run/session_results.h"
#include "support/chance_engine.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// What processes count together.
struct Together {
  std::atomic<int> begun = 0;     // compiling
  std::atomic<int> compiled = 0;  // to the end
};

/// An engine that takes its time to compile, or to save.
class SlowEngine final : public Engine {
 public:
  SlowEngine(const Engine& engine, Together& together) : engine_(engine), together_(together) {}
  std::string_view name() const override { return engine_.name(); }
  std::string missing() const override { return engine_.missing(); }
  std::string version() const override { return engine_.version(); }
  std::string refusal(const Graph& graph, const Node& node) const override { return engine_.refusal(graph, node); }
  bool saves_blocks() const override { return true; }
  std::shared_ptr<const CompiledBlock> compile(const BlockToCompile& block) const override {
    ++together_.begun;
    std::this_thread::sleep_for(takes);
    auto compiled = engine_.compile(block);
    ++together_.compiled;
    return compiled;
  }
  std::shared_ptr<const CompiledBlock> load(const BlockToCompile& block, const Tensor& saved) const override {
    return engine_.load(block, saved);
  }
  milliseconds takes{100};

 private:
  const Engine& engine_;
  Together& together_;
};

class EngineCacheProcesses : public ::testing::Test {
 protected:
  EngineCacheProcesses() {
    void* shared = ::mmap(nullptr, sizeof(Together), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    together_ = new (shared) Together;
    slow_ = std::make_unique<SlowEngine>(*engine_, *together_);
  }
  ~EngineCacheProcesses() override { ::munmap(together_, sizeof(Together)); }

  std::vector<Tensor> run(milliseconds wait = milliseconds(20000), int64_t time_limit_ms = 0) const {
    ModelOptions options;
    options.engines = {.engines = {{.engine = slow_.get(), .name = "chance", .options = {}}},
                       .min_ops = 1,
                       .cache = FileCache(cache_, 1U << 24U, wait)};
    options.passes.disabled = {"engine_cost"};
    return run_fresh(model_of(Graph(graph_), options), {x_}, {.threads = 1, .time_limit_ms = time_limit_ms});
  }
  /// A process that does it, and says by its status whether the answer was right.
  template <class F>
  pid_t start(const F& f) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::alarm(60);
    ::_exit(same_bits(f(), expected_) ? 0 : 1);
  }
  static bool is_right(pid_t child) {
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  std::vector<fs::path> kept_files() const {
    std::vector<fs::path> all;
    for (const fs::path& file : fs::directory_iterator(cache_)) {
      if (file.extension() == ".bin") all.push_back(file);
    }
    return all;
  }
  template <class F>
  static bool within_ten_seconds(const F& holds) {
    for (int i = 0; i < 10000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(1));
    return holds();
  }

  TemporaryFolder folder_;
  std::string cache_ = folder_.path("cache");
  std::shared_ptr<ChanceEngine> engine_ = ChanceEngine::make("chance", 1, 50);
  Together* together_ = nullptr;
  std::unique_ptr<SlowEngine> slow_;
  Graph graph_ = random_graph(4, 60);
  Tensor x_ = random_tensor({1, 4, 6, 6}, 1);
  std::vector<Tensor> expected_ = run_fresh(model_of(Graph(graph_)), {x_}, {.threads = 1});
};

TEST_F(EngineCacheProcesses, CompileEachBlockOnce) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) children.push_back(start([&] { return run(); }));
  for (const pid_t child : children) EXPECT_TRUE(is_right(child));
  const int compiled = together_->compiled;
  EXPECT_GT(compiled, 1);
  EXPECT_TRUE(same_bits(run(), expected_));
  EXPECT_EQ(together_->compiled, compiled) << "all blocks are on disk";
  fs::remove_all(cache_);
  EXPECT_TRUE(same_bits(run(), expected_));
  EXPECT_EQ(together_->compiled, 2 * compiled) << "one process alone compiles as many as four together have";
}

TEST_F(EngineCacheProcesses, OneThatIsKilledLeavesItToTheOthers) {
  slow_->takes = milliseconds(60000);
  const pid_t first = ::fork();
  if (first == 0) {
    run();
    ::_exit(1);
  }
  ASSERT_TRUE(within_ten_seconds([&] { return together_->begun == 1; }));
  slow_->takes = milliseconds(0);
  const pid_t second = start([&] { return run(); });
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_EQ(together_->compiled, 0) << "it waits";
  ::kill(first, SIGKILL);
  EXPECT_TRUE(is_right(second));
  EXPECT_GT(together_->compiled, 0);
  ::waitpid(first, nullptr, 0);
}

TEST_F(EngineCacheProcesses, OneThatIsStoppedIsNotWaitedForForEver) {
  slow_->takes = milliseconds(60000);
  const pid_t first = ::fork();
  if (first == 0) {
    run();
    ::_exit(1);
  }
  ASSERT_TRUE(within_ten_seconds([&] { return together_->begun == 1; }));
  ::kill(first, SIGSTOP);
  slow_->takes = milliseconds(0);
  EXPECT_TRUE(is_right(start([&] { return run(milliseconds(100)); })));
  for (const fs::path& kept : kept_files()) fs::remove(kept);
  EXPECT_TRUE(is_right(start([&] {
    try {
      run(milliseconds(20000), 100);
    } catch (const Error& e) {
      if (e.text().find("longer than its limit of 100 ms") != std::string::npos) return expected_;
    }
    return std::vector<Tensor>();
  }))) << "a run has its own limit";
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
}

/// What is killed at any time, in writing too, leaves nothing that others would take for a block.
TEST_F(EngineCacheProcesses, KilledAtAnyTime) {
  slow_->takes = milliseconds(0);
  for (int i = 0; i < 60; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        run();
        fs::remove_all(cache_);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 * (i % 30)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_TRUE(same_bits(run(), expected_)) << i;
  }
}

TEST_F(EngineCacheProcesses, FoldersThatTakeNothingAreAsNone) {
  slow_->takes = milliseconds(0);
  EXPECT_TRUE(is_right(start([&] {
    const rlimit limit{64, 64};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return run();
  }))) << "files may not grow";
  EXPECT_TRUE(kept_files().empty());
  EXPECT_TRUE(is_right(start([&] { return run(); })));
  EXPECT_FALSE(kept_files().empty());
  const int compiled = together_->compiled;
  fs::permissions(cache_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(is_right(start([&] { return run(); })));
  EXPECT_EQ(together_->compiled, compiled) << "what may not be written is read";
  fs::permissions(cache_, fs::perms::owner_all);
}

}  // namespace
}  // namespace coracle::internal::test
