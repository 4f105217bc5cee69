// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace coracle::internal {

namespace opaque_detail {
template <class T>
void destroy_opaque(void* value) {
  delete static_cast<T*>(value);
}
}  // namespace opaque_detail

/// A shared value whose type only its users know. As std::make_shared<T>, but with one type of control block for all T:
/// std::make_shared makes one with a table, type information and five functions for each, which is 700 bytes of the
/// library for each of 600 types.
template <class T>
std::shared_ptr<void> make_opaque(T value) {
  return std::unique_ptr<void, void (*)(void*)>(new T(std::move(value)), opaque_detail::destroy_opaque<T>);
}

}  // namespace coracle::internal
