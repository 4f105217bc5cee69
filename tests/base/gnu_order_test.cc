// SPDX-License-Identifier: Apache-2.0
#include "base/gnu_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace coracle::internal {
namespace {

#if !defined(__GLIBCXX__)
TEST(GnuOrder, NeedsTheLibraryItIsComparedWith) { GTEST_SKIP() << "this is compiled with another C++ library"; }
#else

struct Element {
  int key;
  int position;
  friend bool operator==(const Element&, const Element&) = default;
};

bool comes_before(const Element& a, const Element& b) { return a.key < b.key; }

std::vector<Element> elements_of(size_t count, int different, std::mt19937& random) {
  std::vector<Element> all;
  for (size_t i = 0; i < count; ++i)
    all.push_back({static_cast<int>(random() % static_cast<unsigned>(different)), static_cast<int>(i)});
  return all;
}

/// Keys for which parts by the median of three are as uneven as they get, so that heaps take over.
std::vector<Element> uneven_ones(size_t count) {
  std::vector<Element> all(count);
  for (size_t i = 0; i < count; ++i) all[i] = {0, static_cast<int>(i)};
  for (size_t i = 0; i < count / 2; ++i) {
    all[2 * i].key = static_cast<int>(i % 2 == 0 ? i + 1 : i + count / 2);
    all[2 * i + 1].key = static_cast<int>(2 * (i + 1));
  }
  return all;
}

/// The same elements in the same places as GNU's library has them, of all that it is asked for.
void expect_gnus_order(const std::vector<Element>& elements, size_t k) {
  std::vector<Element> ours = elements;
  std::vector<Element> theirs = elements;
  Element* const data = ours.data();
  const auto at = [&](size_t i) { return theirs.begin() + static_cast<std::ptrdiff_t>(i); };
  gnu::partial_sort(data, data + k, data + ours.size(), comes_before);
  std::partial_sort(at(0), at(k), theirs.end(), comes_before);
  EXPECT_EQ(ours, theirs) << "partial_sort, " << k << " of " << elements.size();
  ours = theirs = elements;
  gnu::nth_element(ours.data(), ours.data() + k, ours.data() + ours.size(), comes_before);
  std::nth_element(at(0), at(k), theirs.end(), comes_before);
  EXPECT_EQ(ours, theirs) << "nth_element, " << k << " of " << elements.size();
  ours = theirs = elements;
  gnu::sort(ours.data(), ours.data() + ours.size(), comes_before);
  std::sort(at(0), theirs.end(), comes_before);
  EXPECT_EQ(ours, theirs) << "sort of " << elements.size();
}

TEST(GnuOrder, IsThatOfGnusLibrary) {
  std::mt19937 random(5);
  for (const size_t count : {0, 1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 100, 1000}) {
    for (const int different : {1, 2, 7, 1000000}) {
      for (int trial = 0; trial < 20; ++trial) {
        const std::vector<Element> elements = elements_of(count, different, random);
        expect_gnus_order(elements, 0);
        expect_gnus_order(elements, count);
        expect_gnus_order(elements, count == 0 ? 0 : random() % count);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(GnuOrder, IsThatOfGnusLibraryWhereHeapsTakeOver) {
  for (const size_t count : {50, 500, 5000}) {
    std::vector<Element> elements = uneven_ones(count);
    expect_gnus_order(elements, count / 3);
    std::sort(elements.begin(), elements.end(), comes_before);
    expect_gnus_order(elements, count / 3);
    std::reverse(elements.begin(), elements.end());
    expect_gnus_order(elements, count / 3);
  }
}

#endif

}  // namespace
}  // namespace coracle::internal
