// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include "model/model_files.h"
#include "support/resident.h"
#include "support/sanitized.h"
#include "support/small_models.h"
#include "support/survivor.h"

// Damaged files end in a run or an Error, never in a crash, a hang or unbounded memory.
namespace coracle::internal {
namespace {

constexpr int kPrefixes = 97;
/// Of a run of an undamaged model, of a damaged one of a few operators (its loops may run for ever and are ended by
/// this, whatever it is), and of a damaged real one.
constexpr int64_t kUnharmedMs = 20000;
constexpr int64_t kSmallMs = 50;
constexpr int64_t kRealMs = 1000;

/// Ends the process, naming the step, if one step takes too long: a hang cannot be left in another way.
class Watchdog {
 public:
  Watchdog() : thread_([this] { watch(); }) {}
  ~Watchdog() {
    stop_ = true;
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void next_step() { ++step_; }

 private:
  void watch() {
    constexpr auto kPause = std::chrono::milliseconds(50);
    constexpr int kPatience = 60 * 20;
    int64_t seen = -1;
    for (int pauses = 0; !stop_; ++pauses) {
      if (step_ != seen) pauses = 0;
      seen = step_;
      if (pauses > kPatience) {
        std::fprintf(stderr, "step %lld hangs\n", static_cast<long long>(seen));
        std::abort();
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  std::atomic<int64_t> step_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class Damage {
 public:
  Damage(test::ModelBytes files, int64_t time_limit_ms) : files_(std::move(files)), time_limit_ms_(time_limit_ms) {}

  void expect_prefixes_refused_or_run() {
    for (size_t i = 0; i < kPrefixes; ++i) {
      attempt(files_.program.substr(0, files_.program.size() * i / kPrefixes), files_.params);
      if (!files_.params.empty()) {
        const std::string part = files_.params.substr(0, files_.params.size() * i / kPrefixes);
        EXPECT_EQ(attempt(files_.program, part), test::Fate::kRefused) << "prefix " << i;
      }
    }
  }

  /// A byte at a random place of one file becomes another one.
  void expect_flips_refused_or_run(int flips) {
    std::mt19937 random(20240517);
    const auto damaged = [&](std::string bytes, size_t from) {
      bytes[random() % from] ^= static_cast<char>(1 + random() % 255);
      return bytes;
    };
    for (int i = 0; i < flips; ++i) attempt(damaged(files_.program, files_.program.size()), files_.params);
    // The elements of a parameter may be anything; it is the heads of the records that can be damaged, and they stand
    // near the front of small files.
    constexpr size_t kHead = 4096;
    for (int i = 0; i < flips && !files_.params.empty(); ++i) {
      attempt(files_.program, damaged(files_.params, std::min(kHead, files_.params.size())));
    }
  }

  void expect_unharmed_runs() { EXPECT_EQ(attempt(files_.program, files_.params, kUnharmedMs), test::Fate::kRan); }

 private:
  test::Fate attempt(const std::string& program, const std::string& params) {
    return attempt(program, params, time_limit_ms_);
  }

  test::Fate attempt(const std::string& program, const std::string& params, int64_t time_limit_ms) {
    watchdog_.next_step();
    try {
      return test::load_and_run(program, params, files_.inputs, time_limit_ms);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
      return test::Fate::kRefused;
    }
  }

  test::ModelBytes files_;
  int64_t time_limit_ms_;
  Watchdog watchdog_;
};

/// Bounds the address space of the process where no sanitizer needs it, so that what is unbounded fails here.
void bound_memory() {
#ifndef CORACLE_SANITIZED
  constexpr rlim_t kBytes = rlim_t{4} << 30U;
  rlimit limit{kBytes, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

void damage(test::ModelBytes files, int flips, int64_t time_limit_ms) {
  bound_memory();
#ifdef CORACLE_SANITIZED  // which keeps 256 MiB of freed memory for a while
  constexpr size_t kGrowth = size_t{768} << 20U;
#else
  constexpr size_t kGrowth = size_t{512} << 20U;
#endif
  const size_t before = test::peak_resident_bytes();
  Damage test(std::move(files), time_limit_ms);
  test.expect_unharmed_runs();
  test.expect_prefixes_refused_or_run();
  test.expect_flips_refused_or_run(test::as_time_allows(flips));
  EXPECT_LT(test::peak_resident_bytes(), before + kGrowth);
}

class DamagedProgramDesc : public testing::TestWithParam<test::ModelBytes> {};
TEST_P(DamagedProgramDesc, IsRefusedOrRuns) { damage(GetParam(), 5000, kSmallMs); }
INSTANTIATE_TEST_SUITE_P(Small, DamagedProgramDesc, testing::ValuesIn(test::small_program_models()),
                         [](const auto& info) { return info.param.name; });

class DamagedPir : public testing::TestWithParam<test::ModelBytes> {};
TEST_P(DamagedPir, IsRefusedOrRuns) { damage(GetParam(), 5000, kSmallMs); }
INSTANTIATE_TEST_SUITE_P(Small, DamagedPir, testing::ValuesIn(test::small_pir_models()),
                         [](const auto& info) { return info.param.name; });

class DamagedReferenceModel : public testing::TestWithParam<const char*> {};

TEST_P(DamagedReferenceModel, IsRefusedOrRuns) {
  const std::string folder = std::string(CORACLE_SHARED) + "/models/" + GetParam();
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the reference folder ../shared is absent";
  const ModelFiles found = find_model_files(ModelSource::on_disk(folder));
  const auto content = [](const FileBytes& f) {
    return std::string(reinterpret_cast<const char*>(f.bytes.data()), f.bytes.size());
  };
  damage({GetParam(), content(found.program), content(found.open_combined()->read_all()), {}}, 100, kRealMs);
}

INSTANTIATE_TEST_SUITE_P(Models, DamagedReferenceModel,
                         testing::Values("pdlite-simple_model", "ppocr-v2.0-cls", "pir-PP-LCNet_x0_25_textline_ori",
                                         "mobilenetv3_small_x0_35-multilabel", "ppocr-v3-ch-det"));

}  // namespace
}  // namespace coracle::internal
