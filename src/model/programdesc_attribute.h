// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "model/programdesc.h"

/// Attributes of ProgramDesc: the fields of the Attr message, and what of them an operator has. For programdesc.cc and
/// programdesc_write.cc.
namespace coracle::internal::programdesc {

enum AttributeType : int64_t {
  kInt,
  kFloat,
  kString,
  kInts,
  kFloats,
  kStrings,
  kBoolean,
  kBooleans,
  kBlock,
  kLong,
  kBlocks,
  kLongs,
  kFloat64s,
  kVar,
  kVars,
  kFloat64,
  kScalar,
  kScalars,
  kAbsent,
};

/// One element of a SCALAR attribute.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
  bool is_integer = false;
};

/// All value fields of an Attr message; its type tells which one counts.
struct Values {
  int64_t type = kAbsent;
  int64_t integer = 0;
  double real = 0;
  std::string_view string;
  bool boolean = false;
  Ints integers;
  Floats reals;
  std::vector<std::string_view> strings;
  std::vector<Scalar> scalars;
};

/// Attribute that an operator stands in a part of the network by.
inline constexpr std::string_view kScope = "op_namescope";

/// Gives an operator the attribute that its type says.
inline void set_attribute(std::string_view name, Values v, Operator& to) {
  if (name == kScope) {
    if (v.type == kString) to.scope = v.string;
    return;
  }
  const auto set = [&](AttributeValue value) { to.attributes.set(std::string(name), std::move(value)); };
  switch (v.type) {
    case kInt:
    case kLong: return set(v.integer);
    case kFloat:
    case kFloat64: return set(v.real);
    case kString: return set(std::string(v.string));
    case kInts:
    case kLongs:
    case kBooleans: return set(std::move(v.integers));
    case kFloats:
    case kFloat64s: return set(std::move(v.reals));
    case kStrings: return set(Strings(v.strings.begin(), v.strings.end()));
    case kBoolean: return set(v.boolean);
    case kBlock:
      if (name == "sub_block") to.sub_block = v.integer;
      return;
    case kVar: to.variable_attributes.push_back({name, {v.string}, false}); return;
    case kVars: to.variable_attributes.push_back({name, std::move(v.strings), true}); return;
    case kScalar:
      if (!v.scalars.empty()) {
        const Scalar s = v.scalars.front();
        s.is_integer ? set(s.integer) : set(s.real);
      }
      return;
    case kScalars: {
      const bool integers = std::all_of(v.scalars.begin(), v.scalars.end(), [](Scalar s) { return s.is_integer; });
      for (Scalar s : v.scalars) integers ? v.integers.push_back(s.integer) : v.reals.push_back(s.real);
      integers ? set(std::move(v.integers)) : set(std::move(v.reals));
      return;
    }
    default: return;  // a list of blocks, or a type of the future: nothing an inference operator has
  }
}

}  // namespace coracle::internal::programdesc
