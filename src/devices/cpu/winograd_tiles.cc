// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/winograd_tiles.h"

namespace coracle::internal::cpu {

int64_t WinogradTiles::count(const ConvolutionGeometry& g) const {
  const auto along = [&](const WindowAxis& a) { return (a.out + size - 1) / size; };
  return along(g.height()) * along(g.width());
}

RejectionReason WinogradTiles::rejection(const ConvolutionGeometry& g) const {
  for (const WindowAxis* a : {&g.height(), &g.width()}) {
    if (a->kernel != 3 || a->stride != 1 || a->dilation != 1) return "not a 3x3 filter with stride 1";
  }
  if (g.groups != 1) return "only one group";
  if (g.in_channels < least_in_channels || g.out_channels < least_out_channels) return "too few channels for Winograd";
  // By the size of one image: it must not depend on the batch how an image is computed.
  const int64_t tiles = count(g);
  if (tiles < least_tiles) return "too small an image for Winograd";
  // Cut tiles compute pixels that nobody wants.
  const int64_t multiplies = tiles * (size + 2) * (size + 2);
  const int64_t direct = 9 * g.height().out * g.width().out;
  return of_shares * multiplies <= share * direct ? nullptr : "too many cut tiles for Winograd";
}

}  // namespace coracle::internal::cpu
