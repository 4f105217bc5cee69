// SPDX-License-Identifier: Apache-2.0
// What kernels find wrong with their data, for CommandQueue::finish.

// Keeps the first that is said: `faults` is 6 numbers, 0 before.
FN void index_out_of_range(GLOBAL i64* faults, int operand, i64 element, i64 index, i64 least, i64 most) {
  if (!CLAIM(faults)) return;
  faults[1] = operand;
  faults[2] = element;
  faults[3] = index;
  faults[4] = least;
  faults[5] = most;
}
