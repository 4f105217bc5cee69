// SPDX-License-Identifier: Apache-2.0
// Objects with masks out of the outputs of models for instance segmentation.
#pragma once

#include "vision/answers.h"
#include "vision/mask.h"
#include "vision/session.h"

namespace coracle::vision {

/// What a model for instance segmentation gives, told by the ranks of its outputs.
enum class InstanceForm {
  kNone,   ///< no masks
  kBoxes,  ///< boxes [n, 6], how many of each picture, masks [n, height, width]
  kMasks   ///< how many, classes [n], scores [n], masks [n, height, width], as SOLOv2 has them
};
InstanceForm instance_form(const std::vector<std::size_t>& ranks);

/// Error if masks are of another size than the picture: they belong to something else than the picture. A pixel of the
/// model's input more or less is rounding, as are more of them on the longer side where models scale it as the shorter
/// one.
void check_masks(const MaskPlanes& masks, const Prepared& prepared, const Description& d);

/// Rows of class, score, left, top, right, bottom, each with a mask, of which what is in its box counts.
std::vector<Object> instances(const float* rows, std::size_t count, const MaskPlanes& masks, int width, int height,
                              float threshold, const Description& d);
/// Classes and scores, each with a mask, whose bounds are the box.
std::vector<Object> instances(const Output& ids, const Output& scores, const MaskPlanes& masks, int width, int height,
                              float threshold, const Description& d);

/// The objects in the picture by the model's outputs.
std::vector<Object> instances_of(const PictureModel& model, const Prepared& prepared, const Description& d);

/// Makes of object detection instance segmentation if the model gives masks and boxes alone were not asked for.
void settle_instances(const PictureModel& model, const std::string& path, const std::optional<Task>& asked,
                      Description& d);

}  // namespace coracle::vision
