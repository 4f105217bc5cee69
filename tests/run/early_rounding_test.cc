// SPDX-License-Identifier: Apache-2.0
// Numbers that are rounded to int8 early give the bits of those that are rounded where a product reads them.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "devices/cpu/isa.h"
#include "devices/cpu/isa/isa_test.h"
#include "ops/quantize/to_int8.h"
#include "run/session_results.h"
#include "support/graph_model.h"
#include "support/random_graph.h"

namespace coracle::internal {
namespace {

using test::model_of;
using test::random_tensor;
using test::run_fresh;
using test::same_bits;

/// A program as text: convolutions of integers and what may stand between them.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    for (int i = 0; i < 2; ++i) convolution();
    for (int i = 0; i < 14; ++i) step();
    // All that nothing else reads is a result, and so is one that something reads.
    for (const Image& image : images_) {
      if (!image.read || one_in(8))
        results_ += text(results_.empty() ? "" : ", ", image.name, " \"", image.name.substr(1), "\"");
    }
  }

  std::string graph() const {
    return text("graph (%x \"x\": float32[?, 8, ?, ?]) {\n", constants_, nodes_, "  return ", results_, "\n}");
  }

 private:
  struct Image {
    std::string name;
    int64_t channels;
    int64_t scale;  ///< times the height and width of %x
    bool read = false;
  };

  int number(int most) { return static_cast<int>(random_() % static_cast<unsigned>(most)); }
  bool one_in(int most) { return number(most) == 0; }

  /// One that nothing has read yet, if one is met soon.
  Image& any() {
    Image* found = nullptr;
    for (int tries = 0; tries < 3 && (found == nullptr || found->read); ++tries) {
      found = &images_[static_cast<size_t>(number(static_cast<int>(images_.size())))];
    }
    return *found;
  }

  /// The largest of each window, in an image of the same size or half of it.
  void maximum(Image& image) {
    const auto [name, channels, scale, was_read] = image;
    const bool half = scale > 1 && one_in(2);
    const std::string size = constant("int64[2]", one_in(2) ? "{3, 3}" : "{3, 1}");
    const std::string windows = half ? "strides = [2, 2], padding_algorithm = SAME" : "padding_algorithm = SAME";
    add(text("pool2d(", read(image), ", ", size, ") {", windows, "}"), channels, half ? scale / 2 : scale);
  }

  /// Another image of the same height and width, and the same channels if that is wanted.
  const Image* other(const Image& image, bool same_channels) {
    for (int tries = 0; tries < 4; ++tries) {
      Image& found = any();
      if (found.scale != image.scale || (same_channels && found.channels != image.channels)) continue;
      found.read = true;
      return &found;
    }
    return nullptr;
  }

  std::string constant(const std::string& type, const std::string& value) {
    const std::string name = text("@c", next_++);
    constants_ += text("  ", name, ": ", type, " = ", value, "\n");
    return name;
  }

  void add(const std::string& call, int64_t channels, int64_t scale) {
    images_.push_back({text("%v", next_++), channels, scale});
    nodes_ += text("  ", images_.back().name, " = ", call, "\n");
  }

  std::string read(Image& image) {
    image.read = true;
    return image.name;
  }

  /// Rounded to steps of one of few scales, so that some agree.
  std::string rounded(const std::string& x) {
    static const char* const kScales[] = {"0.9", "2.5", "2.5, round_type = half_away_from_zero"};
    nodes_ += text("  %r", next_, " = to_int8(", x, ") {scale = ", kScales[number(3)], "}\n");
    return text("%r", next_++);
  }

  void convolution() {
    Image input = {"%x", 8, 1};
    if (!images_.empty()) {
      Image& image = any();
      image.read = true;
      input = image;
    }
    static const int64_t kChannels[] = {8, 20, 48};
    const bool depthwise = one_in(3);
    const bool transposed = !depthwise && input.scale < 4 && one_in(4);
    const int64_t channels = depthwise ? input.channels : kChannels[number(3)];
    const int64_t groups = depthwise ? channels : (!transposed && one_in(3) ? 4 : 1);
    const int size = transposed ? 2 : (depthwise || one_in(2) ? 3 : 1);
    const int64_t scale = transposed ? 2 * input.scale : input.scale;
    const std::string filter =
        transposed ? text(input.channels, ", ", channels) : text(channels, ", ", input.channels / groups);
    const std::string w =
        constant(text("int8[", filter, ", ", size, ", ", size, "]"), text("random(", next_, ", -127, 128)"));
    const std::string factor = constant(text("float32[", channels, "]"), text("random(", next_, ", 0.0001, 0.0004)"));
    const std::string bias = constant(text("float32[", channels, "]"), text("random(", next_, ")"));
    const std::string x = rounded(input.name);
    std::string tensors = text("[", factor, ", ", bias);
    std::string steps = "\"multiply_channel\", \"add_channel\"";
    std::string numbers = "0, 0, 0, 0, 0, 0";
    const Image* residual = one_in(2) && !images_.empty() ? other({"", channels, scale}, true) : nullptr;
    if (residual != nullptr) {
      tensors += text(", ", residual->name);
      steps += ", \"add_tensor\"";
      numbers += ", 0, 0, 0";
    }
    if (one_in(2)) {
      steps += ", \"relu\"";
      numbers += ", 0, 0, 0";
    }
    const std::string window = transposed ? "strides = [2, 2], transposed = true"
                                          : text("paddings = [", size / 2, ", ", size / 2, "], groups = ", groups);
    add(text("integer_conv2d(", x, ", ", w, ", ", tensors, "]) {", window, ", epilogue = [", steps,
             "], epilogue_numbers = [", numbers, "]}"),
        channels, scale);
  }

  void step() {
    Image& image = any();
    const auto [name, channels, scale, was_read] = image;
    switch (number(9)) {
      case 0: {
        const Image* more = other(image, false);
        if (more == nullptr) return;
        const int64_t sum = channels + more->channels;
        const std::string axis = constant("int32[1]", "{1}");
        if (sum <= 128) add(text("concat([", read(image), ", ", more->name, "], ", axis, ")"), sum, scale);
        return;
      }
      case 1:
        if (scale < 4) {
          add(text("nearest_interp(", read(image), ") {scale = [2, 2], align_corners = false}"), channels, 2 * scale);
        }
        return;
      case 2: return add(text("channel_shuffle(", read(image), ") {groups = 2}"), channels, scale);
      case 3: {
        nodes_ += text("  %m", next_, " = pool2d(", read(image), ") {pooling_type = avg, global_pooling = true}\n  %s",
                       next_, " = sigmoid(%m", next_, ")\n");
        const std::string factor = text("%s", next_++);
        const bool turned = one_in(2);
        return add(text("multiply(", turned ? factor : name, ", ", turned ? name : factor, ")"), channels, scale);
      }
      case 4: {
        nodes_ += text("  %t", next_, " = transpose(", read(image), ") {perm = [0, 2, 3, 1]}\n");
        const std::string turned = text("%t", next_++);
        return add(text("transpose(", turned, ") {perm = [0, 3, 1, 2]}"), channels, scale);
      }
      case 5: return maximum(image);
      default: return convolution();
    }
  }

  std::mt19937 random_;
  int next_ = 0;
  std::string constants_;
  std::string nodes_;
  std::string results_;
  std::vector<Image> images_;
};

/// Adds how many nodes of each operator have an int8 result, those of to_int8 with a factor by a name of their own.
void count_int8(const Model& model, std::map<std::string, int64_t>& counts) {
  const Graph& graph = model.program()->graph();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (graph.fact(node.output(0)).dtype != DType::kInt8) continue;
    ++counts[text(node.op.name(), node.op.is<ToInt8>() && node.inputs.size() > 1 ? " with factors" : "")];
  }
}

/// A program with the pass and without it, on kernels of one instruction set.
struct BothWays {
  explicit BothWays(const std::string& program, cpu::Isa isa = cpu::detected_isa()) {
    ModelOptions options;
    options.kernels.capability = isa;
    early = model_of(program, options);
    options.passes.disabled = {"early_rounding"};
    late = model_of(program, options);
  }
  std::shared_ptr<const Model> early;
  std::shared_ptr<const Model> late;
};

TEST(EarlyRounding, GivesTheSameBits) {
  std::map<std::string, int64_t> counts;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const std::string program = RandomProgram(seed).graph();
    SCOPED_TRACE(text("seed ", seed, "\n", program));
    for (const cpu::Isa isa : cpu::tested_isas()) {
      const BothWays models(program, isa);
      if (isa == cpu::detected_isa()) count_int8(*models.early, counts);
      for (const Shape& shape : {Shape{1, 8, 9, 7}, Shape{2, 8, 6, 13}}) {
        const std::vector<Tensor> x = {random_tensor(shape, seed)};
        const std::vector<Tensor> expected = run_fresh(models.late, x, {.threads = 1});
        for (const int threads : {1, 3}) {
          ASSERT_TRUE(same_bits(run_fresh(models.early, x, {.threads = threads}), expected))
              << name_of(isa) << " " << threads;
        }
      }
    }
  }
  for (const char* op : {"integer_conv2d", "to_int8", "to_int8 with factors", "concat", "nearest_interp",
                         "channel_shuffle", "transpose", "pool2d"}) {
    EXPECT_GE(counts[op], 5) << op;
  }
}

TEST(EarlyRounding, LargestOfWindowsOfAllKinds) {
  struct Case {
    const char* size;
    const char* windows;
    bool meet_image = true;  ///< whatever its size
  };
  const Case cases[] = {{"{3, 3}", "strides = [2, 2], paddings = [1, 1]"},
                        {"{3, 3}", "strides = [2, 2], paddings = [1, 1], ceil_mode = true"},
                        {"{2, 4}", "strides = [2, 3], paddings = [0, 0, 3, 1], ceil_mode = true"},
                        {"{5, 1}", "strides = [1, 1], paddings = [2, 0]"},
                        {"{3, 2}", "strides = [2, 1], padding_algorithm = SAME"},
                        {"{2, 2}", "strides = [2, 2], paddings = [1, 1], ceil_mode = true", false},
                        {"{1, 2}", "strides = [2, 2], ceil_mode = true", false},
                        {"{2, 2}", "strides = [1, 1], paddings = [3, 2]", false},
                        {"{2, 3}", "adaptive = true", false},
                        {"{1, 1}", "global_pooling = true", false}};
  for (const Case& c : cases) {
    for (const char* rounding : {"half_to_even", "half_away_from_zero"}) {
      const std::string program = text(R"(graph (%x "x": float32[?, 8, ?, ?]) {
  @w: int8[20, 8, 1, 1] = random(1, -127, 128)
  @f: float32[20] = random(2, 0.001, 0.004)
  @k: int64[2] = )",
                                       c.size, R"(
  %q = to_int8(%x) {scale = 1}
  %y = integer_conv2d(%q, @w, [@f]) {epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0]}
  %p = pool2d(%y, @k) {)",
                                       c.windows, R"(}
  %r = to_int8(%p) {scale = 20, round_type = )",
                                       rounding, R"(}
  return %r "r"
})");
      SCOPED_TRACE(program);
      for (const cpu::Isa isa : cpu::tested_isas()) {
        const BothWays models(program, isa);
        std::map<std::string, int64_t> counts;
        count_int8(*models.early, counts);
        EXPECT_EQ(counts["pool2d"], c.meet_image || rounding == std::string("half_to_even") ? 1 : 0);
        for (const Shape& shape : {Shape{1, 8, 9, 7}, Shape{2, 8, 3, 4}, Shape{1, 8, 2, 3}}) {
          const std::vector<Tensor> x = {random_tensor(shape, 3)};
          EXPECT_TRUE(same_bits(run_fresh(models.early, x, {.threads = 2}), run_fresh(models.late, x, {.threads = 1})))
              << name_of(isa) << text(" ", shape);
        }
      }
    }
  }
}

/// What a convolution makes, and the largest of larger and larger windows of it, joined.
TEST(EarlyRounding, PyramidsOfWindows) {
  const std::string program = R"(graph (%x "x": float32[?, 8, ?, ?]) {
  @w: int8[20, 8, 1, 1] = random(1, -127, 128)
  @f: float32[20] = random(2, 0.001, 0.004)
  @v: int8[12, 80, 1, 1] = random(3, -127, 128)
  @g: float32[12] = random(4, 0.001, 0.004)
  @k: int64[2] = {5, 5}
  @a: int32[1] = {1}
  %q = to_int8(%x) {scale = 1}
  %y = integer_conv2d(%q, @w, [@f]) {epilogue = ["multiply_channel", "hardswish"], epilogue_numbers = [0, 0, 0, 3, 6, 6]}
  %p = pool2d(%y, @k) {paddings = [2, 2]}
  %o = pool2d(%p, @k) {paddings = [2, 2]}
  %m = pool2d(%o, @k) {paddings = [2, 2]}
  %c = concat([%y, %p, %o, %m], @a)
  %r = to_int8(%c) {scale = 20}
  %z = integer_conv2d(%r, @v, [@g]) {epilogue = ["multiply_channel"], epilogue_numbers = [0, 0, 0]}
  return %z "z"
})";
  const BothWays models(program);
  std::map<std::string, int64_t> counts;
  count_int8(*models.early, counts);
  EXPECT_EQ(counts,
            (std::map<std::string, int64_t>{{"to_int8", 1}, {"integer_conv2d", 1}, {"pool2d", 3}, {"concat", 1}}));
  for (const Shape& shape : {Shape{1, 8, 20, 20}, Shape{2, 8, 3, 1}}) {
    const std::vector<Tensor> x = {random_tensor(shape, 3)};
    EXPECT_TRUE(same_bits(run_fresh(models.early, x, {.threads = 2}), run_fresh(models.late, x, {.threads = 1})))
        << text(shape);
  }
}

}  // namespace
}  // namespace coracle::internal
