// SPDX-License-Identifier: Apache-2.0
// The shared sources compile in the other dialect of kernels/prelude.cl too, that of CUDA: for all definitions that
// kernels give for some nodes of each operator. The compiler is that of this build, which looks at syntax and types.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "devices/gpu/recorded_programs.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

/// Names of the sources that are kernels, not parts of others.
std::set<std::string> kernel_sources() {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(CORACLE_TEST_KERNELS)) {
    if (file.path().extension() != ".cl") continue;
    std::ostringstream content;
    content << std::ifstream(file.path()).rdbuf();
    if (content.str().find("\nKERNEL(") != std::string::npos || content.str().find("\nKERNEL_OF(") != std::string::npos)
      names.insert(file.path().stem());
  }
  return names;
}

/// "-DN=2 -DF(x)=x -DHALF" as lines of a source.
std::string lines_of(const std::string& definitions) {
  std::istringstream words(definitions);
  std::string lines;
  for (std::string word; words >> word;) {
    const size_t end = word.find('=');
    lines += text("#define ", word.substr(2, end - 2), " ", end == word.npos ? "1" : word.substr(end + 1), "\n");
  }
  return lines;
}

class GpuDialects : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system(CORACLE_TEST_COMPILER " --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "there is no compiler " CORACLE_TEST_COMPILER;
    }
  }
  /// What the compiler says of some programs: nothing where they are right.
  std::string complaints(const std::vector<std::string>& texts) {
    std::string files;
    for (size_t i = 0; i < texts.size(); ++i) files += " " + folder_.write(text(i, ".cc"), texts[i]);
    const std::string command =
        text(CORACLE_TEST_COMPILER " -std=c++17 -fsyntax-only -Werror -include " CORACLE_TEST_CUDA_NAMES, files, " >",
             folder_.path("log"), " 2>&1");
    if (std::system(command.c_str()) == 0) return {};
    std::ostringstream log;
    log << std::ifstream(folder_.path("log")).rdbuf();
    return "the compiler refuses them: " + log.str();
  }

  TemporaryFolder folder_;
};

TEST_F(GpuDialects, AllSourcesCompileAsCuda) {
  const std::set<RecordingGpu::Program> programs = recorded_programs();
  std::set<std::string> sources;
  for (const RecordingGpu::Program& p : programs) sources.insert(p.source);
  EXPECT_EQ(sources, kernel_sources());
  std::vector<std::string> texts;
  for (const RecordingGpu::Program& p : programs) {
    texts.push_back(text("// ", p.definitions, "\n", lines_of(p.definitions), gpu::with_prelude({p.source})));
  }
  EXPECT_EQ(complaints(texts), "");
}

TEST_F(GpuDialects, WhatOpenClAloneHasIsFound) {
  EXPECT_EQ(
      complaints({gpu::with_prelude({"x", "KERNEL(x)(GLOBAL float* p) { p[global_id(0)] = MATH(exp)(p[0]); }\n"})}),
      "");
  for (const char* wrong : {"__global float* x;\n", "KERNEL(x)(GLOBAL float* p) { p[get_global_id(0)] = 1; }\n",
                            "KERNEL(x)(GLOBAL float* p) { p[0] = exp(p[0]); }\n", "FN int f(float4 x) { return 0; }\n",
                            "KERNEL(norm)(GLOBAL float* p) { p[0] = 1; }\n"}) {
    EXPECT_NE(complaints({gpu::with_prelude({"x", wrong})}), "") << wrong;
  }
}

}  // namespace
}  // namespace coracle::internal::test
