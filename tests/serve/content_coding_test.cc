// SPDX-License-Identifier: Apache-2.0
#include "serve/content_coding.h"

#include <gtest/gtest.h>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

Code code_of(std::string_view coding, const std::string& body, size_t limit) {
  try {
    decoded(coding, body, limit);
  } catch (const Failure& failure) {
    return failure.code();
  }
  return Code::kInternal;
}

TEST(ContentCoding, WhatWasEncodedIsDecoded) {
  for (const char* coding : {"gzip", "deflate"}) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{1} << 20}) {
      std::string body(size, 'a');
      for (size_t i = 0; i < size; i += 7) body[i] = static_cast<char>(i * 31);
      EXPECT_EQ(decoded(coding, encoded(coding, body), size), body) << coding << ' ' << size;
    }
  }
}

TEST(ContentCoding, ABombStopsAtTheLimit) {
  const std::string bomb = encoded("gzip", std::string(size_t{64} << 20, '\0'));
  EXPECT_LT(bomb.size(), size_t{1} << 20);
  EXPECT_EQ(code_of("gzip", bomb, (size_t{64} << 20) - 1), Code::kTooLarge);
}

TEST(ContentCoding, DamagedBodiesAreRefused) {
  const std::string whole = encoded("gzip", std::string(1000, 'x'));
  EXPECT_EQ(code_of("gzip", whole.substr(0, whole.size() - 1), 1000), Code::kInvalidArgument);
  EXPECT_EQ(code_of("gzip", whole + "x", 1000), Code::kInvalidArgument);
  EXPECT_EQ(code_of("gzip", "", 1000), Code::kInvalidArgument);
  EXPECT_EQ(code_of("br", whole, 1000), Code::kUnsupported);
}

TEST(ContentCoding, ClientsChoose) {
  EXPECT_EQ(chosen_coding("gzip, deflate", 5000), "gzip");
  EXPECT_EQ(chosen_coding("br, deflate", 5000), "deflate");
  EXPECT_EQ(chosen_coding("gzip;q=0, deflate;q=0.5", 5000), "deflate");
  EXPECT_EQ(chosen_coding("br", 5000), "");
  EXPECT_EQ(chosen_coding("", 5000), "");
  EXPECT_EQ(chosen_coding("gzip", 100), "");
}

}  // namespace
}  // namespace coracle::serve
