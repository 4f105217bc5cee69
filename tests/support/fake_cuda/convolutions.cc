// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/convolutions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "base/half.h"
#include "support/fake_cuda/driver_state.h"
#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {
namespace {

/// The elements at an address, as numbers; none where there is no such memory.
std::vector<float> read_numbers(uint64_t address, const ImageTensor& tensor) {
  const DeviceMemory::Spot spot = Driver::get().memory->find(address, tensor.bytes());
  if (spot.block == nullptr) return {};
  const char* from = spot.block->host.get() + spot.offset;
  std::vector<float> numbers(static_cast<size_t>(tensor.count()));
  if (tensor.type == cuda::CUDNN_DATA_FLOAT) {
    std::memcpy(numbers.data(), from, tensor.bytes());
  } else {
    const auto* halves = reinterpret_cast<const uint16_t*>(from);
    std::transform(halves, halves + numbers.size(), numbers.begin(), [](uint16_t h) { return Float16::to_float(h); });
  }
  return numbers;
}

bool write_numbers(uint64_t address, const ImageTensor& tensor, const std::vector<float>& numbers) {
  const DeviceMemory::Spot spot = Driver::get().memory->find(address, tensor.bytes());
  if (spot.block == nullptr) return false;
  char* to = spot.block->host.get() + spot.offset;
  if (tensor.type == cuda::CUDNN_DATA_FLOAT) {
    std::memcpy(to, numbers.data(), tensor.bytes());
  } else {
    std::transform(numbers.begin(), numbers.end(), reinterpret_cast<uint16_t*>(to),
                   [](float x) { return Float16::from_float(x); });
  }
  return true;
}

/// The first `bits` of a mantissa.
void round_down(std::vector<float>& numbers) {
  for (float& number : numbers) {
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof(bits));
    bits &= 0xffffe000U;
    std::memcpy(&number, &bits, sizeof(bits));
  }
}

/// Terms that are added before their sum is added to those of the blocks before.
int64_t block_of(const ConvolutionEngine& engine, int64_t terms) {
  static std::mt19937 random(1);
  switch (engine.index) {
    case ConvolutionEngine::kTiled: return engine.value;
    case ConvolutionEngine::kMatrixUnits: return 8;
    case ConvolutionEngine::kUnordered: return static_cast<int64_t>(1 + random() % 8);
    case ConvolutionEngine::kSplit: return (terms + engine.value - 1) / engine.value;
    case ConvolutionEngine::kWorkspace: return 5;
    default: return terms;
  }
}

/// Adds filter[channel, row, column] times what it lies on to a plane of the result.
class Planes {
 public:
  Planes(const ConvolutionProblem& problem, const float* x) : p_(problem), x_(x) {}
  void add(std::vector<float>& plane, int64_t image, int64_t channel, int64_t row, int64_t column, float factor) const {
    const int64_t height = p_.x.sizes[2];
    const int64_t width = p_.x.sizes[3];
    const float* from = x_ + (image * p_.x.sizes[1] + channel) * height * width;
    for (int64_t oy = 0; oy < p_.y.sizes[2]; ++oy) {
      const int64_t iy = oy * p_.strides[0] - p_.before[0] + row * p_.dilations[0];
      if (iy < 0 || iy >= height) continue;
      const int64_t begin = column * p_.dilations[1] - p_.before[1];
      float* to = plane.data() + oy * p_.y.sizes[3];
      for (int64_t ox = 0; ox < p_.y.sizes[3]; ++ox) {
        const int64_t ix = ox * p_.strides[1] + begin;
        if (ix >= 0 && ix < width) to[ox] += factor * from[iy * width + ix];
      }
    }
  }

 private:
  const ConvolutionProblem& p_;
  const float* x_;
};

}  // namespace

std::vector<ImageTensor> ConvolutionProblem::tensors() const {
  std::vector<ImageTensor> all = {y, x, filter};
  if (added.has_value()) all.push_back(*added);
  if (bias.has_value()) all.push_back(*bias);
  return all;
}

void ConvolutionProblem::check() const {
  if (filter.sizes[1] == 0 || x.sizes[1] % filter.sizes[1] != 0 || y.sizes[1] % groups() != 0 ||
      y.sizes[1] != filter.sizes[0] || y.sizes[0] != x.sizes[0]) {
    stop("the tensors of a convolution do not fit together");
  }
  for (size_t d = 0; d < 2; ++d) {
    const int64_t span = dilations[d] * (filter.sizes[d + 2] - 1) + 1;
    const int64_t room = x.sizes[d + 2] + before[d] + after[d] - span;
    if (before[d] < 0 || after[d] < 0 || room < 0 || room / strides[d] + 1 != y.sizes[d + 2]) {
      stop("the windows of a convolution are not as many as its result has");
    }
  }
  if (added.has_value() && added->sizes != y.sizes) stop("what is added to a convolution has other sizes");
  if (bias.has_value() && bias->sizes != std::array<int64_t, 4>{1, y.sizes[1], 1, 1}) {
    stop("the bias of a convolution is not one for each channel");
  }
  for (const ImageTensor& tensor : tensors()) {
    if (tensor.type != y.type) stop("the tensors of a convolution differ in type");
  }
}

std::vector<int> ConvolutionEngine::notes() const {
  switch (index) {
    case kPlain: return {cuda::CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP};
    case kMatrixUnits: return {cuda::CUDNN_NUMERICAL_NOTE_TENSOR_CORE};
    case kUnordered: return {cuda::CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC};
    case kTransforming: return {cuda::CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP, cuda::CUDNN_NUMERICAL_NOTE_WINOGRAD};
    default: return {};
  }
}

bool ConvolutionEngine::takes(const ConvolutionProblem& problem) const {
  return index != kTiled || (problem.before == problem.after && problem.y.sizes[0] <= kMostImages);
}

std::vector<ConvolutionEngine> engines_for(const ConvolutionProblem& problem, int mode) {
  if (mode != cuda::CUDNN_HEUR_MODE_A) return {{ConvolutionEngine::kPlain}};
  const int64_t images = problem.y.sizes[0];
  std::vector<ConvolutionEngine> all = {
      {ConvolutionEngine::kUnordered},
      {ConvolutionEngine::kTransforming},
      {ConvolutionEngine::kSplit, cuda::CUDNN_KNOB_TYPE_SPLIT_K_SLC, 12 / std::min<int64_t>(images, 4)},
      {ConvolutionEngine::kWorkspace},
      {ConvolutionEngine::kMatrixUnits},
      {ConvolutionEngine::kTiled, cuda::CUDNN_KNOB_TYPE_TILE_SIZE, images < 3 ? 4 : 16},
  };
  std::erase_if(all, [&](const ConvolutionEngine& engine) { return !engine.takes(problem); });
  return all;
}

void check_places(const ConvolutionCall& call) {
  const DeviceMemory& memory = *Driver::get().memory;
  const std::vector<ImageTensor> tensors = call.problem.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const uint64_t address = call.addresses[i];
    if (!memory.is_device(reinterpret_cast<const void*>(address))) stop("an image is at no address of the device");
    if (address % static_cast<uint64_t>(tensors[i].alignment) != 0) stop("an image is less aligned than it was said");
    if (memory.find(address, tensors[i].bytes()).block == nullptr) stop("an image goes beyond its block");
    const bool apart =
        address >= call.addresses[0] + tensors[0].bytes() || call.addresses[0] >= address + tensors[i].bytes();
    if (i > 0 && !apart) stop("a convolution is written over its operands");
  }
  const auto bytes = static_cast<size_t>(call.engine.workspace(call.problem));
  if (bytes != 0 && memory.find(call.workspace, bytes).block == nullptr) {
    stop("a convolution has less workspace than its engine needs");
  }
}

bool can_run(const ConvolutionCall& call) {
  const DeviceMemory& memory = *Driver::get().memory;
  const auto is_there = [&](uint64_t address) { return memory.find(address, 1).block != nullptr; };
  return std::all_of(call.addresses.begin(), call.addresses.end(), is_there) &&
         (call.engine.workspace(call.problem) == 0 || is_there(call.workspace));
}

int run(const ConvolutionCall& call) {
  const ConvolutionProblem& p = call.problem;
  Driver::get().streams.pass(Driver::get().takes_ms[call.engine.index]);
  std::vector<std::vector<float>> operands;
  const std::vector<ImageTensor> tensors = p.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    operands.push_back(read_numbers(call.addresses[i], tensors[i]));
    if (operands.back().empty()) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  // What lies in the workspace is not kept.
  if (const auto bytes = static_cast<size_t>(call.engine.workspace(p)); bytes != 0) {
    const DeviceMemory::Spot spot = Driver::get().memory->find(call.workspace, bytes);
    if (spot.block == nullptr) return cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memset(spot.block->host.get() + spot.offset, 0xee, bytes);
  }
  std::vector<float>& x = operands[1];
  std::vector<float>& filter = operands[2];
  if (call.engine.index == ConvolutionEngine::kMatrixUnits && p.y.type == cuda::CUDNN_DATA_FLOAT) {
    round_down(x);
    round_down(filter);
  }
  const Planes planes(p, x.data());
  const int64_t plane = p.y.sizes[2] * p.y.sizes[3];
  const int64_t window = p.filter.sizes[2] * p.filter.sizes[3];
  const int64_t terms = p.filter.sizes[1] * window;
  const int64_t channels_of_group = p.y.sizes[1] / p.groups();
  std::vector<float>& y = operands[0];
  for (int64_t image = 0; image < p.y.sizes[0]; ++image) {
    for (int64_t channel = 0; channel < p.y.sizes[1]; ++channel) {
      std::vector<float> sum(static_cast<size_t>(plane), 0.0F);
      std::vector<float> part;
      const int64_t block = block_of(call.engine, terms);
      for (int64_t term = 0; term < terms; ++term) {
        const int64_t t = call.engine.index == ConvolutionEngine::kTransforming ? terms - 1 - term : term;
        if (term % block == 0) part.assign(static_cast<size_t>(plane), 0.0F);
        planes.add(part, image, channel / channels_of_group * p.filter.sizes[1] + t / window,
                   t % window / p.filter.sizes[3], t % p.filter.sizes[3],
                   filter[static_cast<size_t>(channel * terms + t)]);
        if (term % block != block - 1 && term != terms - 1) continue;
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
      }
      const auto first = static_cast<size_t>((image * p.y.sizes[1] + channel) * plane);
      for (size_t i = 0; i < sum.size(); ++i) {
        float value = sum[i];
        if (p.added.has_value()) value += operands[3][first + i];
        if (p.bias.has_value()) value += operands.back()[static_cast<size_t>(channel)];
        y[first + i] = p.relu ? std::fmax(value, 0.0F) : value;
      }
    }
  }
  return write_numbers(call.addresses[0], p.y, y) ? cuda::CUDA_SUCCESS : cuda::CUDA_ERROR_ILLEGAL_ADDRESS;
}

}  // namespace coracle::internal::fake_cuda
