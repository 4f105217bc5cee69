// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
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

/// A part of a text as a word, so that the code that joins parts exists once and not for each list of types: a sentence
/// is a few instructions where it is needed.
namespace text_detail {

/// What a word is.
enum class Part : char {
  kText,    ///< a const char*
  kView,    ///< address of a std::string_view
  kString,  ///< address of a std::string
  kCharacter,
  kBool,
  kSigned,
  kUnsigned,
  kReal,
  kType,   ///< a DType
  kOther,  ///< address of an Appender
};

/// A part of any other type, with its append_text.
struct Appender {
  const void* part;
  void (*append)(std::string& to, const void* part);
};
template <class T>
struct AppenderOf : Appender {
  explicit AppenderOf(const T& of)
      : Appender{&of, [](std::string& to, const void* p) { append_text(to, *static_cast<const T*>(p)); }} {}
};

template <class T>
constexpr Part part_of() {
  using D = std::decay_t<T>;
  if (std::is_same_v<D, const char*> || std::is_same_v<D, char*>) return Part::kText;
  if (std::is_same_v<T, std::string_view>) return Part::kView;
  if (std::is_same_v<T, std::string>) return Part::kString;
  if (std::is_same_v<T, char>) return Part::kCharacter;
  if (std::is_same_v<T, bool>) return Part::kBool;
  if (std::is_same_v<T, DType>) return Part::kType;
  if (std::is_floating_point_v<T>) return Part::kReal;
  if (std::is_integral_v<T>) return std::is_signed_v<T> ? Part::kSigned : Part::kUnsigned;
  return Part::kOther;
}
/// What is passed on: the part itself, or its appender, which lives as long as the call.
template <class T>
[[gnu::always_inline]] inline decltype(auto) passed(const T& part) {
  if constexpr (part_of<T>() == Part::kOther) {
    return AppenderOf<T>(part);
  } else {
    return (part);
  }
}
template <class T>
[[gnu::always_inline]] inline uint64_t word_of(const T& part) {
  constexpr Part kPart = part_of<T>();
  if constexpr (std::is_base_of_v<Appender, T>) {
    return reinterpret_cast<uintptr_t>(static_cast<const Appender*>(&part));
  } else if constexpr (kPart == Part::kText) {
    return reinterpret_cast<uintptr_t>(static_cast<const char*>(part));
  } else if constexpr (kPart == Part::kReal) {
    return std::bit_cast<uint64_t>(static_cast<double>(part));
  } else if constexpr (std::is_integral_v<T> || kPart == Part::kType) {
    return static_cast<uint64_t>(part);
  } else {
    return reinterpret_cast<uintptr_t>(&part);
  }
}

/// One for each part, and their number in front.
template <class... Parts>
inline constexpr char kParts[] = {static_cast<char>(sizeof...(Parts)), static_cast<char>(part_of<Parts>())...};

std::string join(const char* parts, const uint64_t* words);
[[noreturn, gnu::cold]] void fail_with(ErrorCode code, const char* parts, const uint64_t* words);

/// One for each number of words.
template <std::same_as<uint64_t>... Words>
[[gnu::noinline]] std::string join_words(const char* parts, Words... words) {
  const uint64_t all[] = {words..., 0};
  return join(parts, all);
}
template <std::same_as<uint64_t>... Words>
[[noreturn, gnu::noinline, gnu::cold]] void fail_with_words(ErrorCode code, const char* parts, Words... words) {
  const uint64_t all[] = {words..., 0};
  fail_with(code, parts, all);
}

}  // namespace text_detail

/// All parts as one string; a type takes part by an `append_text` overload.
template <class... Parts>
[[gnu::always_inline]] inline std::string text(const Parts&... parts) {
  return text_detail::join_words(text_detail::kParts<std::decay_t<Parts>...>,
                                 text_detail::word_of(text_detail::passed(parts))...);
}

template <class... Parts>
[[noreturn, gnu::always_inline]] inline void fail(ErrorCode code, const Parts&... parts) {
  text_detail::fail_with_words(code, text_detail::kParts<std::decay_t<Parts>...>,
                               text_detail::word_of(text_detail::passed(parts))...);
}

/// Throws Error with all parts joined unless `condition` holds.
template <class... Parts>
[[gnu::always_inline]] inline void require(bool condition, ErrorCode code, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(code, parts...);
}

/// The same for a model that contradicts itself (what operators check).
template <class First, class... Parts>
requires(!std::is_same_v<First, ErrorCode>)
    [[gnu::always_inline]] inline void require(bool condition, const First& first, const Parts&... parts) {
  if (!condition) [[unlikely]]
    fail(ErrorCode::kInvalidModel, first, parts...);
}

}  // namespace coracle::internal
