// SPDX-License-Identifier: Apache-2.0
// The steps of an epilogue on the elements of a product, in place.
//
// Defined by the host: CHANNEL (of an element at `row`, `column` of all matrices), EPILOGUE_PARAMETERS, EPILOGUE.

#include "epilogue.cl"

KERNEL(finish)(GLOBAL STORED* y, offset_t y_begin, const int count, const int columns,
               const int channels EPILOGUE_PARAMETERS) {
  const int position = global_id(0);
  if (position >= count) return;
  y += y_begin;
  MAYBE_UNUSED const int row = position / columns;
  MAYBE_UNUSED const int column = position % columns;
  MAYBE_UNUSED const int channel = CHANNEL;
  float v = LOAD(y, position);
  EPILOGUE
  STORE(y, position, v);
}
