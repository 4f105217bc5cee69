// SPDX-License-Identifier: Apache-2.0
// Boxes [rows, columns, 4] from target boxes and priors, coded as centres and sizes relative to the priors, or back from
// there. An item computes the two numbers of a box along one axis.
// Defined by the host: ENCODE, PRIOR_OF_ROW (else that of the column), HAS_VARIANCES (one for each number of a prior;
// else there are four for all).

KERNEL(box_coder)(GLOBAL STORED* y, offset_t y_begin, GLOBAL const STORED* prior, offset_t prior_begin, GLOBAL const STORED* target, offset_t target_begin, const int count,
                  const int columns, const float pixel,
#if HAS_VARIANCES
                  GLOBAL const STORED* variances, offset_t variances_begin
#else
                  const float variance0, const float variance1, const float variance2, const float variance3
#endif
) {
  const int id = global_id(0);
  if (id >= count) return;
  prior += prior_begin;
  target += target_begin;
  y += y_begin;
  const int axis = id % 2;
  const int box = id / 2;
  const int row = box / columns;
  const int own = 4 * (PRIOR_OF_ROW ? row : box - row * columns) + axis;
  const int from = 4 * (ENCODE ? row : box) + axis;
  const int to = 4 * box + axis;
#if HAS_VARIANCES
  const float of_centre = LOAD(variances, variances_begin + own);
  const float of_size = LOAD(variances, variances_begin + own + 2);
#else
  const float of_centre = axis == 0 ? variance0 : variance1;
  const float of_size = axis == 0 ? variance2 : variance3;
#endif
  const float low = LOAD(prior, own);
  const float size = LOAD(prior, own + 2) - low + pixel;
  const float centre = low + size / 2.0f;
  const float first = LOAD(target, from);
  const float second = LOAD(target, from + 2);
#if ENCODE
  STORE(y, to, ((first + second) / 2.0f - centre) / size / of_centre);
  STORE(y, to + 2, MATH(log)(MATH(fabs)((second - first + pixel) / size)) / of_size);
#else
  const float middle = of_centre * first * size + centre;
  const float half_size = MATH(exp)(of_size * second) * size / 2.0f;
  STORE(y, to, middle - half_size);
  STORE(y, to + 2, middle + half_size - pixel);
#endif
}
