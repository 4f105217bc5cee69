// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "base/error.h"
#include "graph/text.h"
#include "support/random_graph.h"

/// Nodes with an index out of range, and what is said of each wherever it runs.
namespace coracle::internal::test {

struct WrongIndex {
  const char* op;  ///< its line, with index int64[2, 2] and flat, the same elements as int64[4]
  int64_t wrong;   ///< the last element of index; the others are 3
  const char* says;
};

inline constexpr WrongIndex kWrongIndices[] = {
    {"embedding(%index, %x)", 20, "index 20 (element 3 of Ids) is out of range: expected 0 to 19"},
    {"embedding(%index, %x)", -1, "index -1 (element 3 of Ids) is out of range: expected 0 to 19"},
    {"embedding(%index, %x) {padding_idx = 2}", 20, "index 20 (element 3 of Ids) is out of range: expected 0 to 19"},
    {"embedding(%index, %x)", INT64_MIN, "index -9223372036854775808 (element 3 of Ids) is out of range"},
    {"embedding(%index, %x) {padding_idx = -2}", INT64_MIN, "index -9223372036854775808 (element 3 of Ids) is out of"},
    {"gather(%x, %flat, @zero)", 100, "index 100 (element 3 of Index) is out of range: expected -20 to 19"},
    {"gather(%x, %flat, @one)", -21, "index -21 (element 3 of Index) is out of range: expected -20 to 19"},
    {"gather(%none, %flat, @zero)", 3, "index 3 (element 0 of Index) is out of range: there is nothing to index"},
    {"index_select(%x, %flat) {axis = 1}", 20, "index 20 (element 3 of Index) is out of range: expected -20 to 19"},
    {"gather_nd(%x, %index)", 20, "index 20 (element 3 of Index) is out of range: expected -20 to 19"},
    {"take_along_axis(%x, %index) {axis = 1}", 20, "index 20 (element 3 of Index) is out of range: expected -20 to 19"},
    {"index_sample(%pair, %index)", 40, "index 40 (element 3 of Index) is out of range: expected -20 to 19"},
    {"one_hot(%flat, @seven)", 7, "index 7 (element 3 of X) is out of range: expected 0 to 6"},
};

inline std::string program_of(const WrongIndex& c) {
  return text(
      R"(graph (%x: float32[20, 20], %pair: float32[2, 20], %none: float32[0, 20], %index: int64[2, 2], %flat: int64[4]) {
  @zero: int64[1] = {0}
  @one: int64[1] = {1}
  @seven: int64[1] = {7}
  %y = )",
      c.op, "\n  return %y \"y\"\n}");
}

/// The program's inputs; those of a node where nothing is wrong for `last` = 3.
inline std::vector<Tensor> inputs_of(int64_t last) {
  const Ints values{3, 3, 3, last};
  return {test::random_tensor({20, 20}, 1), test::random_tensor({2, 20}, 2), Tensor::make(DType::kFloat32, {0, 20}),
          Tensor::of<int64_t>({2, 2}, values), Tensor::ints(values)};
}

template <class F>
void expect_refused(const F& run, const WrongIndex& c, const char* by) {
  try {
    run();
    ADD_FAILURE() << by << " took it: " << c.op;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure) << c.op;
    EXPECT_NE(e.text().find(c.says), std::string::npos) << by << ", " << c.op << ": " << e.text();
  }
}

}  // namespace coracle::internal::test
