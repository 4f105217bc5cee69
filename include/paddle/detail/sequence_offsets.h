// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "error.h"

namespace paddle {
namespace detail {

/// Offsets of sequences, coarsest level first.
using Lod = std::vector<std::vector<size_t>>;

/// Sets those of an input that was set before.
inline void give_lod(coracle_session* session, size_t input, const Lod& lod) {
  std::vector<size_t> sizes;
  std::vector<size_t> offsets;
  offsets.reserve(1);  // a level without offsets is wrong, and not a null pointer
  for (const auto& level : lod) {
    sizes.push_back(level.size());
    offsets.insert(offsets.end(), level.begin(), level.end());
  }
  check(coracle_session_set_input_lod(session, input, sizes.size(), sizes.data(), offsets.data()));
}

/// Those of a result.
inline Lod lod_of(const coracle_session* session, size_t output, size_t levels) {
  Lod lod;
  for (size_t level = 0; level < levels; ++level) {
    const size_t* offsets = nullptr;
    size_t size = 0;
    check(coracle_session_output_lod(session, output, level, &offsets, &size));
    lod.emplace_back(offsets, offsets + size);
  }
  return lod;
}

}  // namespace detail
}  // namespace paddle
