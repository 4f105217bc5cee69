// SPDX-License-Identifier: Apache-2.0
// Operators of programs that were optimised for a GPU before they were saved have no answers of Paddle's CPU: each must
// give what the plain operators that it stands for give.

#include <gtest/gtest.h>

#include "support/plain_operators.h"
#include "support/program_results.h"

namespace coracle::internal {
namespace {

using test::add;
using test::Dims;
using test::expect_same;
using test::Input;
using test::matmul;
using test::Names;
using test::OpWriter;
using test::reshape;
using test::run;
using test::transpose;
using test::unary;

OpWriter norm(const std::string& x, const std::string& scale, const std::string& bias, int axis) {
  OpWriter op("layer_norm");
  op.in("X", {x}).in("Scale", {scale}).in("Bias", {bias}).out("Y", {"y"}).integer("begin_norm_axis", axis);
  return op.real("epsilon", 1e-5F);
}
OpWriter mul(const std::string& x, const std::string& w, const std::string& to, int columns) {
  return OpWriter("mul")
      .in("X", {x})
      .in("Y", {w})
      .out("Out", {to})
      .integer("x_num_col_dims", columns)
      .integer("y_num_col_dims", 1);
}

/// softmax(q k^T * scale + mask) v into "mixed", heads [B, H, S, D]; no mask where its name is empty.
std::vector<OpWriter> attention(const std::string& mask, float scale) {
  std::vector<OpWriter> ops;
  ops.push_back(matmul("qh", "kh", "scores").boolean("trans_y", true));
  ops.push_back(unary("scale", "scores", "scaled").real("scale", scale));
  if (!mask.empty()) ops.push_back(add("scaled", mask, "masked"));
  ops.push_back(unary("softmax", mask.empty() ? "scaled" : "masked", "weights").integer("axis", -1));
  ops.push_back(matmul("weights", "vh", "mixed"));
  return ops;
}

/// The same for q, k and v [B, S, H, D], into "y" of that form.
std::vector<OpWriter> attention_by_step(const std::string& mask, float scale) {
  std::vector<OpWriter> ops{transpose("q", {0, 2, 1, 3}, "qh"), transpose("k", {0, 2, 1, 3}, "kh"),
                            transpose("v", {0, 2, 1, 3}, "vh")};
  for (const OpWriter& op : attention(mask, scale)) ops.push_back(op);
  ops.push_back(transpose("mixed", {0, 2, 1, 3}, "y"));
  return ops;
}

const std::vector<Input> kHeads{{"q", {2, 3, 2, 4}}, {"k", {2, 5, 2, 4}}, {"v", {2, 5, 2, 4}}};

OpWriter with_heads(const char* type, const Names& slots = {"q", "k", "v"}, const char* result = "out") {
  OpWriter op(type);
  op.in(slots[0], {"q"}).in(slots[1], {"k"}).in(slots[2], {"v"}).out(result, {"y"});
  return op;
}

TEST(Fused, SkipLayernormAddsAndNormalises) {
  const std::vector<Input> inputs{{"x", {2, 3, 4}}, {"r", {2, 3, 4}}, {"s", {4}}, {"b", {4}}};
  OpWriter fused("skip_layernorm");
  fused.in("X", {"x"}).in("Y", {"r"}).in("Scale", {"s"}).in("Bias", {"b"}).out("Out", {"y"});
  expect_same(inputs, fused.real("epsilon", 1e-5F).integer("begin_norm_axis", 2),
              {add("x", "r", "t"), norm("t", "s", "b", 2)});
}

TEST(Fused, FcElementwiseLayernorm) {
  const std::vector<Input> inputs{{"x", {3, 5}}, {"w", {5, 4}}, {"c", {4}}, {"r", {3, 4}}, {"s", {4}}, {"b", {4}}};
  OpWriter fused("fused_fc_elementwise_layernorm");
  fused.in("X", {"x"}).in("W", {"w"}).in("Bias0", {"c"}).in("Y", {"r"}).in("Scale", {"s"}).in("Bias1", {"b"});
  fused.out("Out", {"y"}).integer("x_num_col_dims", 1).string("activation_type", "relu");
  expect_same(
      inputs, fused.integer("begin_norm_axis", 1).real("epsilon", 1e-5F),
      {mul("x", "w", "p", 1), add("p", "c", "q"), unary("relu", "q", "a"), add("a", "r", "t"), norm("t", "s", "b", 1)});
}

TEST(Fused, EmbeddingEltwiseLayernormTakesIdsWithAndWithoutALastDimension) {
  const std::vector<Input> inputs{{"i", {2, 3}, {0, 1, 2, 3, 2, 1}},
                                  {"j", {2, 3, 1}, {1, 0, 1, 1, 0, 0}},
                                  {"e", {4, 6}},
                                  {"f", {2, 6}},
                                  {"s", {6}},
                                  {"b", {6}}};
  OpWriter fused("fused_embedding_eltwise_layernorm");
  fused.in("Ids", {"i", "j"}).in("Embs", {"e", "f"}).in("Scale", {"s"}).in("Bias", {"b"}).out("Out", {"y"});
  expect_same(inputs, fused.real("epsilon", 1e-5F),
              {OpWriter("lookup_table_v2").in("Ids", {"i"}).in("W", {"e"}).out("Out", {"p"}),
               OpWriter("lookup_table").in("Ids", {"j"}).in("W", {"f"}).out("Out", {"q"}), add("p", "q", "t"),
               norm("t", "s", "b", 2)});
}

TEST(Fused, MultiheadMatmulIsProjectionAttentionAndMerge) {
  const std::vector<Input> inputs{{"x", {2, 3, 8}}, {"w", {8, 3, 8}}, {"b", {3, 8}}, {"m", {2, 1, 1, 3}}};
  OpWriter fused("multihead_matmul");
  fused.in("Input", {"x"}).in("W", {"w"}).in("Bias", {"b"}).in("BiasQK", {"m"}).out("Out", {"y"});
  fused.integer("head_number", 2).real("alpha", 0.5F);
  std::vector<OpWriter> plain{reshape("w", {8, 24}, "w2"),
                              mul("x", "w2", "p", 2),
                              reshape("b", {24}, "b2"),
                              add("p", "b2", "z"),
                              reshape("z", {2, 3, 3, 2, 4}, "h"),
                              transpose("h", {2, 0, 3, 1, 4}, "t"),
                              OpWriter("unbind").in("X", {"t"}).out("Out", {"qh", "kh", "vh"}).integer("axis", 0)};
  for (const OpWriter& op : attention("m", 0.5F)) plain.push_back(op);
  plain.push_back(transpose("mixed", {0, 2, 1, 3}, "by_step"));
  plain.push_back(reshape("by_step", {2, 3, 8}, "y"));
  expect_same(inputs, fused, plain);
}

TEST(Fused, SelfDpAttentionTakesPackedProjections) {
  std::vector<OpWriter> plain{transpose("x", {2, 0, 3, 1, 4}, "t"),
                              OpWriter("unbind").in("X", {"t"}).out("Out", {"qh", "kh", "vh"}).integer("axis", 0)};
  for (const OpWriter& op : attention("", 0.25F)) plain.push_back(op);
  plain.push_back(transpose("mixed", {0, 2, 1, 3}, "y"));
  expect_same({{"x", {2, 3, 3, 2, 4}}}, unary("self_dp_attention", "x", "y").real("alpha", 0.25F), plain);
}

TEST(Fused, FlashAttnScalesByTheRootOfTheDepth) {
  expect_same(kHeads, with_heads("flash_attn"), attention_by_step("", 0.5F));
}

TEST(Fused, FlashAttnAddsItsMask) {
  std::vector<Input> inputs = kHeads;
  inputs.push_back({"m", {2, 1, 3, 5}});
  expect_same(inputs, with_heads("flash_attn").in("attn_mask", {"m"}), attention_by_step("m", 0.5F));
}

TEST(Fused, CausalAttentionSeesAllKeysFromTheLastQueryOnly) {
  const std::vector<double> causal = run(kHeads, {with_heads("flash_attn").boolean("causal", true)});
  const std::vector<double> full = run(kHeads, {with_heads("flash_attn")});
  const size_t row = 2 * 4;  // of one step
  for (size_t i = 2 * row; i < 3 * row; ++i) EXPECT_NEAR(causal[i], full[i], 1e-6);
  // The first of three queries sees the first three of five keys.
  const std::vector<Input> first{{"q", {2, 1, 2, 4}}, {"k", {2, 3, 2, 4}}, {"v", {2, 3, 2, 4}}};
  EXPECT_EQ(run(first, {with_heads("flash_attn").boolean("causal", true)}).size(), 2 * row);
  EXPECT_NE(causal[0], full[0]);
}

TEST(Fused, MemoryEfficientAttentionHasItsOwnScale) {
  std::vector<Input> inputs = kHeads;
  inputs.push_back({"m", {2, 2, 3, 5}});
  OpWriter fused = with_heads("memory_efficient_attention", {"query", "key", "value"}, "output");
  expect_same(inputs, fused.in("bias", {"m"}).real("scale", 0.3F), attention_by_step("m", 0.3F));
}

TEST(Fused, FlashAttnUnpaddedKeepsSequencesApart) {
  const std::vector<Input> packed{
      {"q", {6, 2, 4}}, {"k", {10, 2, 4}}, {"v", {10, 2, 4}}, {"a", {3}, {0, 3, 6}}, {"b", {3}, {0, 5, 10}}};
  OpWriter fused = with_heads("flash_attn_unpadded");
  fused.in("cu_seqlens_q", {"a"}).in("cu_seqlens_k", {"b"}).real("scale", 0.5F);
  const std::vector<double> got = run(packed, {fused});
  const std::vector<double> expected = run(kHeads, {with_heads("flash_attn")});
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-6);
}

TEST(Fused, VariableLengthAttentionLeavesOutWhatIsBeyondTheLengths) {
  const std::vector<Input> inputs{
      {"q", {1, 2, 3, 4}}, {"k", {1, 2, 5, 4}}, {"v", {1, 2, 5, 4}}, {"a", {1, 1}, {2}}, {"b", {1, 1}, {5}}};
  OpWriter fused = with_heads("variable_length_memory_efficient_attention", {"query", "key", "value"});
  fused.in("seq_lens", {"a"}).in("kv_seq_lens", {"b"}).real("scale", 0.5F);
  const std::vector<double> got = run(inputs, {fused});
  std::vector<OpWriter> plain{unary("assign", "q", "qh"), unary("assign", "k", "kh"), unary("assign", "v", "vh")};
  for (const OpWriter& op : attention("", 0.5F)) plain.push_back(op);
  plain.push_back(unary("assign", "mixed", "y"));
  const std::vector<double> all = run(inputs, plain);
  for (size_t i = 0; i < got.size(); ++i) {
    const bool counts = i / 4 % 3 < 2;
    EXPECT_NEAR(got[i], counts ? all[i] : 0.0, 1e-6) << "element " << i;
  }
}

TEST(Fused, BiasActAppliesPlainAndGatedActivations) {
  const std::vector<Input> inputs{{"x", {3, 6}}, {"b", {6}}};
  OpWriter fused("fused_bias_act");
  fused.in("x", {"x"}).in("bias", {"b"}).out("out", {"y"});
  OpWriter gelu = fused;
  expect_same(inputs, gelu.string("act_method", "gelu"), {add("x", "b", "t"), unary("gelu", "t", "y")});
  OpWriter swiglu = fused;
  expect_same(
      inputs, swiglu.string("act_method", "swiglu"),
      {add("x", "b", "t"), OpWriter("split").in("X", {"t"}).out("Out", {"g", "u"}).integer("num", 2).integer("axis", 1),
       unary("silu", "g", "s"),
       OpWriter("elementwise_mul").in("X", {"s"}).in("Y", {"u"}).out("Out", {"y"}).integer("axis", -1)});
}

TEST(Fused, BiasResidualLayernormScalesTheResidual) {
  const std::vector<Input> inputs{{"x", {3, 4}}, {"c", {4}}, {"r", {3, 4}}, {"s", {4}}, {"b", {4}}};
  OpWriter fused("fused_bias_residual_layernorm");
  fused.in("x", {"x"}).in("bias", {"c"}).in("residual", {"r"}).in("norm_weight", {"s"}).in("norm_bias", {"b"});
  fused.out("out", {"y"}).real("epsilon", 1e-5F).real("residual_alpha", 0.5F).integer("begin_norm_axis", 1);
  expect_same(
      inputs, fused,
      {add("x", "c", "p"), unary("scale", "r", "h").real("scale", 0.5F), add("p", "h", "t"), norm("t", "s", "b", 1)});
}

TEST(Fused, BiasDropoutResidualLayerNormDoesNotDropWhenRunning) {
  const std::vector<Input> inputs{{"x", {2, 3, 4}}, {"c", {4}}, {"r", {2, 3, 4}}, {"s", {4}}, {"b", {4}}};
  OpWriter fused("fused_bias_dropout_residual_layer_norm");
  fused.in("X", {"x"}).in("Bias", {"c"}).in("Residual", {"r"}).in("LnScale", {"s"}).in("LnBias", {"b"});
  fused.out("Y", {"y"}).real("ln_epsilon", 1e-5F).real("dropout_rate", 0.5F);
  expect_same(inputs, fused.string("dropout_implementation", "upscale_in_train"),
              {add("x", "c", "p"), add("r", "p", "t"), norm("t", "s", "b", 2)});
}

TEST(Fused, DropoutAddScalesOnlyWhereTrainingDidNot) {
  const std::vector<Input> inputs{{"x", {3, 4}}, {"r", {3, 4}}};
  OpWriter fused("fused_dropout_add");
  fused.in("x", {"x"}).in("y", {"r"}).out("out", {"y"}).real("p", 0.25F);
  OpWriter upscaled = fused;
  expect_same(inputs, upscaled.string("mode", "upscale_in_train"), {add("x", "r", "y")});
  OpWriter downscaled = fused;
  expect_same(inputs, downscaled.string("mode", "downscale_in_infer"),
              {unary("scale", "x", "t").real("scale", 0.75F), add("t", "r", "y")});
}

TEST(Fused, SoftmaxWithMasks) {
  const std::vector<Input> inputs{{"x", {2, 2, 3, 3}}, {"m", {2, 1, 3, 3}}};
  expect_same(inputs, OpWriter("fused_softmax_mask").in("X", {"x"}).in("Mask", {"m"}).out("Out", {"y"}),
              {add("x", "m", "t"), unary("softmax", "t", "y").integer("axis", -1)});
  const std::vector<double> got = run({{"x", {1, 1, 3, 3}}}, {unary("fused_softmax_mask_upper_triangle", "x", "y")});
  for (size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (size_t j = 0; j < 3; ++j) {
      if (j > i) {
        EXPECT_EQ(got[i * 3 + j], 0.0);
      }
      sum += got[i * 3 + j];
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
  const double ratio = std::exp(std::sin(4 * 1.7) - std::sin(3 * 1.7));
  EXPECT_NEAR(got[4] / got[3], ratio, 1e-4);
}

TEST(Fused, ElementwiseWithActivation) {
  const std::vector<Input> inputs{{"x", {2, 3}}, {"r", {2, 3}}};
  for (const char* kind : {"add", "sub", "mul", "div"}) {
    const auto binary = [&](const std::string& prefix, const std::string& to) {
      OpWriter op(prefix + kind);
      op.in("X", {"x"}).in("Y", {"r"}).out("Out", {to}).integer("axis", -1);
      return op;
    };
    expect_same(inputs, binary("fused_elementwise_", "y").string("fuse_activation", "relu"),
                {binary("elementwise_", "t"), unary("relu", "t", "y")});
  }
}

TEST(Fused, TransposeFlattenConcat) {
  const std::vector<Input> inputs{{"a", {2, 3, 2, 2}}, {"b", {2, 3, 1, 2}}};
  OpWriter fused("fusion_transpose_flatten_concat");
  fused.in("X", {"a", "b"}).out("Out", {"y"}).integers("trans_axis", {0, 2, 3, 1}).integer("flatten_axis", 1);
  expect_same(
      inputs, fused.integer("concat_axis", 1),
      {transpose("a", {0, 2, 3, 1}, "p"), reshape("p", {2, 12}, "p2"), transpose("b", {0, 2, 3, 1}, "q"),
       reshape("q", {2, 6}, "q2"), OpWriter("concat").in("X", {"p2", "q2"}).out("Out", {"y"}).integer("axis", 1)});
}

}  // namespace
}  // namespace coracle::internal
