// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/dtype.h"

namespace coracle::internal {

/// What kind of failure it is. The C interface and the program's exit codes follow from it.
enum class ErrorCode {
  kInvalidArgument,  ///< the caller's request: a wrong name, shape, dtype or option
  kInvalidModel,     ///< the model file is damaged or contradicts itself
  kUnsupported,      ///< an operator, attribute value or feature that does not exist here
  kIo,               ///< a file cannot be read or written
  kOutOfMemory,      ///< memory or a set limit is exhausted
  kRunFailure,       ///< a run failed on its data, for instance an index out of range
  kCancelled,        ///< somebody cancelled it
};

/// The one exception type. Each layer may add a line of context on the way up.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string text) : code_(code), text_(std::move(text)) {}

  ErrorCode code() const { return code_; }
  const std::string& text() const { return text_; }
  const char* what() const noexcept override { return text_.c_str(); }

  /// Appends " (while <context>)".
  Error& add_context(std::string_view context) {
    text_.append("\n  while ").append(context);
    return *this;
  }

 private:
  ErrorCode code_;
  std::string text_;
};

inline void append_text(std::string& to, std::string_view part) { to.append(part); }
inline void append_text(std::string& to, const char* part) { to.append(part); }
inline void append_text(std::string& to, const std::string& part) { to.append(part); }
inline void append_text(std::string& to, char part) { to.push_back(part); }
inline void append_text(std::string& to, bool part) { to.append(part ? "true" : "false"); }
inline void append_text(std::string& to, DType part) { to.append(name_of(part)); }
template <class T>
requires std::is_arithmetic_v<T>
void append_text(std::string& to, T part) { to.append(std::to_string(part)); }

/// All parts as one string; a type takes part by an `append_text` overload.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (append_text(out, parts), ...);
  return out;
}

template <class... Parts>
[[noreturn]] void fail(ErrorCode code, const Parts&... parts) {
  throw Error(code, text(parts...));
}

/// Throws Error with all parts joined unless `condition` holds.
template <class... Parts>
void require(bool condition, ErrorCode code, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(code, parts...);
}

/// The same for a model that contradicts itself (what operators check).
template <class... Parts>
void require(bool condition, std::string_view first, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorCode::kInvalidModel, first, parts...);
}

}  // namespace coracle::internal
