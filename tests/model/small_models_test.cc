// SPDX-License-Identifier: Apache-2.0
#include "support/small_models.h"

#include <gtest/gtest.h>

#include "loading/model.h"
#include "run/session.h"
#include "support/memory_file.h"

// The models that other tests damage, feed to the program and seed the fuzz targets with run as they are.
namespace coracle::internal {
namespace {

std::vector<test::ModelBytes> all_small_models() {
  std::vector<test::ModelBytes> all = test::small_program_models();
  for (test::ModelBytes& m : test::small_pir_models()) {
    m.name = "pir_" + m.name;
    all.push_back(std::move(m));
  }
  all.push_back(test::product_model());
  return all;
}

class SmallModels : public testing::TestWithParam<test::ModelBytes> {};

TEST_P(SmallModels, RunAndAgreeWithTheReference) {
  const test::ModelBytes& bytes = GetParam();
  const ModelSource source = ModelSource::in_memory(test::memory_file(bytes.program), test::memory_file(bytes.params));
  Session session(Model::load(source, {}), {.threads = 1});
  for (size_t i = 0; i < bytes.inputs.size(); ++i) {
    session.set_input(i, bytes.inputs[i]);
    if (!bytes.inputs[i].lod().empty()) session.set_input_lod(i, bytes.inputs[i].lod());
  }
  session.run();
  const std::vector<Tensor> expected = evaluate_graph(load_model(source).graph, bytes.inputs);
  ASSERT_EQ(expected.size(), session.model().info().outputs.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Tensor& got = session.output(i);
    ASSERT_EQ(got.shape(), expected[i].shape());
    ASSERT_EQ(got.dtype(), expected[i].dtype());
    const std::vector<double> a = got.doubles();
    const std::vector<double> b = expected[i].doubles();
    for (size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5) << "output " << i << ", element " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallModels, testing::ValuesIn(all_small_models()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace coracle::internal
