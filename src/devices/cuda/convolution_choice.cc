// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/convolution_choice.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/precision.h"
#include "devices/cuda/measuring.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

using gpu::ImageConvolution;
using Engine = ConvolutionPlan::Engine;
using Numbers = LibraryChoices::Numbers;

constexpr size_t kMostEnginesTimed = 12;  // engines
constexpr int64_t kNoEngine = -1;         // in place of an engine's index: none takes the convolution

Numbers engine_numbers(const Engine& engine) {
  Numbers numbers = {engine.index};
  for (const Engine::Knob& knob : engine.knobs) {
    numbers.push_back(knob.type);
    numbers.push_back(knob.value);
  }
  return numbers;
}

std::optional<Engine> engine_of(const Numbers& numbers) {
  if (numbers.size() % 2 == 0 || numbers[0] == kNoEngine) return std::nullopt;
  Engine engine;
  engine.index = numbers[0];
  for (size_t i = 1; i < numbers.size(); i += 2) {
    engine.knobs.push_back({static_cast<int>(numbers[i]), numbers[i + 1]});
  }
  return engine;
}

std::string axis_text(const WindowAxis& axis) {
  const auto& [in, out, kernel, stride, dilation, before, after] = axis;
  return text(" ", in, " ", out, " ", kernel, " ", stride, " ", dilation, " ", before, " ", after);
}

/// The fastest engine for as many images as engines are chosen for; none where nothing could be timed.
std::optional<size_t> fastest(Opened& device, cudnnHandle_t handle, const ImageConvolution& convolution,
                              const std::vector<Engine>& engines) {
  const ConvolutionsApi& api = *loaded_convolutions().api;
  ImageConvolution c = convolution;
  c.sizes.batch = ConvolutionPlan::kBatchOfChoice;
  std::vector<std::unique_ptr<const ConvolutionPlan>> plans;
  size_t workspace_bytes = 0;
  for (const Engine& engine : engines) {
    plans.push_back(ConvolutionPlan::make(api, {.handle = handle}, c, engine));
    if (plans.back() != nullptr) workspace_bytes = std::max(workspace_bytes, plans.back()->workspace());
  }
  const ConvolutionGeometry& g = c.sizes;
  const int64_t count_y = g.batch * g.out_channels * g.height().out * g.width().out;
  const int64_t counts[] = {count_y, g.batch * g.in_channels * g.height().in * g.width().in,
                            g.out_channels * (g.in_channels / g.groups) * g.height().kernel * g.width().kernel,
                            c.has_added ? count_y : 0, c.has_bias ? g.out_channels : 0};
  Measuring measuring(device);
  std::array<void*, 5> tensors{};
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i] = measuring.memory(static_cast<size_t>(counts[i]) * size_of(c.type));
  }
  void* const workspace = measuring.memory(workspace_bytes);
  return measuring.fastest(plans.size(), [&](size_t way, CUstream stream) {
    const ConvolutionPlan* const plan = plans[way].get();
    return plan != nullptr && plan->run(handle, stream, tensors, workspace) == CUDNN_STATUS_SUCCESS;
  });
}

LibraryChoices::Made choose(Opened& device, cudnnHandle_t handle, const ImageConvolution& convolution) {
  const bool measures = device.choices().are_measured();
  const ConvolutionPlan::Candidates found = ConvolutionPlan::candidates(*loaded_convolutions().api, {.handle = handle},
                                                                        convolution, measures ? kMostEnginesTimed : 1);
  if (found.engines.empty()) return {{kNoEngine}, found.are_sure};
  if (!measures || found.engines.size() == 1) return {engine_numbers(found.engines[0]), found.are_sure};
  const std::optional<size_t> best = fastest(device, handle, convolution, found.engines);
  return {engine_numbers(found.engines[best.value_or(0)]), best.has_value() && found.are_sure};
}

}  // namespace

/// A member more does not compile: does the choice depend on it?
std::string choice_key(const ImageConvolution& convolution) {
  const auto& [sizes, type, precision, has_added, has_bias, relu, may_have_workspace] = convolution;
  const auto& [batch, in_channels, out_channels, groups, axes] = sizes;
  static_cast<void>(batch);  // the choice is one for all
  static_cast<void>(axes);
  return text("cuDNN ", loaded_convolutions().version, ", engine of a convolution\nas for ",
              ConvolutionPlan::kBatchOfChoice, " images, aligned to ", ConvolutionPlan::kAlignment, ", workspace ",
              may_have_workspace ? ConvolutionPlan::kMostWorkspace : 0, "\n", type, " ", name_of(precision), "\n",
              in_channels, " ", out_channels, " ", groups, axis_text(sizes.height()), axis_text(sizes.width()), "\n",
              has_added ? "added " : "", has_bias ? "bias " : "", relu ? "relu" : "");
}

std::unique_ptr<const ConvolutionPlan> chosen_plan(Opened& device, cudnnHandle_t handle,
                                                   const ImageConvolution& convolution) {
  std::optional<Engine> engine =
      engine_of(device.choices().get(choice_key(convolution), [&] { return choose(device, handle, convolution); }));
  if (!engine.has_value()) return nullptr;
  return ConvolutionPlan::make(*loaded_convolutions().api, {.handle = handle}, convolution, std::move(*engine));
}

}  // namespace coracle::internal::cuda
