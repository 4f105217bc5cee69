// SPDX-License-Identifier: Apache-2.0
#include "quantize_model.h"
#include "support/plain_operators.h"
#include "support/program_writer.h"

// coracle quantize: what rounding weights shifts a result by is taken back behind the layer, where that can be, and
// answers are compared in whatever type of real numbers they have.
namespace coracle::internal {
namespace {

constexpr int kFloat64 = 6;

using test::content;
using test::OpWriter;

struct Addend {
  test::Dims dims;
  int axis;
};

/// x [?, 3, 5, 5] -> rows of 75, relu, matmul by `alpha`, + addend -> y [?, columns], and y in float64
test::ModelBytes product(float alpha, int64_t columns, const Addend& addend) {
  test::BlockWriter main;
  test::add_feed(main, "x", test::kFloat32, {-1, 3, 5, 5}, 0);
  const auto parameter = [&](const char* name, const test::Dims& dims, int seed) {
    size_t count = 1;
    for (int64_t d : dims) count *= static_cast<size_t>(d);
    main.variables.push_back(test::variable(name, test::kFloat32, dims, true));
    return test::record(test::kFloat32, dims, test::numbers(count, 0.3F, seed));
  };
  const std::string addend_record = parameter("addend", addend.dims, 1);
  const std::string w_record = parameter("w", {75, columns}, 2);
  for (const char* name : {"r", "z"}) main.variables.push_back(test::variable(name, test::kFloat32, {-1, 75}));
  main.variables.push_back(test::variable("r_shape", test::kFloat32, {0, -1, 3, 5, 5}));
  for (const char* name : {"p", "y"}) main.variables.push_back(test::variable(name, test::kFloat32, {-1, columns}));
  main.variables.push_back(test::variable("d", kFloat64, {-1, columns}));
  main.operators.push_back(test::reshape("x", {-1, 75}, "r", "r_shape"));
  main.operators.push_back(test::unary("relu", "r", "z"));
  main.operators.push_back(OpWriter("matmul")
                               .in("X", {"z"})
                               .in("Y", {"w"})
                               .out("Out", {"p"})
                               .boolean("transpose_X", false)
                               .boolean("transpose_Y", false)
                               .real("alpha", alpha));
  main.operators.push_back(test::add("p", "addend", "y", addend.axis));
  main.operators.push_back(OpWriter("cast")
                               .in("X", {"y"})
                               .out("Out", {"d"})
                               .integer("in_dtype", test::kFloat32)
                               .integer("out_dtype", kFloat64));
  test::add_fetch(main, "y", 0);
  test::add_fetch(main, "d", 1);
  return {.name = "product", .program = test::program_file({main}), .params = addend_record + w_record, .inputs = {}};
}

class Correction : public test::QuantizeModel {
 protected:
  explicit Correction(const test::ModelBytes& model) : QuantizeModel(model) {}
  double ratio(const std::vector<std::string>& more) const {
    const rapidjson::Document d = report("out", more);
    return d["outputs"][0]["signal_to_noise_db"].GetDouble();
  }
  const std::vector<std::string> corrected_ = {"--method", "minmax"};
  const std::vector<std::string> as_rounded_ = {"--method", "minmax", "--no-bias-correction"};
};

struct QuantizeScaledProduct : Correction {
  QuantizeScaledProduct() : Correction(product(0.02F, 8, {{8}, 1})) {}
};

TEST_F(QuantizeScaledProduct, IsCorrectedByWhatItIsScaledBy) { EXPECT_GT(ratio(corrected_), ratio(as_rounded_)); }

TEST_F(QuantizeScaledProduct, IsComparedInDoubles) {
  const rapidjson::Document d = report("out", corrected_);
  ASSERT_EQ(d["outputs"].Size(), 2U);
  EXPECT_NEAR(d["outputs"][1]["signal_to_noise_db"].GetDouble(), d["outputs"][0]["signal_to_noise_db"].GetDouble(),
              1e-3);
  EXPECT_EQ(d["outputs"][1]["changed_decisions"].GetUint64(), d["outputs"][0]["changed_decisions"].GetUint64());
}

struct QuantizeProduct : Correction {
  QuantizeProduct() : Correction(product(1, 8, {{8}, 1})) {}
};

TEST_F(QuantizeProduct, IsCorrectedWhereItsOperandHasAMean) { EXPECT_GT(ratio(corrected_), ratio(as_rounded_)); }

struct QuantizeRowsAdded : Correction {
  QuantizeRowsAdded() : Correction(product(1, 2, {{2, 1}, -1})) {}
};

/// As many numbers as there are channels, but one for each row.
TEST_F(QuantizeRowsAdded, StayAsTheyAre) {
  report("corrected", corrected_);
  report("rounded", as_rounded_);
  EXPECT_EQ(content(folder_.path("corrected/inference.pdiparams")),
            content(folder_.path("rounded/inference.pdiparams")));
}

}  // namespace
}  // namespace coracle::internal
