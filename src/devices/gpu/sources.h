// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

/// The kernels' sources, which the library carries.
namespace coracle::internal::gpu {

/// A file of kernels/ by its name, or another text.
struct Source {
  std::string_view name;
  std::string_view text = {};  ///< empty: kernels/`name`.cl
};

/// What a compiler gets: the prelude, then the source with those it includes. Throws Error where there is none of that
/// name.
std::string with_prelude(const Source& source);

}  // namespace coracle::internal::gpu
