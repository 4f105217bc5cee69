// SPDX-License-Identifier: Apache-2.0
#include "cli/failure.h"

#include <gtest/gtest.h>

#include <functional>
#include <system_error>
#include <vector>

#include "coracle/coracle.hpp"

namespace coracle::cli {
namespace {

Failure translated(const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    return current_failure();
  }
  return {ExitCode::kOk, "nothing was thrown"};
}

TEST(CurrentFailure, TextsOfTheLanguageAreNotRepeated) {
  for (const auto& f : std::vector<std::function<void()>>{[] { static_cast<void>(std::vector<int>(3).at(7)); },
                                                          [] { throw std::invalid_argument("stoi"); },
                                                          [] { throw std::runtime_error("locale::facet"); }}) {
    const Failure failure = translated(f);
    EXPECT_EQ(failure.code(), ExitCode::kRunFailure);
    EXPECT_NE(std::string(failure.what()).find("a fault of it"), std::string::npos) << failure.what();
  }
  const Failure refused =
      translated([] { throw std::system_error(std::make_error_code(std::errc::io_error), "basic_ios::clear"); });
  EXPECT_EQ(std::string(refused.what()).find("basic_ios"), std::string::npos) << refused.what();
}

TEST(CurrentFailure, MissingMemoryIsTold) {
  EXPECT_EQ(translated([] { throw std::bad_alloc(); }).code(), ExitCode::kOutOfMemory);
  EXPECT_EQ(translated([] { std::vector<int>().reserve(SIZE_MAX); }).code(), ExitCode::kOutOfMemory);
}

TEST(CurrentFailure, OwnTextsAreKept) {
  const Failure own = translated([] { throw Failure(ExitCode::kIo, "a.npy: no such file"); });
  EXPECT_EQ(own.code(), ExitCode::kIo);
  EXPECT_STREQ(own.what(), "a.npy: no such file");
  EXPECT_EQ(translated([] { coracle::fail(CORACLE_UNSUPPORTED, "no such operator"); }).code(), ExitCode::kUnsupported);
}

}  // namespace
}  // namespace coracle::cli
