// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/library_choices.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "devices/cuda/api.h"
#include "devices/gpu/program_cache.h"

namespace coracle::internal::cuda {
namespace {

constexpr char kChoiceFormat[] = "choice 1";  // of keys and files, and of the rules by which ways are chosen
constexpr size_t kChoicesKept = 4096;         // choices in memory

/// What libraries choose by, besides what they are told.
std::string device_text(const FoundDevice& device, bool are_measured) {
  const char* const override = std::getenv("NVIDIA_TF32_OVERRIDE");
  return text(kChoiceFormat, are_measured ? ", measured\n" : "\n", device.info.name, "\ncompute capability ",
              device.architecture, ", ", device.info.compute_units, " multiprocessors, ", device.info.memory_bytes,
              " bytes, driver ", loaded_driver().version, ", NVRTC ", loaded_compiler().version, ", TF32 ",
              override == nullptr ? "" : override, "\n");
}

}  // namespace

LibraryChoices::LibraryChoices(const FoundDevice& device, bool are_measured)
    : are_measured_(are_measured),
      device_(device_text(device, are_measured)),
      disk_(gpu::ProgramCache::disk("CORACLE_CUDA_CACHE", "cuda")) {}

std::optional<LibraryChoices::Numbers> LibraryChoices::find(const std::string& key) const {
  const std::optional<Tensor> content = disk_.find(key);
  if (!content.has_value() || content->bytes() % sizeof(int64_t) != 0) return std::nullopt;
  Numbers numbers(content->bytes() / sizeof(int64_t));
  std::memcpy(numbers.data(), content->raw(), content->bytes());
  return numbers;
}

LibraryChoices::Numbers LibraryChoices::get(const std::string& key, const std::function<Made()>& make) {
  const std::lock_guard lock(mutex_);
  if (const auto it = kept_.find(key); it != kept_.end()) return it->second;
  const std::string known_by = device_ + key;
  std::optional<Numbers> kept = find(known_by);
  if (!kept.has_value()) {
    FileCache::Lock alone;
    if (are_measured_) alone = disk_.lock(known_by);
    if (alone.waited()) kept = find(known_by);
    if (!kept.has_value()) {
      Made made = make();
      if (!made.is_kept) return made.numbers;
      const auto* const bytes = reinterpret_cast<const uint8_t*>(made.numbers.data());
      disk_.keep(known_by, {bytes, made.numbers.size() * sizeof(int64_t)});
      kept = std::move(made.numbers);
    }
  }
  if (kept_.size() >= kChoicesKept) kept_.clear();
  return kept_[key] = std::move(*kept);
}

}  // namespace coracle::internal::cuda
