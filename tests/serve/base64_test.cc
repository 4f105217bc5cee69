// SPDX-License-Identifier: Apache-2.0
#include "client/base64.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace coracle::client {
namespace {

TEST(Base64, TheExamplesOfItsStandard) {
  const std::pair<const char*, const char*> examples[] = {{"", ""},
                                                          {"f", "Zg=="},
                                                          {"fo", "Zm8="},
                                                          {"foo", "Zm9v"},
                                                          {"foob", "Zm9vYg=="},
                                                          {"fooba", "Zm9vYmE="},
                                                          {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(base64_of(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, AllBytesComeBack) {
  for (size_t size = 0; size < 300; ++size) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 37 + size);
    EXPECT_EQ(from_base64(base64_of(bytes)), bytes) << size;
  }
}

TEST(Base64, LinesMayEnd) { EXPECT_EQ(from_base64(" Zm9v\r\nYmFy\n"), "foobar"); }

TEST(Base64, WhatIsNoneIsRefused) {
  for (const char* text :
       {"Z", "Zg", "Zg=", "Zg===", "Zm9v=", "Zm9vY", "=", "Zg==Zg==", "Zm9-", "Zm9_", "Zm,v", "Zm9v\x80"})
    EXPECT_THROW(from_base64(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace coracle::client
