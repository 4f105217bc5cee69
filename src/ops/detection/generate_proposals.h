// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/proposals.h"

namespace coracle::internal {

/// The regions that a proposal network finds: the best anchors moved by their deltas, without overlaps.
struct GenerateProposals : ProposalOperator {
  static constexpr const char* kName = "generate_proposals";
  static constexpr const char* kLegacy[] = {"generate_proposals_v2"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("scores", "Scores"), in("bbox_deltas", "BboxDeltas"), in("im_shape", "ImShape"),
                                     in("anchors", "Anchors"), in("variances", "Variances")};
  static constexpr Port kOutputs[] = {out("rpn_rois", "RpnRois"), optional_out("rpn_roi_probs", "RpnRoiProbs"),
                                      optional_out("rpn_rois_num", "RpnRoisNum")};
  bool pixel_offset = true;
  void attributes(AttributeVisitor& visit) {
    ProposalOperator::attributes(visit);
    visit("pixel_offset", pixel_offset);
  }
  friend bool operator==(const GenerateProposals&, const GenerateProposals&) = default;
};

inline void infer(const GenerateProposals&, InferArgs& a) { infer_proposals(a, 2); }

inline void reference(const GenerateProposals& op, ReferenceArgs& a) {
  reference_proposals(op, a, op.pixel_offset, false);
}

inline constexpr const OpSchema* generate_proposals_op = &kOpSchema<GenerateProposals>;

}  // namespace coracle::internal
