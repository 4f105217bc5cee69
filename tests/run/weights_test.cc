// SPDX-License-Identifier: Apache-2.0
// Copied and mapped weights give the same bits: trained models of both formats, their parameters in one file and in
// many.
#include <gtest/gtest.h>

#include <algorithm>

#include "loading/model.h"
#include "run/session.h"
#include "run/session_results.h"
#include "support/reference_cases.h"

namespace coracle::internal {
namespace {

struct Files {
  const char* model;
  bool maps;  ///< some weights are aligned in their file
};

void PrintTo(const Files& files, std::ostream* out) { *out << files.model; }

class WaysOfLoading : public testing::TestWithParam<Files> {};

TEST_P(WaysOfLoading, GiveTheSameBits) {
  const auto cases = test::reference_cases(CORACLE_SHARED);
  const auto found =
      std::find_if(cases.begin(), cases.end(), [](const auto& c) { return c.first == GetParam().model; });
  if (found == cases.end()) GTEST_SKIP() << "the reference folder ../shared is absent";
  const test::ReferenceCase c = test::read_reference_case(CORACLE_SHARED, "", found->first, found->second);
  const auto results = [&](Weights weights) {
    ModelOptions options;
    options.load.weights = weights;
    const auto model = Model::load(ModelSource::on_disk(c.program, c.params), options);
    EXPECT_EQ(model->mapped_bytes() > 0, weights == Weights::kMapped && GetParam().maps) << model->mapped_bytes();
    Session session(model, {.threads = 2});
    const std::vector<TensorInfo>& infos = model->info().inputs;
    for (size_t i = 0; i < infos.size(); ++i) {
      const auto at = std::find(c.input_names.begin(), c.input_names.end(), infos[i].name);
      const Tensor& input = c.inputs.at(static_cast<size_t>(at - c.input_names.begin()));
      session.set_input(i, input);
      if (!input.lod().empty()) session.set_input_lod(i, input.lod());
    }
    return test::run(session, {});
  };
  EXPECT_TRUE(test::same_bits(results(Weights::kCopied), results(Weights::kMapped)));
}

INSTANTIATE_TEST_SUITE_P(Models, WaysOfLoading,
                         testing::Values(Files{"pphumanseg-v2-lite-portrait", true}, Files{"ppocr-v3-ch-det", true},
                                         Files{"pir-PP-LCNet_x0_25_textline_ori", true},
                                         Files{"pld-test_model_3-shufflenet", true},
                                         Files{"serving-text_classification_lstm", true},
                                         Files{"int8-ppocr-v3-det-slim", true}));

}  // namespace
}  // namespace coracle::internal
