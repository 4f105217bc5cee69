// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/channel_shuffle.h"
#include "ops/movement/transpose.h"
#include "ops/shape/reshape.h"
#include "passes/passes.h"

/// Channels that are shuffled by way of five dimensions, which no channels-last kernel takes:
///   reshape(transpose(reshape(x, [n, g, c / g, h, w]), [0, 2, 1, 3, 4]), [n, c, h, w])  ->  channel_shuffle(x, g)
namespace coracle::internal {
namespace {

/// True if the shapes are [?, c, h, w], [?, g, c / g, h, w] and [?, c, h, w] with known, positive c, g, h and w.
bool is_shuffle(const Shape& x, const Shape& rows, const Shape& y) {
  if (x.rank() != 4 || rows.rank() != 5 || y.rank() != 4) return false;
  for (int d = 1; d < 4; ++d) {
    if (x[d] <= 0 || y[d] != x[d]) return false;
  }
  return rows[1] > 0 && rows[2] > 0 && rows[1] * rows[2] == x[1] && rows[3] == x[2] && rows[4] == x[3];
}

}  // namespace

Pass fuse_channel_shuffle() {
  Pattern p;
  const auto x = p.any();
  const auto rows = p.used_once(p.op<Reshape>({x}));
  const auto columns = p.used_once(p.op<Transpose>({rows}));
  const auto y = p.op<Reshape>({columns});
  const auto apply = [=](const Match& m, Patch& patch) {
    const Shape& shape = m.fact(rows).shape;
    if (m[columns].perm != Ints{0, 2, 1, 3, 4} || !is_shuffle(m.fact(x).shape, shape, m.fact(y).shape)) return false;
    ChannelShuffle shuffle;
    shuffle.groups = static_cast<int>(shape[1]);
    patch.replace(m.output(y), patch.add(shuffle, {{m[x]}}));
    return true;
  };
  return {.name = "fuse_channel_shuffle", .rewrites = {{p, y, apply}}};
}

}  // namespace coracle::internal
