// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "run/saved_files.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/temporary_folder.h"

namespace coracle::internal {
namespace {

/// float8 as input, output and weights, in a session and in what is saved of it.
TEST(Float8Models, RunAndAreSaved) {
  const auto model = test::model_of(R"(graph (%x "x": float8_e4m3fn[?, 3]) {
  @w "w": float8_e5m2[3, 2] = {1, 2, 0.5, -1, 0.25, 4}
  @perm: float8_e5m2[40] = random(7)
  %wide = cast(%x) {dtype = float32}
  %weights = cast(@w) {dtype = float32}
  %product = matmul(%wide, %weights)
  %narrow = cast(%product) {dtype = float8_e4m3fn}
  %turned = transpose(%x) {perm = [1, 0]}
  return %narrow "narrow", %turned "turned", %product "product", @perm "kept"
})");
  Tensor x = Tensor::make(DType::kFloat8E4m3, {2, 3});
  const float values[] = {1, 2, 4, -8, 0.5F, 448};
  for (int i = 0; i < 6; ++i) x.data<Float8E4m3>()[i] = Float8E4m3(values[i]);
  const std::vector<Tensor> results = test::run_fresh(model, {x});
  EXPECT_EQ(results[2].doubles(), (std::vector<double>{3, 16, 104.25, 1775.5}));
  ASSERT_EQ(results[0].dtype(), DType::kFloat8E4m3);
  const auto* narrow = results[0].data<Float8E4m3>();
  EXPECT_EQ(static_cast<float>(narrow[1]), 16);
  EXPECT_EQ(static_cast<float>(narrow[2]), 104);
  EXPECT_EQ(static_cast<float>(narrow[3]), 448) << "saturated";
  EXPECT_EQ(static_cast<float>(results[1].data<Float8E4m3>()[1]), -8);
  EXPECT_EQ(results[3].bytes(), 40U);

  const test::TemporaryFolder folder;
  const std::string path = folder.path("float8.coracle");
  model->save(path);
  const auto again = test::loaded(path);
  EXPECT_EQ(again->info().inputs[0].dtype, DType::kFloat8E4m3);
  EXPECT_TRUE(test::same_bits(test::run_fresh(again, {x}), results));
}

}  // namespace
}  // namespace coracle::internal
