// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace coracle::internal {

namespace opaque_detail {
template <class T>
void destroy_opaque(void* value) {
  delete static_cast<T*>(value);
}
/// Of all types that need no more than that.
inline void free_opaque(void* value) { ::operator delete(value); }

/// Takes the value, also where it throws.
[[gnu::noinline]] inline std::shared_ptr<void> own_opaque(void* value, void (*destroy)(void*)) {
  return {value, destroy};
}
}  // namespace opaque_detail

/// A shared value whose type only its users know, which is deleted with its last owner. As std::shared_ptr<T>, but with
/// one type of control block for all T: std::make_shared makes one with a table, type information and five functions
/// for each, which is 700 bytes of the library for each of 600 types.
template <class T>
std::shared_ptr<void> own_opaque(T* value) {
  if constexpr (std::is_trivially_destructible_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    return opaque_detail::own_opaque(value, opaque_detail::free_opaque);
  } else {
    return opaque_detail::own_opaque(value, opaque_detail::destroy_opaque<T>);
  }
}
template <class T>
std::shared_ptr<void> make_opaque(T value) {
  return own_opaque(new T(std::move(value)));
}

}  // namespace coracle::internal
