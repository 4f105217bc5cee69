// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/boxes.h"

namespace coracle::internal {

/// Attributes of region proposals.
struct ProposalOperator {
  int pre_nms_top_n = 6000;
  int post_nms_top_n = 1000;
  float nms_thresh = 0.5F;
  float min_size = 0.1F;
  float eta = 1;
  void attributes(AttributeVisitor& visit) {
    visit("pre_nms_top_n", pre_nms_top_n, "pre_nms_topN");
    visit("post_nms_top_n", post_nms_top_n, "post_nms_topN");
    visit("nms_thresh", nms_thresh);
    visit("min_size", min_size);
    visit("eta", eta);
  }
  friend bool operator==(const ProposalOperator&, const ProposalOperator&) = default;
};

/// Operands scores [N, A, H, W], deltas [N, 4 * A, H, W], a row of `image_numbers` for each image, anchors and
/// variances [H, W, A, 4]; results regions [R, 4], their scores [R, 1] and how many each image has [N].
void infer_proposals(InferArgs& a, int64_t image_numbers);

/// `scaled`: image rows are height, width and scale (else height and width), and the smallest size is one before
/// scaling.
void reference_proposals(const ProposalOperator& op, ReferenceArgs& a, bool pixel_offset, bool scaled);

}  // namespace coracle::internal
