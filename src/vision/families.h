// SPDX-License-Identifier: Apache-2.0
// Models of well-known families that lie without their inference.yml: how they take pictures is known all the same.
#pragma once

#include "vision/description.h"

namespace coracle::vision {

/// What tells a family: where the model lies, and what its file declares. Dimensions that are not known are negative; a
/// shape that is not known is empty.
struct FamilyTraits {
  std::string path;
  std::vector<std::int64_t> input;                 ///< the one that takes pictures
  std::vector<std::vector<std::int64_t>> outputs;  ///< all of them
};

/// The description of the one family that such a model can be of: by the names of its file and folder, else by its
/// shapes where these say it. With a task only families of that task. Nothing where there is none. Error (kUsage) where
/// the model may be of a family and may as well not be. `family` then has its name.
std::optional<Description> family_description(const FamilyTraits& traits, std::optional<Task> task,
                                              std::string& family);

/// "resized to 48 x 192, values from -1 to 1, BGR": what is done to pictures.
std::string preparation_text(const Description& description);

}  // namespace coracle::vision
