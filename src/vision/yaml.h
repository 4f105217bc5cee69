// SPDX-License-Identifier: Apache-2.0
// YAML files as trees of text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coracle::vision {

/// A value of a YAML file. Errors name the file, the line and what was expected. Aliases share the values they stand
/// for, so that a file cannot make more of itself than it has.
class Yaml {
 public:
  using Pointer = std::shared_ptr<const Yaml>;
  enum class Kind { kScalar, kSequence, kMapping };

  /// The first document of a file of at most 16 MiB.
  static Pointer read(const std::string& path);
  static Pointer parse(const std::string& name, std::string_view content);

  Kind kind() const { return kind_; }
  /// An empty or `null` scalar.
  bool is_null() const;
  const std::string& text() const;
  /// A number; also a quotient of two, as in 1./255.
  double number() const;
  std::int64_t integer() const;
  bool boolean() const;
  const std::vector<Pointer>& items() const;
  const std::vector<std::pair<std::string, Pointer>>& members() const;
  /// The member of that name; null where this is no mapping, has none, or has null there.
  const Yaml* find(std::string_view name) const;
  /// The same; an error where there is none.
  const Yaml& at(std::string_view name) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  friend class YamlReader;
  /// What it is, for messages: "a list", "a mapping" or the quoted text.
  std::string found() const;

  Kind kind_ = Kind::kScalar;
  bool quoted_ = false;
  std::size_t line_ = 0;
  std::shared_ptr<const std::string> file_;
  std::string text_;
  std::vector<Pointer> items_;
  std::vector<std::pair<std::string, Pointer>> members_;
};

}  // namespace coracle::vision
