// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "client/tensor.h"

namespace coracle::client {

/// Expects an Error with that status and these parts in its message.
inline void expect_error(const std::function<void()>& f, coracle_status status, const std::vector<std::string>& parts) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\nhas no " << part;
    }
    return;
  }
  ADD_FAILURE() << "nothing was thrown; expected " << parts[0];
}

/// A tensor of these elements.
template <class T>
Tensor tensor(coracle_dtype dtype, const coracle::Dims& dims, const std::vector<T>& values) {
  Tensor t = zeros(dtype, dims);
  EXPECT_EQ(t.bytes.size(), values.size() * sizeof(T));
  std::memcpy(t.bytes.data(), values.data(), t.bytes.size());
  return t;
}

}  // namespace coracle::client
