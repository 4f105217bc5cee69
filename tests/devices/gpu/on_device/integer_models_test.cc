// SPDX-License-Identifier: Apache-2.0
// Models that simulate int8 are computed with it, with the processor's bits.
#include "devices/gpu/on_device/first_device.h"
#include "graph/text.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {
namespace {

/// Filters of several channels, of one pixel, of one channel and transposed; a residual, a pooling, resized and joined
/// images, factors of channels, a product with weights and one of two computed operands.
const char* const kIntegers = R"(graph (%x "x": float32[?, 3, 16, 24], %g "g": float32[?, 12, 1, 1]) {
  @a: int8[12, 3, 3, 3] = random(1, -90, 90)
  @b: int8[12, 1, 3, 3] = random(2, -127, 127)
  @c: int8[12, 12, 1, 1] = random(3, -40, 40)
  @d: int8[24, 8, 2, 2] = random(4, -60, 60)
  @w: int8[36, 20] = random(5, -127, 127)
  @s: float32[12] = random(6, 0.5, 1)
  @t: float32[8] = random(7, 0.5, 1)
  @u: float32[20] = random(8, 0.5, 1)
  @k: float32[1] = {2}
  @l: float32[1] = {9}
  @p: int64[2] = {2, 2}
  @axis: int64[1] = {1}
  @shape: int64[3] = {0, 32, 36}
  %a = dequantize_linear(@a, @s) {quant_axis = 0}
  %b = dequantize_linear(@b, @s) {quant_axis = 0}
  %c = dequantize_linear(@c, @s) {quant_axis = 0}
  %d = dequantize_linear(@d, @t) {quant_axis = 1}
  %w = dequantize_linear(@w, @u) {quant_axis = 1}
  %0 = fake_quantize_dequantize_moving_average_abs_max(%x, @k)
  %1 = conv2d(%0, %a) {paddings = [1, 1]}
  %2 = hardswish(%1)
  %3 = fake_quantize_dequantize_moving_average_abs_max(%2, @l)
  %4 = depthwise_conv2d(%3, %b) {paddings = [1, 1], groups = 12}
  %5 = relu(%4)
  %6 = fake_quantize_dequantize_moving_average_abs_max(%5, @l)
  %7 = conv2d(%6, %c)
  %8 = add(%7, %3)
  %9 = relu(%8)
  %10 = pool2d(%9, @p) {strides = [2, 2]}
  %11 = nearest_interp(%10) {out_h = 16, out_w = 24, align_corners = false}
  %12 = multiply(%9, %g)
  %13 = concat([%11, %12], @axis)
  %14 = fake_quantize_dequantize_moving_average_abs_max(%13, @l)
  %15 = conv2d_transpose(%14, %d) {strides = [2, 2]}
  %16 = relu(%15)
  %17 = pool2d(%9, @p) {strides = [2, 2]}
  %18 = reshape(%17, @shape)
  %19 = fake_quantize_dequantize_moving_average_abs_max(%18, @l)
  %20 = matmul(%19, %w)
  %21 = fake_quantize_dequantize_moving_average_abs_max(%20, @l)
  %22 = matmul(%21, %21) {transpose_y = true}
  return %16 "images", %20 "product", %22 "pairs"
})";

std::shared_ptr<const Model> integer_model(const char* device, Precision precision = Precision::kDefault) {
  ModelOptions options;
  options.device = device;
  options.kernels.precision = precision;
  options.kernels.disabled = {"islands"};
  return model_of(kIntegers, options);
}

int count_of(const Model& model, std::string_view op) {
  int count = 0;
  for (const NodeId id : model.program()->graph().order()) {
    count += model.program()->graph().node(id).op.name() == op ? 1 : 0;
  }
  return count;
}

class GpuIntegers : public FirstDevice {};

TEST_F(GpuIntegers, HaveTheBitsOfTheProcessor) {
  const auto here = integer_model(kDevice.name);
  const auto processor = integer_model("");
  for (const auto& model : {here, processor}) {
    EXPECT_EQ(count_of(*model, "integer_conv2d"), 4) << print(model->program()->graph());
    EXPECT_EQ(count_of(*model, "integer_linear"), 2);
  }
  for (const int64_t batch : {1, 3}) {
    const std::vector<Tensor> inputs = {random_tensor({batch, 3, 16, 24}, 5), random_tensor({batch, 12, 1, 1}, 6)};
    const std::vector<Tensor> expected = run_fresh(processor, inputs, {.threads = 1});
    EXPECT_TRUE(same_bits(run_fresh(here, inputs, {.threads = 1}), expected)) << "batch of " << batch;
  }
}

/// Where other tensors are of float16, those of products of integers stay as they are.
TEST_F(GpuIntegers, StayWithHalfTensors) {
  const auto half = integer_model(kDevice.name, Precision::kFp16);
  EXPECT_EQ(count_of(*half, "integer_conv2d"), 4);
  const std::vector<Tensor> inputs = {random_tensor({2, 3, 16, 24}, 5), random_tensor({2, 12, 1, 1}, 6)};
  EXPECT_TRUE(same_bits(run_fresh(half, inputs, {.threads = 1}), run_fresh(integer_model(""), inputs, {.threads = 1})));
}

TEST_F(GpuIntegers, AreSaved) {
  const TemporaryFolder folder;
  const std::vector<Tensor> inputs = {random_tensor({2, 3, 16, 24}, 7), random_tensor({2, 12, 1, 1}, 8)};
  const std::vector<Tensor> expected = run_fresh(integer_model(""), inputs, {.threads = 1});
  const std::string path = folder.path("saved.coracle");
  for (const auto& [saves, loads] : {std::pair("", kDevice.name), std::pair(kDevice.name, "")}) {
    integer_model(saves)->save(path, true);
    ModelOptions options;
    options.device = loads;
    options.kernels.disabled = {"islands"};
    const auto read = Model::load(ModelSource::on_disk(path), options);
    EXPECT_TRUE(same_bits(run_fresh(read, inputs, {.threads = 1}), expected))
        << "saved by " << saves << ", loaded by " << loads;
  }
}

}  // namespace
}  // namespace coracle::internal::test
