// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/op.h"

/// Boxes as four numbers: x and y of the upper left corner, then of the lower right one. Where boxes are not normalized
/// the corners are pixels that belong to the box, so that its width is x2 - x1 + 1.
namespace coracle::internal {

/// Width times height, 0 for a box whose corners are the wrong way round.
double box_area(const double* box, bool normalized);

/// Intersection over union; not a number where both are the same point (such boxes count as overlapping).
double box_overlap(const double* a, const double* b, bool normalized);

/// Positions of the scores above `threshold`, the highest first (equal ones in order), at most `most` (negative: all).
/// Score i is scores[i * step].
std::vector<int64_t> best_scores(const RunContext& context, const double* scores, int64_t count, int64_t step,
                                 double threshold, int64_t most);

/// Greedy suppression: of the boxes in `order`, those that overlap none taken before by more than `threshold`. With eta
/// below 1 the threshold shrinks by it after each box taken, while above 0.5. Box i starts at boxes[i * step]; it has
/// four numbers, or more: the corners of a polygon.
std::vector<int64_t> suppress_overlaps(const RunContext& context, const double* boxes, int64_t step,
                                       std::span<const int64_t> order, double threshold, double eta, bool normalized,
                                       int64_t numbers = 4);

/// The rows of one image after another: {0, rows of the first, rows of the first two, ...}, from a tensor of counts if
/// there is one (`counts` not null), else from the offsets of the rows. Throws Error where they do not fit.
std::vector<int64_t> image_offsets(const Tensor* counts, const Tensor& rows);
/// The same where rows behind those that are counted belong to no image.
std::vector<int64_t> offsets_of_first_rows(const Tensor* counts, const Tensor& rows);

/// Offsets of one level.
Lod one_level(std::span<const int64_t> offsets);

}  // namespace coracle::internal
