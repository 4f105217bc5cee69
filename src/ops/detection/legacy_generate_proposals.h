// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ops/detection/proposals.h"

namespace coracle::internal {

/// The first form of generate_proposals: im_info has height, width and scale; offsets tell the images apart.
struct LegacyGenerateProposals : ProposalOperator {
  static constexpr const char* kName = "legacy_generate_proposals";
  static constexpr const char* kLegacy[] = {"generate_proposals"};
  static constexpr LodRule kLod = LodRule::kOwn;
  static constexpr Port kInputs[] = {in("scores", "Scores"), in("bbox_deltas", "BboxDeltas"), in("im_info", "ImInfo"),
                                     in("anchors", "Anchors"), in("variances", "Variances")};
  static constexpr Port kOutputs[] = {out("rpn_rois", "RpnRois"), optional_out("rpn_roi_probs", "RpnRoiProbs"),
                                      optional_out("rpn_rois_num", "RpnRoisNum")};
  friend bool operator==(const LegacyGenerateProposals&, const LegacyGenerateProposals&) = default;
};

inline void infer(const LegacyGenerateProposals&, InferArgs& a) { infer_proposals(a, 3); }

inline void reference(const LegacyGenerateProposals& op, ReferenceArgs& a) { reference_proposals(op, a, true, true); }

inline constexpr const OpSchema* legacy_generate_proposals_op = &kOpSchema<LegacyGenerateProposals>;

}  // namespace coracle::internal
