// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "base/fact.h"

/// Keys of caches: bytes that are equal where what is cached is.
namespace coracle::internal {

template <class T>
void append_raw(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// All that a row-major fact of a known type on the host says.
inline void append_fact(std::string& key, const Fact& fact) {
  key.push_back(static_cast<char>(fact.dtype));
  key.push_back(static_cast<char>(fact.shape.rank()));
  key.append(reinterpret_cast<const char*>(fact.shape.begin()),
             static_cast<size_t>(std::max(fact.shape.rank(), 0)) * sizeof(int64_t));
  if (fact.lod != nullptr) {
    key.push_back('L');
    for (const std::vector<size_t>& level : *fact.lod) {
      append_raw(key, level.size());
      key.append(reinterpret_cast<const char*>(level.data()), level.size() * sizeof(size_t));
    }
  }
  if (fact.value != nullptr) {
    key.push_back('V');
    key.append(static_cast<const char*>(fact.value->raw()), fact.value->bytes());
  }
}

/// The same but for sizes, and for which elements are known.
inline void append_kind(std::string& key, const Fact& fact) {
  Fact without = fact;
  without.value = nullptr;
  if (fact.shape.rank_known()) without.shape = Shape::filled(fact.shape.rank(), 0);
  append_fact(key, without);
  key.push_back(fact.value == nullptr ? '?' : 'V');
}

}  // namespace coracle::internal
