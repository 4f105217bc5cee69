// SPDX-License-Identifier: Apache-2.0
#include "base/current_error.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <vector>

namespace coracle::internal {
namespace {

Error translated(const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    return current_error();
  }
  return {ErrorCode::kRunFailure, "nothing was thrown"};
}

TEST(CurrentError, TextsOfTheLanguageAreNotRepeated) {
  const std::vector<int> list(3);
  const std::map<int, int> map;
  const std::function<void()> empty;
  for (const auto& f : std::vector<std::function<void()>>{
           [&] { static_cast<void>(list.at(7)); }, [&] { static_cast<void>(map.at(7)); }, [&] { empty(); },
           [] { throw std::invalid_argument("stoi"); }, [] { throw 7; }}) {
    const Error e = translated(f);
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_NE(e.text().find("a fault of it"), std::string::npos) << e.text();
  }
}

TEST(CurrentError, MissingMemoryIsTold) {
  for (const auto& f :
       std::vector<std::function<void()>>{[] { throw std::bad_alloc(); }, [] { std::vector<int>().reserve(SIZE_MAX); },
                                          [] { std::string().resize(SIZE_MAX - 1); }}) {
    const Error e = translated(f);
    EXPECT_EQ(e.code(), ErrorCode::kOutOfMemory);
    EXPECT_EQ(e.text(), "out of memory");
  }
}

TEST(CurrentError, ErrorsAndTextsOfUsersAreKept) {
  const Error own = translated([] { fail(ErrorCode::kIo, "no such file"); });
  EXPECT_EQ(own.code(), ErrorCode::kIo);
  EXPECT_EQ(own.text(), "no such file");
  EXPECT_EQ(translated([] { throw std::runtime_error("my archive is locked"); }).text(), "my archive is locked");
}

}  // namespace
}  // namespace coracle::internal
