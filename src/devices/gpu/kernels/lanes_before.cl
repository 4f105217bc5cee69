// SPDX-License-Identifier: Apache-2.0
// Sums over the items of a group of LANES items.

// What the lanes before this one have; room[LANES - 1] has the sum of all until the next call.
FN int sum_of_lanes_before(LOCAL_PTR int* room, int x) {
  const int lane = local_id(0);
  BARRIER();
  room[lane] = x;
  BARRIER();
  for (int distance = 1; distance < LANES; distance *= 2) {
    const int before = lane >= distance ? room[lane - distance] : 0;
    BARRIER();
    room[lane] += before;
    BARRIER();
  }
  return room[lane] - x;
}
