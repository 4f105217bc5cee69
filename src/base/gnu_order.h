// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

/// std::partial_sort, std::nth_element and std::sort as GNU's C++ library does them, with whatever library this is
/// compiled. Where elements are equal the standard leaves open which of them come first. Paddle takes those that GNU's
/// library leaves in front, so answers depend on it.
namespace coracle::internal::gnu {

namespace detail {

/// Puts `value` into the heap of `length` elements, whose place `hole` is free: down to the last level, then up.
template <class T, class Before>
void adjust_heap(T* heap, std::ptrdiff_t hole, std::ptrdiff_t length, T value, const Before& before) {
  const std::ptrdiff_t top = hole;
  std::ptrdiff_t child = hole;
  while (child < (length - 1) / 2) {
    child = 2 * (child + 1);
    if (before(heap[child], heap[child - 1])) --child;
    heap[hole] = std::move(heap[child]);
    hole = child;
  }
  if (length % 2 == 0 && child == (length - 2) / 2) {
    child = 2 * child + 1;
    heap[hole] = std::move(heap[child]);
    hole = child;
  }
  for (std::ptrdiff_t parent = (hole - 1) / 2; hole > top && before(heap[parent], value); parent = (hole - 1) / 2) {
    heap[hole] = std::move(heap[parent]);
    hole = parent;
  }
  heap[hole] = std::move(value);
}

/// Takes the first of the heap [first, last) to `to`, and what was there into the heap.
template <class T, class Before>
void pop_heap(T* first, T* last, T* to, const Before& before) {
  T value = std::move(*to);
  *to = std::move(*first);
  adjust_heap(first, 0, last - first, std::move(value), before);
}

/// Makes of [first, middle) a heap of what comes first in [first, last).
template <class T, class Before>
void heap_select(T* first, T* middle, T* last, const Before& before) {
  const std::ptrdiff_t length = middle - first;
  for (std::ptrdiff_t parent = length / 2; parent-- > 0;) {
    T value = std::move(first[parent]);
    adjust_heap(first, parent, length, std::move(value), before);
  }
  for (T* i = middle; i < last; ++i) {
    if (before(*i, *first)) pop_heap(first, middle, i, before);
  }
}

/// Parts [first, last), of more than three, by the median of three of them: where the second part begins.
template <class T, class Before>
T* part(T* first, T* last, const Before& before) {
  T* const a = first + 1;
  T* const b = first + (last - first) / 2;
  T* const c = last - 1;
  T* median = nullptr;
  if (before(*a, *b)) {
    median = before(*b, *c) ? b : before(*a, *c) ? c : a;
  } else {
    median = before(*a, *c) ? a : before(*b, *c) ? c : b;
  }
  std::swap(*first, *median);
  T* low = first + 1;
  for (T* high = last;;) {
    while (before(*low, *first)) ++low;
    --high;
    while (before(*first, *high)) --high;
    if (low >= high) return low;
    std::swap(*low, *high);
    ++low;
  }
}

/// Takes [begin, last), one after the other, to where they belong in the sorted [first, begin).
template <class T, class Before>
void insert(T* first, T* begin, T* last, const Before& before) {
  for (T* i = begin; i < last; ++i) {
    T value = std::move(*i);
    T* to = i;
    for (; to > first && before(value, to[-1]); --to) *to = std::move(to[-1]);
    *to = std::move(value);
  }
}

/// How often a range of so many elements is parted before heaps take over.
inline int most_depth(std::ptrdiff_t count) {
  int depth = 0;
  for (; count > 1; count /= 2) depth += 2;
  return depth;
}

}  // namespace detail

/// Sorts what comes first in [first, last) into [first, middle).
template <class T, class Before>
void partial_sort(T* first, T* middle, T* last, const Before& before) {
  detail::heap_select(first, middle, last, before);
  for (T* end = middle; end - first > 1; --end) detail::pop_heap(first, end - 1, end - 1, before);
}

/// Takes to `nth` what a sort would, with none behind that comes before it.
template <class T, class Before>
void nth_element(T* first, T* nth, T* last, const Before& before) {
  if (first == last || nth == last) return;
  for (int depth = detail::most_depth(last - first); last - first > 3; --depth) {
    if (depth == 0) {
      detail::heap_select(first, nth + 1, last, before);
      std::swap(*first, *nth);
      return;
    }
    T* const cut = detail::part(first, last, before);
    if (cut <= nth) {
      first = cut;
    } else {
      last = cut;
    }
  }
  detail::insert(first, first + 1, last, before);
}

/// Sorts [first, last).
template <class T, class Before>
void sort(T* first, T* last, const Before& before) {
  constexpr std::ptrdiff_t kFew = 16;  // parts of so many are left to the end
  struct Parts {
    const Before& before;
    void make(T* begin, T* end, int depth) const {
      for (; end - begin > kFew; --depth) {
        if (depth == 0) return partial_sort(begin, end, end, before);
        T* const cut = detail::part(begin, end, before);
        make(cut, end, depth - 1);
        end = cut;
      }
    }
  };
  if (first == last) return;
  Parts{before}.make(first, last, detail::most_depth(last - first));
  detail::insert(first, first + 1, last, before);
}

}  // namespace coracle::internal::gnu
