// SPDX-License-Identifier: Apache-2.0
// An index out of range is refused with where it came from, in the same words by kernels and by references.
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/wrong_indices.h"

namespace coracle::internal::test {
namespace {

TEST(Indices, OutOfRangeAreNamed) {
  for (const WrongIndex& c : kWrongIndices) {
    const std::vector<Tensor> inputs = inputs_of(c.wrong);
    const std::string source = program_of(c);
    const auto model = model_of(source);
    expect_refused([&] { run_fresh(model, inputs); }, c, "a session");
    expect_refused([&] { evaluate_graph(parse(source), inputs); }, c, "the reference");
  }
}

}  // namespace
}  // namespace coracle::internal::test
