// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>

#include "graph/op.h"
#include "ops/common/sharing_lod.h"

namespace coracle::internal {

/// Boxes decoded for each class from offsets [N, classes * 4] to priors [N, 4] (pixels, so a width is x2 - x1 + 1), and
/// for each prior the box of its best class but the first, which is the background; the prior itself if there is no
/// other.
struct BoxDecoderAndAssign {
  static constexpr const char* kName = "box_decoder_and_assign";
  static constexpr const char* kLegacy[] = {"box_decoder_and_assign"};
  static constexpr LodRule kLod = LodRule::kDerived;
  static constexpr Port kInputs[] = {in("prior_box", "PriorBox"), optional_in("prior_box_var", "PriorBoxVar"),
                                     in("target_box", "TargetBox"), in("box_score", "BoxScore")};
  static constexpr Port kOutputs[] = {out("decode_box", "DecodeBox"), out("output_assign_box", "OutputAssignBox")};
  double box_clip = 4.135166556742356;
  void attributes(AttributeVisitor& visit) { visit("box_clip", box_clip); }
  friend bool operator==(const BoxDecoderAndAssign&, const BoxDecoderAndAssign&) = default;
};

inline void infer(const BoxDecoderAndAssign&, InferArgs& a) {
  const Shape& prior = a.shape(0);
  const Shape& target = a.shape(2);
  const Shape& score = a.shape(3);
  for (int port : {0, 1, 2, 3}) {
    const bool fits = !a.has(port) || (is_float(a.dtype(port)) && a.dtype(port) == a.dtype(0));
    require(fits, "the operands are not of one real type");
  }
  require(!prior.rank_known() || (prior.rank() == 2 && (prior[1] < 0 || prior[1] == 4)), "priors are ", prior,
          ", expected [N, 4]");
  if (a.has(1)) {
    const Shape& variances = a.shape(1);
    require(!variances.known() || variances.count() == 4, "the variances are ", variances, ", expected 4");
  }
  for (const Shape& s : {target, score}) {
    require(!s.rank_known() || s.rank() == 2, "an operand is ", s, ", expected a matrix");
    require(!s.rank_known() || !prior.rank_known() || s[0] < 0 || prior[0] < 0 || s[0] == prior[0], "an operand is ", s,
            " for priors ", prior);
  }
  require(!target.rank_known() || !score.rank_known() || target[1] < 0 || score[1] < 0 || target[1] == score[1] * 4,
          "boxes are ", target, " and scores ", score);
  a.set(0, a.dtype(0), target);
  a.set(1, a.dtype(0), prior);
  share_lod(a, 0, 2);
  share_lod(a, 1, 0);
}

inline void reference(const BoxDecoderAndAssign& op, ReferenceArgs& a) {
  const int64_t rows = a.shape(0)[0];
  const int64_t classes = a.shape(3)[1];
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    const auto number = [&](int port, int64_t i) { return static_cast<double>(a.in(port).template data<T>()[i]); };
    for (int64_t i = 0; i < rows; ++i) {
      double low[2];
      double size[2];
      for (int d = 0; d < 2; ++d) {
        low[d] = number(0, i * 4 + d);
        size[d] = number(0, i * 4 + d + 2) - low[d] + 1;
      }
      for (int64_t c = 0; c < classes; ++c) {
        const int64_t at = (i * classes + c) * 4;
        for (int d = 0; d < 2; ++d) {
          const double variance = a.has(1) ? number(1, d) : 1.0;
          const double wider = a.has(1) ? number(1, d + 2) : 1.0;
          const double middle = variance * number(2, at + d) * size[d] + low[d] + size[d] / 2;
          const double width = std::exp(std::min(wider * number(2, at + d + 2), op.box_clip)) * size[d];
          a.out(0).data<T>()[at + d] = static_cast<T>(middle - width / 2);
          a.out(0).data<T>()[at + d + 2] = static_cast<T>(middle + width / 2 - 1);
        }
      }
      int64_t best = -1;
      double most = -1;
      for (int64_t c = 1; c < classes; ++c) {
        if (number(3, i * classes + c) > most) {
          most = number(3, i * classes + c);
          best = c;
        }
      }
      for (int64_t d = 0; d < 4; ++d) {
        a.out(1).data<T>()[i * 4 + d] =
            best > 0 ? a.out(0).data<T>()[(i * classes + best) * 4 + d] : a.in(0).template data<T>()[i * 4 + d];
      }
    }
  });
}

inline constexpr const OpSchema* box_decoder_and_assign_op = &kOpSchema<BoxDecoderAndAssign>;

}  // namespace coracle::internal
