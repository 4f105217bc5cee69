// SPDX-License-Identifier: Apache-2.0
// y[image, channel, point] = x[image, channel] at the position that the grid [images, points, AXES] has, in -1 ... 1 along
// each axis, the innermost first. Positions are computed in float as the reference does it: rounding decides which
// elements are read. What lies outside is 0.
// Defined by the host: AXES (2 or 3), NEAREST, PADDING (0 zeros, 1 border, 2 reflection), ALIGN_CORNERS.

#define LESS_OF(a, b) ((b) < (a) ? (b) : (a))
#define FAR_AWAY 1e9f

FN float position_of(float coordinate, int size) {
  const float last = (float)(size - 1);
#if ALIGN_CORNERS
  float at = (coordinate + 1.0f) * 0.5f * last;
#else
  float at = (coordinate + 1.0f) * (last + 1.0f) * 0.5f - 0.5f;
#endif
#if PADDING == 2
#if ALIGN_CORNERS
  const float twice = last * 2.0f;
  const float distance = MATH(fabs)(at);
  const float extra = size == 1 ? 0.0f : distance - MATH(floor)(distance / twice) * twice;
  at = LESS_OF(extra, twice - extra);
#else
  const float twice = (last + 1.0f) * 2.0f;
  const float distance = MATH(fabs)(at + 0.5f);
  const float extra = distance - MATH(floor)(distance / twice) * twice;
  at = LESS_OF(extra, twice - extra) - 0.5f;
#endif
#endif
#if PADDING != 0
  at = at < 0.0f ? 0.0f : at;
  at = LESS_OF(at, last);
#endif
  if (at != at || at < -FAR_AWAY) return -FAR_AWAY;
  return at > FAR_AWAY ? FAR_AWAY : at;
}

// The elements of an axis that a position falls between, and their shares.
FN void neighbours_of(float at, int* index, float* share) {
#if NEAREST
  const int low = (int)MATH(round)(at);
  const float rest = 0.0f;
#else
  const float floor_of_it = MATH(floor)(at);
  const int low = (int)floor_of_it;
  const float rest = at - floor_of_it;
#endif
  index[0] = low;
  index[1] = low + 1;
  share[0] = 1.0f - rest;
  share[1] = rest;
}

KERNEL(grid_sample)(GLOBAL STORED* RESTRICT y, offset_t y_begin, GLOBAL const STORED* RESTRICT x, offset_t x_begin, GLOBAL const STORED* RESTRICT grid, offset_t grid_begin,
                    const int count, const int channels, const int points, const int depth, const int height, const int width) {
  const int id = global_id(0);
  if (id >= count) return;
  x += x_begin;
  grid += grid_begin;
  y += y_begin;
  const int plane = id / points;
  const int at = (plane / channels * points + id - plane * points) * AXES;
  int across[2];
  int down[2];
  float by_across[2];
  float by_down[2];
  neighbours_of(position_of(LOAD(grid, at), width), across, by_across);
  neighbours_of(position_of(LOAD(grid, at + 1), height), down, by_down);
  int deep[2] = {0, 1};
  float by_deep[2] = {1.0f, 0.0f};
#if AXES == 3
  neighbours_of(position_of(LOAD(grid, at + 2), depth), deep, by_deep);
#endif
  float sum = 0;
  UNROLL
  for (int i = 0; i < (AXES == 3 && !NEAREST ? 2 : 1); ++i) {
    UNROLL
    for (int j = 0; j < (NEAREST ? 1 : 2); ++j) {
      UNROLL
      for (int k = 0; k < (NEAREST ? 1 : 2); ++k) {
        const int inside = deep[i] >= 0 && deep[i] < depth && down[j] >= 0 && down[j] < height && across[k] >= 0 && across[k] < width;
        if (inside) sum += by_deep[i] * by_down[j] * by_across[k] * LOAD(x, ((plane * depth + deep[i]) * height + down[j]) * width + across[k]);
      }
    }
  }
  STORE(y, id, sum);
}
