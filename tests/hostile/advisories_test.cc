// SPDX-License-Identifier: Apache-2.0
#include "hostile/advisories.h"

#include <gtest/gtest.h>

#include <cmath>

#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"

// What crashed Paddle's kernels ends in the right answer or in an Error that says what is wrong, whichever format the
// model has.
namespace coracle::internal {
namespace {

using test::Advisory;

class Advisories : public testing::TestWithParam<Advisory> {};

std::vector<Tensor> run(const Advisory& advisory, const std::string& program) {
  Session session(Model::load(ModelSource::in_memory(test::memory_file(program), test::memory_file("")), {}),
                  {.threads = 2});
  // A ProgramDesc file has some operands as attributes: those that are left are inputs, in order.
  const std::vector<TensorInfo>& inputs = session.model().info().inputs;
  for (size_t i = 0; i < inputs.size(); ++i) session.set_input(i, advisory.operands[i].tensor());
  session.run();
  std::vector<Tensor> results;
  for (size_t i = 0; i < session.model().info().outputs.size(); ++i) results.push_back(session.output(i));
  return results;
}

/// The answers' types are those of PIR: some operators of ProgramDesc give shorter integers.
void expect_outcome(const Advisory& advisory, const std::string& program, bool results_are_typed) {
  std::vector<Tensor> results;
  try {
    results = run(advisory, program);
  } catch (const Error& e) {
    ASSERT_NE(advisory.error, nullptr) << e.text();
    EXPECT_NE(e.text().find(advisory.error), std::string::npos) << e.text();
    EXPECT_NE(e.text().find(advisory.op), std::string::npos) << "the error does not name the operator: " << e.text();
    return;
  }
  ASSERT_EQ(advisory.error, nullptr) << "it runs";
  ASSERT_EQ(results.size(), advisory.answers.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const Tensor expected = advisory.answers[i].tensor();
    EXPECT_TRUE(!results_are_typed || results[i].dtype() == expected.dtype()) << name_of(results[i].dtype());
    ASSERT_EQ(results[i].shape(), expected.shape());
    for (int64_t k = 0; k < expected.count(); ++k) {
      const double got = results[i].number(k);
      const double wanted = expected.number(k);
      EXPECT_TRUE(got == wanted || (std::isnan(got) && std::isnan(wanted))) << got << ", expected " << wanted;
    }
  }
}

TEST_P(Advisories, OfProgramDescIsAnsweredOrRefused) { expect_outcome(GetParam(), program_of(GetParam()), false); }
TEST_P(Advisories, OfPirIsAnsweredOrRefused) { expect_outcome(GetParam(), pir_of(GetParam()), true); }

INSTANTIATE_TEST_SUITE_P(All, Advisories, testing::ValuesIn(test::advisories()), [](const auto& info) {
  std::string name = std::string(info.param.id) + "_" + info.param.op + "_" + info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace coracle::internal
