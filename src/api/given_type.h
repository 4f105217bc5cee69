// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string>

#include "api/enumerations.h"
#include "api/guard.h"
#include "base/counted.h"
#include "base/fact.h"

namespace coracle::internal {

/// The type of a tensor that a caller gives, whose bytes can be counted. Throws Error with its name ("input 'x'").
inline Fact given_type(const std::string& name, coracle_dtype dtype, int32_t rank, const int64_t* dims) {
  require(is_dtype(dtype), ErrorCode::kInvalidArgument, name, ": there is no element type ", static_cast<int>(dtype));
  require(rank >= 0 && rank <= Shape::kMaxRank, ErrorCode::kInvalidArgument, name, ": a tensor has 0 to ",
          counted(Shape::kMaxRank, "dimension"), ", given ", rank);
  if (rank > 0) require_pointer(dims, "dims");
  const Shape shape(std::span(dims, static_cast<size_t>(rank)));
  for (int i = 0; i < rank; ++i) {
    require(dims[i] >= 0, ErrorCode::kInvalidArgument, name, ": dimension ", i, " is ", dims[i],
            ", expected 0 or more");
  }
  auto bytes = static_cast<int64_t>(size_of(dtype_of(dtype)));
  for (int64_t d : shape) {
    require(d == 0 || bytes <= std::numeric_limits<int64_t>::max() / d, ErrorCode::kInvalidArgument, name, ": shape ",
            shape, " is too large");
    bytes *= d;
  }
  return {dtype_of(dtype), shape};
}

}  // namespace coracle::internal
