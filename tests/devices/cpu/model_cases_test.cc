// SPDX-License-Identifier: Apache-2.0
#include "support/model_cases.h"

#include <gtest/gtest.h>

#include <set>

/// Shapes of real models, those that coracle-bench-kernels times, on every kernel that takes them.
namespace coracle::internal::test {
namespace {

/// Larger ones take the reference seconds.
constexpr double kMostFlops = 8e6;
/// Of sums of up to 2048 products.
constexpr double kModelTolerance = 2e-4;

TEST(ModelCases, SmallOnesMatchTheReference) {
  std::set<const OpSchema*> operators;
  for (const ModelCase& model : model_cases()) {
    if (model.flops > kMostFlops) continue;
    SCOPED_TRACE(model.name);
    KernelCase c = model.make();
    c.relative = kModelTolerance;
    c.absolute = kModelTolerance;
    EXPECT_GT(check_on_every_kernel(c), 0);
    operators.insert(&c.op.schema());
  }
  EXPECT_EQ(operators.size(), 6U) << "convolution, two products with weights, one of computed operands, softmax, norm";
}

TEST(ModelCases, NamesDiffer) {
  std::set<std::string> names;
  for (const ModelCase& model : model_cases()) EXPECT_TRUE(names.insert(model.name).second) << model.name;
}

}  // namespace
}  // namespace coracle::internal::test
