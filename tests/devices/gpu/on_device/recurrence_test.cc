// SPDX-License-Identifier: Apache-2.0
// A sequence in a recurrent layer has the same bits whatever else is in its batch.
#include "devices/gpu/on_device/first_device.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal::test {
namespace {

const char* const kLayers = R"(graph (%x "x": float32[?, ?, 8], %h "h": float32[4, ?, 37], %n "n": int32[?]) {
  @w: float32[111, 8] = random(1)
  @v: float32[111, 37] = random(2)
  @u: float32[111, 74] = random(3)
  %1, %2, [%3] = rnn(%x, [%h], [@w, @v, @w, @v, @u, @v, @u, @v], %n) {mode = GRU, hidden_size = 37, is_bidirec = true, num_layers = 2}
  return %1 "y", %3 "last"
})";

/// Number `b` of the middle dimension.
Tensor sequence_of(const Tensor& batch, int64_t b) {
  const Shape& s = batch.shape();
  Tensor one = Tensor::make(DType::kFloat32, {s[0], 1, s[2]});
  for (int64_t i = 0; i < s[0]; ++i) {
    std::copy_n(batch.data<float>() + (i * s[1] + b) * s[2], s[2], one.data<float>() + i * s[2]);
  }
  return one;
}

Tensor lengths_of(const std::vector<int64_t>& values) {
  Tensor lengths = Tensor::make(DType::kInt32, {static_cast<int64_t>(values.size())});
  lengths.assign(values);
  return lengths;
}

class GpuRecurrence : public FirstDevice {};

TEST_F(GpuRecurrence, SequencesDoNotDependOnOthers) {
  ModelOptions options;
  options.device = kDevice.name;
  options.kernels.disabled = {"islands"};
  Session session(model_of(kLayers, options), {.threads = 1});
  const std::vector<int64_t> lengths = {6, 0, 7, 1, 4};
  const auto batch = static_cast<int64_t>(lengths.size());
  const Tensor x = random_tensor({7, batch, 8}, 1);
  const Tensor h = random_tensor({4, batch, 37}, 2);
  const std::vector<Tensor> all = run(session, {x, h, lengths_of(lengths)});
  for (int64_t b = 0; b < batch; ++b) {
    const std::vector<Tensor> alone =
        run(session, {sequence_of(x, b), sequence_of(h, b), lengths_of({lengths[static_cast<size_t>(b)]})});
    EXPECT_TRUE(same_bits(alone, {sequence_of(all[0], b), sequence_of(all[1], b)})) << "sequence " << b;
  }
}

}  // namespace
}  // namespace coracle::internal::test
