// SPDX-License-Identifier: Apache-2.0
// What is made of the sums of a product of integers.
//
// Defined by the host: CHANNEL (of an element at `row`, `column` of all matrices), EPILOGUE_PARAMETERS, EPILOGUE, RESULT,
// FINISHED.

#include "epilogue.cl"

KERNEL(integer_finish)(GLOBAL RESULT* y, offset_t y_begin, GLOBAL const i32* sums, offset_t sums_begin, const int count,
                       const int columns, const int channels EPILOGUE_PARAMETERS) {
  const int position = global_id(0);
  if (position >= count) return;
  y += y_begin;
  sums += sums_begin;
  MAYBE_UNUSED const int row = position / columns;
  MAYBE_UNUSED const int column = position % columns;
  MAYBE_UNUSED const int channel = CHANNEL;
  float v = (float)sums[position];
  EPILOGUE
  y[position] = FINISHED;
}
