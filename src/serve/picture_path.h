// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "serve/service.h"

namespace coracle::serve {

/// Whom a picture is for.
struct PicturePath {
  std::string model;
  std::string version;  ///< empty: none is given
};

/// Of /v2/models/NAME[/versions/VERSION]/predict; nothing for other paths.
inline std::optional<PicturePath> picture_path(const Path& path) {
  const bool versioned = path.size() == 6 && path[3] == "versions";
  if ((path.size() != 4 && !versioned) || path[0] != "v2" || path[1] != "models" || path.back() != "predict")
    return std::nullopt;
  return PicturePath{path[2], versioned ? path[4] : std::string()};
}

}  // namespace coracle::serve
