// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"

namespace coracle::internal {

using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;

/// The last alternative of AttributeValue, which is never held. libstdc++ 12 takes a variant of scalars, strings and
/// vectors for one that always has a value; where copying it runs out of memory, it then destroys what is not there.
struct NeverHeld {
  NeverHeld() = default;
  NeverHeld(const NeverHeld& /*other*/) noexcept {}  // NOLINT(modernize-use-equals-default): not trivial
  // NOLINTNEXTLINE(modernize-use-equals-default): nor this
  NeverHeld& operator=(const NeverHeld& /*other*/) noexcept { return *this; }
  ~NeverHeld() = default;
};

/// An attribute as a file gives it. Widths are not kept: all integers are 64 bits, all reals double.
using AttributeValue = std::variant<bool, int64_t, double, std::string, Ints, Floats, Strings, DType, NeverHeld>;

/// An enum as an attribute: its value and the names of all values, in order. An enum takes part by a function
/// `std::span<const std::string_view> names_of(E)` found next to it.
struct EnumRef {
  int value = 0;
  std::span<const std::string_view> names;
};

/// A field of an operator's attribute struct. A value that an int field cannot hold is an error.
using AttributeRef = std::variant<bool*, int*, int64_t*, double*, std::string*, Ints*, Floats*, Strings*, DType*,
                                  std::optional<DType>*, EnumRef*>;

/// Walks over the attributes of an operator: each operator's `attributes(visit)` calls visit("name", field) for each
/// field, in declaration order. `name` is the PIR name, `legacy` the ProgramDesc name where it differs.
/// Printing, parsing and reading from a file are visitors.
class AttributeVisitor {
 public:
  virtual ~AttributeVisitor() = default;

  template <class T>
  void operator()(const char* name, T& field, const char* legacy = nullptr) {
    if (legacy == nullptr) legacy = name;
    if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>) {
      EnumRef ref{static_cast<int>(field), names_of(field)};
      visit(name, legacy, &ref);
      field = static_cast<T>(ref.value);
    } else if constexpr (std::is_same_v<T, float>) {
      double wide = field;
      visit(name, legacy, &wide);
      field = static_cast<float>(wide);
    } else {
      visit(name, legacy, &field);
    }
  }

 protected:
  virtual void visit(std::string_view name, std::string_view legacy, AttributeRef field) = 0;
};

class AttributeReads;

/// Attributes of one operator in a file, by name. One thread at a time while an AttributeReads of it lives.
class AttributeMap {
 public:
  void set(std::string name, AttributeValue value);
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const AttributeValue* find(std::string_view name) const;
  const std::map<std::string, AttributeValue, std::less<>>& all() const { return values_; }

  /// The value as T (bool, int64_t, double, std::string, Ints, Floats, Strings, DType), converted where nothing is
  /// lost (a number for a list of one, 0/1 for bool); `missing` where there is no such attribute.
  /// Throws Error when it is of another kind.
  template <class T>
  T get(std::string_view name, T missing = T{}) const {
    const AttributeValue* value = find(name);
    if (value != nullptr) convert(name, *value, &missing);
    return missing;
  }

 private:
  static void convert(std::string_view name, const AttributeValue& from, AttributeRef to);
  friend class AttributeReader;
  friend class AttributeReads;

  /// Who is told of what is found. A copy of the map has nobody.
  struct Listener {
    AttributeReads* reads = nullptr;

    Listener() = default;
    Listener(const Listener& /*other*/) noexcept {}  // NOLINT(modernize-use-equals-default): it does not copy
    // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): nor does it assign.
    Listener& operator=(const Listener& /*other*/) noexcept { return *this; }
    ~Listener() = default;
  };
  mutable Listener listener_;
  std::map<std::string, AttributeValue, std::less<>> values_;
};

/// Sets each field from a file's attributes; what the file does not have keeps its default.
class AttributeReader : public AttributeVisitor {
 public:
  /// `legacy` chooses the ProgramDesc names.
  AttributeReader(const AttributeMap& map, bool legacy) : map_(map), legacy_(legacy) {}

 protected:
  void visit(std::string_view name, std::string_view legacy, AttributeRef field) override;

 private:
  const AttributeMap& map_;
  bool legacy_;
};

}  // namespace coracle::internal
