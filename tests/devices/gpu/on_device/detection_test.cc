// SPDX-License-Identifier: Apache-2.0
// Detectors with their suppression, and loops that write into slices, on the device: the bits of the CPU whatever the
// data says.
#include "devices/gpu/on_device/first_device.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

/// What detectors end with, behind steps that give the same bits everywhere.
const char* const kHead =
    R"(graph (%x "boxes": float32[?, ?, 4], %y "scores": float32[?, ?, 3], %scale "scale": float32[1]) {
  %boxes = multiply(%x, %scale)
  %p = relu(%y)
  %scores = transpose(%p) {perm = [0, 2, 1]}
  %out, %index, %count = multiclass_nms3(%boxes, %scores) {score_threshold = 0.5, nms_top_k = 20, keep_top_k = 9, nms_threshold = 0.4, background_label = -1}
  return %out "boxes", %count "count", %index "index"
})";

/// The number of steps is the host's, the rows are the device's.
const char* const kDecoder =
    R"(graph (%n "n": int64[1], %all "all": float32[2, 6, 8], %h "h": float32[2, 8], %w "w": float32[8, 8]) {
  @zero: int64[1] = {0}
  %go = less_than(@zero, %n)
  [%i, %rows, %state] = while(%go, [@zero, %all, %h], [%n, %w]) graph (%c: bool[1], %i: int64[1], %r: float32[2, 6, 8], %s: float32[2, 8], %n: int64[1], %m: float32[8, 8]) {
    @one: int64[1] = {1}
    %j = add(%i, @one)
    %p = matmul(%s, %m)
    %t = tanh(%p)
    %q = set_value_with_tensor(%r, %t, %i, %j, @one) {axes = [1], decrease_axes = [1]}
    %again = less_than(%j, %n)
    return %again, %j, %q, %t
  }
  %y = exp(%rows)
  return %y "y"
})";

class GpuDetection : public FirstDevice {
 protected:
  static std::shared_ptr<const Model> on_device(const char* graph) {
    ModelOptions options;
    options.device = kDevice.name;
    options.kernels.disabled = {"islands"};
    return model_of(graph, options);
  }
};

TEST_F(GpuDetection, HasTheBitsOfTheCpu) {
  const auto plain = model_of(kHead);
  const auto there = on_device(kHead);
  Session session(there, {.threads = 1});
  std::vector<int64_t> counts;
  const auto inputs_of = [](unsigned i) {
    const Shape size = i % 3 == 2 ? Shape{1, 15, 4} : Shape{2, 81, 4};
    Tensor boxes = random_tensor(size, i);
    for (int64_t b = 0; b < boxes.count(); ++b) boxes.data<float>()[b] += b % 4 < 2 ? 0.0F : 1.5F;
    const float scale = i == 4 ? 0.0F : 1.0F;  // boxes that are points
    return std::vector<Tensor>{boxes, random_tensor({size[0], size[1], 3}, i + 1),
                               Tensor::of<float>(Shape{1}, {&scale, 1})};
  };
  for (unsigned i = 0; i < 9; ++i) {
    const std::vector<Tensor> expected = run_fresh(plain, inputs_of(i));
    EXPECT_TRUE(same_bits(run(session, inputs_of(i)), expected)) << i;
    counts.push_back(expected[0].shape()[0]);
  }
  EXPECT_NE(counts[0], counts[2]) << "the data decides";
  const auto planned = session.explain();
  ASSERT_TRUE(planned->counted.has_value());
  for (const Step& step : planned->steps) EXPECT_FALSE(step.place.is_host()) << step.op.name();
}

TEST_F(GpuDetection, LoopsWriteIntoSlices) {
  const auto there = on_device(kDecoder);
  Session session(there, {.threads = 1});
  const Tensor all = random_tensor({2, 6, 8}, 1);
  for (const int64_t n : {6, 1, 0, 4, 6}) {
    const std::vector<Tensor> inputs = {Tensor::ints(std::vector<int64_t>{n}), all, random_tensor({2, 8}, 2),
                                        random_tensor({8, 8}, 3)};
    const std::vector<Tensor> written = run(session, inputs);
    const std::vector<Tensor> expected = run_fresh(model_of(kDecoder), inputs);
    for (int64_t k = 0; k < all.count(); ++k) {
      ASSERT_NEAR(written[0].data<float>()[k], expected[0].data<float>()[k], 1e-5) << n << " " << k;
    }
  }
  // Row 6 of 6.
  try {
    run(session, {Tensor::ints(std::vector<int64_t>{7}), all, random_tensor({2, 8}, 2), random_tensor({8, 8}, 3)});
    ADD_FAILURE() << "there is no such row";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kRunFailure);
    EXPECT_NE(e.text().find("index 6 (element 0 of starts) is out of range: expected -6 to 5"), std::string::npos)
        << e.text();
    EXPECT_NE(e.text().find("set_value_with_tensor"), std::string::npos) << e.text();
  }
}

}  // namespace
}  // namespace coracle::internal::test
