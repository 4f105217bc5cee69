// SPDX-License-Identifier: Apache-2.0
// Which layers of whole models go to matrix tiles on an emulated processor that has them, compared with what was
// measured on a real one: with x6 all of these models were slower than in vectors, with x3 those of small or many
// layers, with bfloat16 small layers.
//   tile_choices_test SHARED FILLED
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include "loading/model.h"
#include "run/session.h"
#include "support/emulated_processor.h"

namespace {

using coracle::internal::Precision;

/// How many steps must be on tiles, and how many may be.
struct Bounds {
  int least = 0;
  int most = 0;
};

struct Choice {
  const char* program;  ///< in SHARED/models
  const char* weights;  ///< in FILLED, without .pdiparams
  coracle::internal::Shape input;
  Bounds high, bf16;
};

const Choice kChoices[] = {
    {"program-only-zoo/resnet50/inference.pdmodel", "resnet50", {1, 3, 224, 224}, {17, 45}, {40, 52}},
    {"program-only-zoo/mobilenet_v1/inference.pdmodel", "mobilenet_v1", {1, 3, 224, 224}, {4, 12}, {10, 13}},
    {"program-only-zoo/mobilenet_v2/inference.pdmodel", "mobilenet_v2", {1, 3, 224, 224}, {0, 17}, {15, 30}},
    {"program-only-zoo/mobilenet_v3_large/inference.pdmodel",
     "mobilenet_v3_large",
     {1, 3, 224, 224},
     {0, 10},
     {10, 25}},
    {"program-only-zoo/vit_base_patch16_224/inference.pdmodel",
     "vit_base_patch16_224",
     {1, 3, 224, 224},
     {48, 50},
     {60, 62}},
    // Under bf16 its 3x3 convolutions of 96 to 24 channels stay with Winograd's algorithm.
    {"program-only-pir/PP-OCRv5_mobile_det_infer/inference.json",
     "PP-OCRv5_mobile_det_infer",
     {1, 3, 640, 640},
     {6, 14},
     {8, 16}},
};

int on_tiles(const std::string& program, const std::string& params, const coracle::internal::Shape& shape,
             Precision precision) {
  coracle::internal::ModelOptions options;
  options.kernels.precision = precision;
  const auto model = coracle::internal::Model::load(coracle::internal::ModelSource::on_disk(program, params), options);
  coracle::internal::Session session(model, {.threads = 1});
  coracle::internal::Tensor x = coracle::internal::Tensor::make(coracle::internal::DType::kFloat32, shape);
  std::fill_n(x.data<float>(), x.count(), 0.0F);
  session.set_input(0, x);
  const auto planned = session.explain();
  return static_cast<int>(std::count_if(planned->steps.begin(), planned->steps.end(), [](const auto& step) {
    return std::string_view(step.kernel->name).find(".tiles_") != std::string_view::npos;
  }));
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  if (argc != 3) return 2;
  const std::filesystem::path shared = argv[1];
  const std::filesystem::path filled = argv[2];
  const auto processors = coracle::internal::test::emulated_processors();
  const auto amx = std::find_if(processors.begin(), processors.end(),
                                [](const auto* p) { return p->has(coracle::internal::cpu::Capability::kAmx); });
  if (amx == processors.end()) {
    std::printf("skipped: this machine cannot emulate a processor with matrix tiles\n");
    return kSkipped;
  }
  const coracle::internal::test::EmulatedProcessor emulated(**amx);
  int failed = 0;
  for (const Choice& c : kChoices) {
    const std::string program = shared / "models" / c.program;
    const std::string params = filled / (std::string(c.weights) + ".pdiparams");
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
      std::printf("%-26s %-8s %3d steps on tiles, expected %d to %d%s\n", c.weights,
                  std::string(name_of(precision)).c_str(), found, bounds.least, bounds.most, good ? "" : "  FAILED");
    }
  }
  return failed == 0 ? 0 : 1;
}
