// SPDX-License-Identifier: Apache-2.0
#include "devices/cpu/isa/sort.h"

#include <cstring>

#include "devices/cpu/isa/over.h"
#include "devices/cpu/isa/vector.h"

namespace coracle::internal::cpu::CORACLE_ISA {
namespace {

// Elements become unsigned keys in the wanted order; keys with their positions are sorted digit by digit from the
// lowest, which keeps the order of equals. For few of many elements, those that are not before the k-th found so far
// are passed over, a block at a time.

constexpr size_t kBlock = 64;
constexpr size_t kShort = 48;      // sorted by insertion
constexpr size_t kLong = 1 << 18;  // items between two looks at whether the run is over

template <class K>
struct Item {
  K key;
  uint32_t position;
};

template <size_t kBytes>
struct KeyOf {
  using Type = uint32_t;
};
template <>
struct KeyOf<8> {
  using Type = uint64_t;
};

template <class T>
constexpr bool kIsReal = static_cast<T>(0.5) != T();

template <class T>
HWY_INLINE typename KeyOf<sizeof(T)>::Type key_of(T x, typename KeyOf<sizeof(T)>::Type flip) {
  using K = typename KeyOf<sizeof(T)>::Type;
  constexpr K kTop = K{1} << (8 * sizeof(K) - 1);
  if constexpr (kIsReal<T>) {
    const T zero_is_one = x + T(0);  // of zeros: plus
    K bits;
    std::memcpy(&bits, &zero_is_one, sizeof(bits));
    const K ordered = bits ^ ((bits & kTop) != 0 ? ~K{0} : kTop);
    return (x != x ? ~K{0} : ordered) ^ flip;
  } else if constexpr (static_cast<T>(-1) < T(0)) {
    return (static_cast<K>(x) ^ kTop) ^ flip;  // sign-extended
  } else {
    return static_cast<K>(x) ^ flip;
  }
}

template <class K>
void sort_short(Item<K>* items, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Item<K> item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1].key > item.key; --at) items[at] = items[at - 1];
    items[at] = item;
  }
}

// f(begin, end) for parts of [0, n), in order. False, with some left out, if the run is over.
template <class F>
HWY_INLINE bool in_parts(size_t n, const Deadline* deadline, const F& f) {
  for (size_t begin = 0; begin < n; begin += kLong) {
    if (begin != 0 && over(deadline)) return false;
    f(begin, n - begin < kLong ? n : begin + kLong);
  }
  return true;
}

// Sorts `items`, with `other` as scratch of the same size. If the run is over they stay in any order, some more than
// once.
template <class K>
void sort_items(Item<K>* items, Item<K>* other, size_t n, const Deadline* deadline) {
  if (n <= kShort) return sort_short(items, n);
  constexpr size_t kDigits = sizeof(K);
  uint32_t counts[kDigits][256] = {};
  const bool counted = in_parts(n, deadline, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      CORACLE_UNROLL
      for (size_t d = 0; d < kDigits; ++d) ++counts[d][(items[i].key >> (8 * d)) & 255];
    }
  });
  if (!counted) return;
  Item<K>* from = items;
  Item<K>* to = other;
  for (size_t d = 0; d < kDigits; ++d) {
    if (counts[d][(from[0].key >> (8 * d)) & 255] == n) continue;  // all have the same digit
    uint32_t first = 0;
    for (uint32_t& count : counts[d]) {
      const uint32_t size = count;
      count = first;
      first += size;
    }
    const bool moved = in_parts(n, deadline, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) to[counts[d][(from[i].key >> (8 * d)) & 255]++] = from[i];
    });
    if (!moved) return;
    Item<K>* const swapped = from;
    from = to;
    to = swapped;
  }
  if (from == items) return;
  in_parts(n, deadline, [&](size_t begin, size_t end) {
    std::memcpy(items + begin, from + begin, (end - begin) * sizeof(Item<K>));
  });
}

// Lanes that may come before the bound, which NaN does here.
template <class T, class V>
HWY_INLINE auto passes(V x, V bound, bool descending) {
  if constexpr (kIsReal<T>) {
    return hn::Not(descending ? hn::Le(x, bound) : hn::Ge(x, bound));
  } else {
    return descending ? hn::Gt(x, bound) : hn::Lt(x, bound);
  }
}

template <class T>
HWY_INLINE bool none_passes(const T* block, T bound, bool descending) {
  const hn::ScalableTag<T> d;
  const auto limit = hn::Set(d, bound);
  auto any = passes<T>(hn::LoadU(d, block), limit, descending);
  for (size_t i = hn::Lanes(d); i < kBlock; i += hn::Lanes(d)) {
    any = hn::Or(any, passes<T>(hn::LoadU(d, block + i), limit, descending));
  }
  return hn::AllFalse(d, any);
}

// The same, a bit for each of the block's elements.
template <class T>
HWY_INLINE uint64_t passing(const T* block, T bound, bool descending) {
  const hn::ScalableTag<T> d;
  const auto limit = hn::Set(d, bound);
  constexpr size_t kLanes = HWY_LANES(T);
  uint64_t bits = 0;
  for (size_t i = 0; i < kBlock; i += kLanes) {
    uint64_t part = 0;
    hn::StoreMaskBits(d, passes<T>(hn::LoadU(d, block + i), limit, descending), reinterpret_cast<uint8_t*>(&part));
    bits |= (kLanes < 64 ? part & ((uint64_t{1} << (kLanes % 64)) - 1) : part) << i;
  }
  return bits;
}

// The k elements that are wanted and the next one, which may be equal to the last of them.
HWY_INLINE size_t looked_at(size_t n, size_t k) { return k < n ? k + 1 : n; }

// How many items are kept before the best k of them are picked.
HWY_INLINE size_t kept(size_t n, size_t k) {
  const size_t some = k + (k < 8 ? 8 : k);
  return some * 4 > n ? n : some;
}

template <class T>
void row_of(bool descending, const void* x, size_t n, size_t k, void* values, int64_t* positions, bool* tied,
            void* scratch, const Deadline* deadline) {
  using K = typename KeyOf<sizeof(T)>::Type;
  const T* from = static_cast<const T*>(x);
  const K flip = descending ? ~K{0} : K{0};
  const size_t best = tied == nullptr ? k : looked_at(n, k);
  const size_t capacity = kept(n, looked_at(n, k));
  Item<K>* items = static_cast<Item<K>*>(scratch);
  Item<K>* other = items + capacity;
  size_t count = 0;
  if (k == 0) return;
  if (capacity == n) {
    const bool filled = in_parts(n, deadline, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) items[i] = {key_of<T>(from[i], flip), static_cast<uint32_t>(i)};
    });
    if (!filled) return;
    count = n;
  } else {
    K bound = ~K{0};
    T bound_value = T();
    bool bounded = false;
    const auto take = [&](size_t position) {
      const K key = key_of<T>(from[position], flip);
      if (bounded && key >= bound) return;
      items[count++] = {key, static_cast<uint32_t>(position)};
      if (count < capacity) return;
      sort_items(items, other, count, deadline);
      count = best;
      bound = items[best - 1].key;
      bound_value = from[items[best - 1].position];
      bounded = true;
    };
    for (size_t begin = 0; begin < n; begin += kBlock) {
      const size_t size = n - begin < kBlock ? n - begin : kBlock;
      const T* const block = from + begin;
      if (!bounded || size < kBlock) {
        for (size_t i = 0; i < size; ++i) take(begin + i);
      } else if (!none_passes(block, bound_value, descending)) {  // NaN passes and is looked at more closely
        for (uint64_t bits = passing(block, bound_value, descending); bits != 0; bits &= bits - 1) {
          take(begin + static_cast<size_t>(__builtin_ctzll(bits)));
        }
      }
    }
  }
  sort_items(items, other, count, deadline);
  T* to = static_cast<T*>(values);
  in_parts(k, deadline, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) to[i] = from[items[i].position];
    if (positions == nullptr) return;
    for (size_t i = begin; i < end; ++i) positions[i] = items[i].position;
  });
  if (tied == nullptr) return;
  *tied = false;
  for (size_t i = 1; i < best && !*tied; ++i) *tied = items[i - 1].key == items[i].key;
}

// The k best so far of each of some columns, in order; a plain loop over the columns is one vector operation.
template <class T>
void columns_of(bool descending, const void* x, size_t n, size_t step, size_t width, size_t k, void* values,
                int64_t* positions, bool* tied, const Deadline* deadline) {
  using K = typename KeyOf<sizeof(T)>::Type;
  const T* from = static_cast<const T*>(x);
  const K flip = descending ? ~K{0} : K{0};
  if (k == 0) return;
  const size_t most = tied == nullptr ? k : looked_at(n, k);
  K best[kMostOfColumns + 1][kSortColumns];
  K at[kMostOfColumns + 1][kSortColumns];
  K key[kSortColumns] = {};
  for (size_t i = 0; i < n; ++i) {
    if (i != 0 && i % (kLong / kSortColumns) == 0 && over(deadline)) return;
    for (size_t c = 0; c < width; ++c) key[c] = key_of<T>(from[i * step + c], flip);
    if (i >= most) {
      K better = 0;
      for (size_t c = 0; c < kSortColumns; ++c) better |= key[c] < best[most - 1][c];
      if (better == 0) continue;
    }
    // Behind those that are as good or better; what follows moves on by one.
    K moved[kSortColumns];
    K moved_at[kSortColumns];
    for (size_t c = 0; c < kSortColumns; ++c) {
      moved[c] = key[c];
      moved_at[c] = static_cast<K>(i);
    }
    const size_t used = i < most ? i : most;
    for (size_t j = 0; j < used; ++j) {
      for (size_t c = 0; c < kSortColumns; ++c) {
        const bool before = key[c] < best[j][c];
        const K kept_key = before ? moved[c] : best[j][c];
        const K kept_at = before ? moved_at[c] : at[j][c];
        moved[c] = before ? best[j][c] : moved[c];
        moved_at[c] = before ? at[j][c] : moved_at[c];
        best[j][c] = kept_key;
        at[j][c] = kept_at;
      }
    }
    if (used == most) continue;
    for (size_t c = 0; c < kSortColumns; ++c) {
      best[used][c] = moved[c];
      at[used][c] = moved_at[c];
    }
  }
  for (size_t j = 0; j < k; ++j) {
    for (size_t c = 0; c < width; ++c) {
      static_cast<T*>(values)[j * step + c] = from[at[j][c] * step + c];
      if (positions != nullptr) positions[j * step + c] = static_cast<int64_t>(at[j][c]);
    }
  }
  if (tied == nullptr) return;
  for (size_t c = 0; c < width; ++c) {
    tied[c] = false;
    for (size_t j = 1; j < most; ++j) tied[c] |= best[j - 1][c] == best[j][c];
  }
}

void columns(NumberType type, bool descending, const void* x, size_t n, size_t step, size_t width, size_t k,
             void* values, int64_t* positions, bool* tied, const Deadline* deadline) {
  (type == NumberType::kFloat32 ? columns_of<float> : columns_of<int64_t>)(descending, x, n, step, width, k, values,
                                                                           positions, tied, deadline);
}

void row(NumberType type, bool descending, const void* x, size_t n, size_t k, void* values, int64_t* positions,
         bool* tied, void* scratch, const Deadline* deadline) {
  switch (type) {
    case NumberType::kUint8: return row_of<uint8_t>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kInt8: return row_of<int8_t>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kInt16: return row_of<int16_t>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kInt32: return row_of<int32_t>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kInt64: return row_of<int64_t>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kFloat32: return row_of<float>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kFloat64: return row_of<double>(descending, x, n, k, values, positions, tied, scratch, deadline);
    case NumberType::kBool:
    case NumberType::kFloat16:
    case NumberType::kBfloat16: return;
  }
}

size_t scratch_bytes(NumberType type, size_t n, size_t k) {
  const bool wide = type == NumberType::kInt64 || type == NumberType::kFloat64;
  const size_t item = wide ? sizeof(Item<uint64_t>) : sizeof(Item<uint32_t>);
  return (2 * kept(n, looked_at(n, k)) * item + 63) / 64 * 64;
}

}  // namespace

const SortFunctions sort = {row, columns, scratch_bytes};

}  // namespace coracle::internal::cpu::CORACLE_ISA
