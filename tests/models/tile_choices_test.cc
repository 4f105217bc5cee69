// SPDX-License-Identifier: Apache-2.0
// Which layers of whole models go to matrix tiles (emulated where the machine has none), held against what was measured
// on a processor that has them: with x6 all of these models were slower than in vectors, with x3 those of small or
// many layers, with bfloat16 small layers.
//   tile_choices_test SHARED FILLED
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "run/model.h"
#include "run/session.h"

namespace {

using coracle::Precision;

/// How many steps must be on tiles, and how many may be.
struct Bounds {
  int least = 0;
  int most = 0;
};

struct Choice {
  const char* model;
  coracle::Shape input;
  Bounds high, bf16;
};

const Choice kChoices[] = {
    {"resnet50", {1, 3, 224, 224}, {10, 25}, {45, 53}},
    {"mobilenet_v1", {1, 3, 224, 224}, {4, 8}, {10, 13}},
    {"mobilenet_v2", {1, 3, 224, 224}, {0, 0}, {15, 30}},
    {"mobilenet_v3_large", {1, 3, 224, 224}, {0, 0}, {10, 25}},
    {"vit_base_patch16_224", {1, 3, 224, 224}, {48, 49}, {60, 61}},
};

int on_tiles(const std::string& program, const std::string& params, const coracle::Shape& shape, Precision precision) {
  coracle::ModelOptions options;
  options.kernels.precision = precision;
  options.kernels.emulates_modes = true;
  const auto model = coracle::Model::load(coracle::ModelSource::on_disk(program, params), options);
  coracle::Session session(model, {.threads = 1});
  coracle::Tensor x = coracle::Tensor::make(coracle::DType::kFloat32, shape);
  std::fill_n(x.data<float>(), x.count(), 0.0F);
  session.set_input(0, x);
  const auto bound = session.explain();
  return static_cast<int>(std::count_if(bound->steps.steps.begin(), bound->steps.steps.end(), [](const auto& step) {
    return std::string_view(step.kernel->name).find(".tiles_") != std::string_view::npos;
  }));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  if (argc != 3) return 2;
  const std::filesystem::path shared = argv[1];
  const std::filesystem::path filled = argv[2];
  int failed = 0;
  for (const Choice& c : kChoices) {
    const std::string program = shared / "models" / "program-only-zoo" / c.model / "inference.pdmodel";
    const std::string params = filled / (std::string(c.model) + ".pdiparams");
    if (!std::filesystem::exists(program) || !std::filesystem::exists(params)) {
      std::printf("skipped: %s or its generated weights are absent\n", program.c_str());
      return kSkipped;
    }
    const std::pair<Precision, Bounds> wanted[] = {
        {Precision::kDefault, {0, 0}}, {Precision::kHigh, c.high}, {Precision::kBf16, c.bf16}};
    for (const auto& [precision, bounds] : wanted) {
      const int found = on_tiles(program, params, c.input, precision);
      const bool good = found >= bounds.least && found <= bounds.most;
      failed += good ? 0 : 1;
      std::printf("%-24s %-8s %3d steps on tiles, expected %d to %d%s\n", c.model,
                  std::string(name_of(precision)).c_str(), found, bounds.least, bounds.most, good ? "" : "  FAILED");
    }
  }
  return failed == 0 ? 0 : 1;
}
