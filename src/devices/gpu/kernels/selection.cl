// SPDX-License-Identifier: Apache-2.0
// The first k elements of lines [outer, length, inner] and where they were, of lines whose order is known (sort.cl). A
// group takes a line. SELECTS: of equal elements those that Paddle has, which are those that std::partial_sort, or
// std::nth_element and std::sort, of GNU's library leave at the front (selection.h): one item does what these do where
// any of the first are equal.
// Defined by the host: TYPE, REAL, DESCENDING, LANES, HAS_INDICES, SELECTS (0: in their order, 1: by partial sort,
// 2: by the n-th element and a sort, 3: without that sort).

#include "ordering.cl"

#if SELECTS
// Elements are moved by their positions, which lie in `p`; their values in `x`, `inner` apart.
#define LINE_PARAMETERS GLOBAL const TYPE* x, offset_t inner, GLOBAL int* p
#define LINE x, inner, p

FN int comes_before(GLOBAL const TYPE* x, offset_t inner, int a, int b) {
  return is_before(LOAD_OF(TYPE, x, a * inner), LOAD_OF(TYPE, x, b * inner));
}
#define BEFORE(a, b) comes_before(x, inner, (a), (b))

FN void swap(GLOBAL int* p, int a, int b) {
  const int other = p[a];
  p[a] = p[b];
  p[b] = other;
}

FN void adjust_heap(LINE_PARAMETERS, int first, int hole, int length, int value) {
  const int top = hole;
  int child = hole;
  while (child < (length - 1) / 2) {
    child = 2 * (child + 1);
    if (BEFORE(p[first + child], p[first + child - 1])) --child;
    p[first + hole] = p[first + child];
    hole = child;
  }
  if (length % 2 == 0 && child == (length - 2) / 2) {
    child = 2 * (child + 1);
    p[first + hole] = p[first + child - 1];
    hole = child - 1;
  }
  int parent = (hole - 1) / 2;
  while (hole > top && BEFORE(p[first + parent], value)) {
    p[first + hole] = p[first + parent];
    hole = parent;
    parent = (hole - 1) / 2;
  }
  p[first + hole] = value;
}

// Takes the first of the heap [first, last) to `to`, and what was there into the heap.
FN void pop_heap(LINE_PARAMETERS, int first, int last, int to) {
  const int value = p[to];
  p[to] = p[first];
  adjust_heap(LINE, first, 0, last - first, value);
}

FN void heap_select(LINE_PARAMETERS, int first, int middle, int last) {
  const int length = middle - first;
  for (int parent = (length - 2) / 2; length >= 2 && parent >= 0; --parent) {
    adjust_heap(LINE, first, parent, length, p[first + parent]);
  }
  for (int i = middle; i < last; ++i) {
    if (BEFORE(p[i], p[first])) pop_heap(LINE, first, middle, i);
  }
}

FN void partial_sort(LINE_PARAMETERS, int first, int middle, int last) {
  heap_select(LINE, first, middle, last);
  for (int end = middle; end - first > 1; --end) pop_heap(LINE, first, end - 1, end - 1);
}

// Parts [first, last) by the median of three: where the second part begins.
FN int part(LINE_PARAMETERS, int first, int last) {
  const int a = first + 1;
  const int b = first + (last - first) / 2;
  const int c = last - 1;
  int median;
  if (BEFORE(p[a], p[b])) {
    median = BEFORE(p[b], p[c]) ? b : BEFORE(p[a], p[c]) ? c : a;
  } else {
    median = BEFORE(p[a], p[c]) ? a : BEFORE(p[b], p[c]) ? c : b;
  }
  swap(p, first, median);
  int low = first + 1;
  int high = last;
  for (;;) {
    while (BEFORE(p[low], p[first])) ++low;
    --high;
    while (BEFORE(p[first], p[high])) --high;
    if (low >= high) return low;
    swap(p, low, high);
    ++low;
  }
}

// Takes p[i] to where it belongs in the sorted [first, i).
FN void insert(LINE_PARAMETERS, int first, int i) {
  const int value = p[i];
  int to = i;
  if (BEFORE(value, p[first])) {
    for (; to > first; --to) p[to] = p[to - 1];
  } else {
    for (; BEFORE(value, p[to - 1]); --to) p[to] = p[to - 1];
  }
  p[to] = value;
}

FN int most_depth(int count) {
  int depth = 0;
  for (; count > 1; count /= 2) depth += 2;
  return depth;
}

FN void nth_element(LINE_PARAMETERS, int nth, int last) {
  int first = 0;
  for (int depth = most_depth(last); last - first > 3; --depth) {
    if (depth == 0) {
      heap_select(LINE, first, nth + 1, last);
      swap(p, first, nth);
      return;
    }
    const int cut = part(LINE, first, last);
    if (cut <= nth) {
      first = cut;
    } else {
      last = cut;
    }
  }
  for (int i = first + 1; i < last; ++i) insert(LINE, first, i);
}

// `later` has room for what is left to do: three numbers for each part.
FN void sort_all(LINE_PARAMETERS, int count, GLOBAL int* later) {
  int parts = 0;
  int first = 0;
  int last = count;
  int depth = most_depth(count);
  for (;;) {
    while (last - first > 16) {
      if (depth == 0) {
        partial_sort(LINE, first, last, last);
        break;
      }
      --depth;
      const int cut = part(LINE, first, last);
      later[3 * parts] = cut;
      later[3 * parts + 1] = last;
      later[3 * parts + 2] = depth;
      ++parts;
      last = cut;
    }
    if (parts == 0) break;
    --parts;
    first = later[3 * parts];
    last = later[3 * parts + 1];
    depth = later[3 * parts + 2];
  }
  // Behind the first 16 what comes before all others is among those 16.
  for (int i = 1; i < count; ++i) insert(LINE, 0, i);
}

FN int are_equal(REGISTER_OF(TYPE) a, REGISTER_OF(TYPE) b) { return !is_before(a, b) && !is_before(b, a); }

#define ROOM_PARAMETER , GLOBAL int* room, offset_t room_begin
#else
#define ROOM_PARAMETER
#endif

#if HAS_INDICES
#define INDICES_PARAMETER GLOBAL i64* RESTRICT indices, offset_t indices_begin,
#define GIVE_INDEX(at, from) indices[indices_begin + (at)] = (from);
#else
#define INDICES_PARAMETER
#define GIVE_INDEX(at, from)
#endif

KERNEL_OF(selection, LANES, 1)(GLOBAL TYPE* RESTRICT values, offset_t values_begin, INDICES_PARAMETER GLOBAL const TYPE* RESTRICT line_x, offset_t x_begin, GLOBAL const int* RESTRICT order, offset_t order_begin
                               ROOM_PARAMETER, const int length, const int inner, const int k) {
  const int line = group_id(0);
  GLOBAL const TYPE* const x = line_x + x_begin + (offset_t)(line / inner) * length * inner + line % inner;
  const offset_t to = (offset_t)(line / inner) * k * inner + line % inner;
  order += order_begin + (offset_t)line * length;
#if SELECTS
  LOCAL_VAR int equal;
  if (local_id(0) == 0) equal = SELECTS == 3;
  BARRIER();
  for (int i = 1 + local_id(0); i <= k && i < length; i += LANES) {
    if (are_equal(LOAD_OF(TYPE, x, (offset_t)order[i - 1] * inner), LOAD_OF(TYPE, x, (offset_t)order[i] * inner))) equal = 1;
  }
  BARRIER();
  if (equal && local_id(0) == 0) {
    GLOBAL int* const p = room + room_begin + (offset_t)line * (length + MOST_LATER);
    for (int i = 0; i < length; ++i) p[i] = i;
    if (SELECTS == 1) partial_sort(x, inner, p, 0, k, length);
    if (SELECTS != 1) nth_element(x, inner, p, k - 1, length);
    if (SELECTS == 2) sort_all(x, inner, p, k - 1, p + length);
    for (int i = 0; i < k; ++i) {
      STORE_OF(TYPE, values, values_begin + to + (offset_t)i * inner, LOAD_OF(TYPE, x, (offset_t)p[i] * inner));
      GIVE_INDEX(to + (offset_t)i * inner, p[i])
    }
  }
  const int is_in_order = !equal;
#else
  const int is_in_order = 1;
#endif
  for (int i = local_id(0); is_in_order && i < k; i += LANES) {
    STORE_OF(TYPE, values, values_begin + to + (offset_t)i * inner, LOAD_OF(TYPE, x, (offset_t)order[i] * inner));
    GIVE_INDEX(to + (offset_t)i * inner, order[i])
  }
}
