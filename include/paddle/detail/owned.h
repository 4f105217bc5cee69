// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace paddle {
namespace detail {

/// std::make_unique for C++11, which has none.
template <class T, class... Args>
std::unique_ptr<T> owned(Args&&... args) {
  return std::unique_ptr<T>(new T(std::forward<Args>(args)...));  // NOLINT(modernize-make-unique)
}

}  // namespace detail
}  // namespace paddle
