// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own compiler takes all programs without a word, for each architecture that it knows: no device is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "devices/cuda/api.h"
#include "devices/cuda/compiler.h"
#include "devices/cuda/cubin.h"
#include "devices/gpu/recorded_programs.h"

namespace coracle::internal::test {
namespace {

constexpr int kArchitectures[] = {70, 75, 80, 86, 89, 90, 100, 120};

class CudaCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (cuda::loaded_compiler().api == nullptr) GTEST_SKIP() << cuda::loaded_compiler().missing;
  }
  static bool knows(int architecture) {
    const std::vector<int>& known = cuda::loaded_compiler().architectures;
    return std::find(known.begin(), known.end(), architecture) != known.end();
  }
  static std::string error_of(const std::function<void()>& f) {
    try {
      f();
    } catch (const Error& e) {
      return e.text();
    }
    return "no error";
  }
};

/// What the compiler says, without what it says of each architecture before Turing, which has no option against it.
std::string complaints(std::string log) {
  constexpr std::string_view kOld = "nvrtc: warning: Architectures prior to";
  if (log.starts_with(kOld)) log.erase(0, std::min(log.find('\n'), log.size() - 1) + 1);
  return log;
}

/// The most that programs of one source take of a multiprocessor.
struct Most {
  int programs = 0;
  KernelResources resources;
};

void print(const std::map<std::pair<std::string, int>, Most>& table) {
  std::printf("%-16s %-4s %8s %9s %6s\n", "source", "sm", "programs", "registers", "shared");
  for (const auto& [key, most] : table) {
    std::printf("%-16s %-4d %8d %9d %6d\n", key.first.c_str(), key.second, most.programs, most.resources.registers,
                most.resources.shared);
  }
}

/// One program of each source for sm_80, and one of them for each architecture; all with CORACLE_TEST_ALL set. Nothing
/// is kept in local memory, which is slow.
TEST_F(CudaCompiler, TakesAllProgramsWithoutWarnings) {
  const bool all = std::getenv("CORACLE_TEST_ALL") != nullptr;
  std::map<int, int> counts;
  std::map<std::pair<std::string, int>, Most> table;
  std::set<std::string> seen;
  std::string said;
  for (const RecordingGpu::Program& p : recorded_programs()) {
    const bool is_first = seen.empty();
    const bool is_new = seen.insert(p.source).second;
    for (const int architecture : kArchitectures) {
      if (!knows(architecture) || !(all || (is_new && (is_first || architecture == 80)))) continue;
      SCOPED_TRACE(text(p.source, " ", p.definitions, " for sm_", architecture));
      const cuda::Compiled result =
          cuda::compiled(p.source, gpu::with_prelude({p.source}), cuda::compiler_options(architecture, p.definitions));
      ++counts[architecture];
      EXPECT_GT(result.image.size(), 500U);
      EXPECT_EQ(complaints(result.log), "");
      const KernelResources taken = resources_of(result.image);
      EXPECT_GT(taken.registers, 0);
      EXPECT_EQ(taken.stack, 0) << "bytes of local memory";
      Most& most = table[{p.source, architecture}];
      ++most.programs;
      most.resources.registers = std::max(most.resources.registers, taken.registers);
      most.resources.shared = std::max(most.resources.shared, taken.shared);
    }
  }
  print(table);
  EXPECT_GE(seen.size(), 10U);
  EXPECT_GE(counts.size(), 5U);
}

TEST_F(CudaCompiler, NewerArchitecturesAreTranslatedByTheDriver) {
  const int newest = cuda::loaded_compiler().architectures.back();
  const std::vector<std::string> options = cuda::compiler_options(newest + 5, "-DA=1");
  EXPECT_EQ(options.front(), text("--gpu-architecture=compute_", newest));
  EXPECT_EQ(options.back(), "-DA=1");
  const cuda::Compiled result =
      cuda::compiled("x", gpu::with_prelude({"x", "KERNEL(x)(GLOBAL float* p) { p[0] = A; }\n"}), options);
  EXPECT_EQ(result.image.back(), 0) << "PTX ends with a zero";
  EXPECT_NE(std::string(reinterpret_cast<const char*>(result.image.data())).find(".entry x("), std::string::npos);
}

TEST_F(CudaCompiler, OlderArchitecturesAreRefused) {
  const std::string error = error_of([] { cuda::compiler_options(20, ""); });
  EXPECT_NE(error.find(" has no code for sm_20, only for sm_"), std::string::npos) << error;
}

TEST_F(CudaCompiler, WarningsAreSeen) {
  const cuda::Compiled result =
      cuda::compiled("x", gpu::with_prelude({"x", "KERNEL(x)(GLOBAL float* p) { int unused; p[0] = 1.0f; }\n"}),
                     cuda::compiler_options(80, ""));
  EXPECT_NE(result.log.find("unused"), std::string::npos) << result.log;
  EXPECT_NE(
      error_of([] { cuda::compiled("x", "no C at all", cuda::compiler_options(80, "")); })
          .find("kernels/x.cl does not compile by NVRTC with '--gpu-architecture=sm_80 --std=c++17 --fmad=false': "
                "NVRTC_ERROR_COMPILATION (6)\nx.cl(1): error: "),
      std::string::npos);
}

}  // namespace
}  // namespace coracle::internal::test
