// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace paddle {

struct none_t {};
const none_t none = {};

/// A value or none, for C++11. Copies have values of their own.
template <class T>
class optional {
 public:
  optional() = default;
  optional(none_t) {}                                 // NOLINT(google-explicit-constructor): as Paddle's
  optional(const T& value) : value_(new T(value)) {}  // NOLINT(google-explicit-constructor): as Paddle's
  optional(const optional& other) : value_(other ? new T(*other) : nullptr) {}
  optional& operator=(const optional& other) {
    if (this != &other) value_.reset(other ? new T(*other) : nullptr);
    return *this;
  }

  explicit operator bool() const { return value_ != nullptr; }
  bool operator!() const { return value_ == nullptr; }
  bool is_initialized() const { return value_ != nullptr; }
  T& get() { return *value_; }
  const T& get() const { return *value_; }
  T* get_ptr() { return value_.get(); }
  const T* get_ptr() const { return value_.get(); }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_.get(); }
  const T* operator->() const { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace paddle
