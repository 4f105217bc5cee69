// SPDX-License-Identifier: Apache-2.0
#include "ops/rnn/gru.h"

#include <algorithm>

#include "base/buffer.h"
#include "ops/rnn/gru_step.h"

namespace coracle::internal {

void infer(const Gru&, InferArgs& a) {
  check_gru_operands(a, 2, 3);
  const Shape& x = a.shape(0);
  Shape y{x.rank_known() ? x[0] : Shape::kUnknown, a.shape(2).known() ? a.shape(2)[0] : Shape::kUnknown};
  if (a.has(1) && a.shape(1).known()) {
    const Shape& h = a.shape(1);
    const int64_t sequences = sequence_count(a.in(0));
    require(h.rank() == 2 && (y[1] < 0 || h[1] == y[1]) && (sequences < 0 || h[0] == sequences), "h0 is ", h,
            ", expected one row of ", y[1], " for each sequence");
    require(a.dtype(1) == a.dtype(0), "h0 is ", a.dtype(1), ", but input is ", a.dtype(0));
  }
  a.set(0, a.dtype(0), x);
  for (int port = 1; port <= 3; ++port) a.set(port, a.dtype(0), y);
  for (int port = 0; port <= 3; ++port) {
    if (a.out_count(port) > 0) a.out(port).lod = a.in(0).lod;
  }
}

void reference(const Gru& op, ReferenceArgs& a) {
  const int64_t width = a.shape(2)[0];
  const std::vector<int64_t> offsets = sequence_offsets(a.in(0).lod(), a.shape(0)[0]);
  require(!a.has(1) || a.shape(1).count() == (static_cast<int64_t>(offsets.size()) - 1) * width, ErrorCode::kRunFailure,
          "h0 does not have one row for each sequence");
  visit_float(a.in(0).dtype(), [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    GruStep<T> step(a.context(), width, a.in(2).data<T>(), a.has(3) ? a.in(3).data<T>() : nullptr, op.activation,
                    op.gate_activation, op.origin_mode);
    for (size_t s = 0; s + 1 < offsets.size(); ++s) {
      Buffer<double> h(static_cast<size_t>(width), 0.0, a.context());
      if (a.has(1)) std::copy_n(a.in(1).data<T>() + static_cast<int64_t>(s) * width, width, h.begin());
      const int64_t length = offsets[s + 1] - offsets[s];
      for (int64_t i = 0; i < length; ++i) {
        a.context().check();
        const int64_t row = op.is_reverse ? offsets[s + 1] - 1 - i : offsets[s] + i;
        step.run(a.in(0).data<T>() + row * 3 * width, h);
        for (int64_t j = 0; j < 3 * width; ++j) {
          const auto k = static_cast<size_t>(j);
          if (a.wants(0)) a.out(0).data<T>()[row * 3 * width + j] = static_cast<T>(step.gates[k]);
          if (j >= width) continue;
          if (a.wants(1)) a.out(1).data<T>()[row * width + j] = static_cast<T>(step.reset[k]);
          if (a.wants(2)) a.out(2).data<T>()[row * width + j] = static_cast<T>(h[k]);
          a.out(3).data<T>()[row * width + j] = static_cast<T>(h[k]);
        }
      }
    }
  });
}

}  // namespace coracle::internal
