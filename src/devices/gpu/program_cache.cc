// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu/program_cache.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"

namespace coracle::internal::gpu {
namespace {

constexpr size_t kKept = 256;  // programs in memory

}  // namespace

std::shared_ptr<const Program> ProgramCache::get(const Source& source, std::string_view definitions) {
  std::string key = text(source.name, " ", definitions, "\n", source.text);
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = programs_.find(key); it != programs_.end()) {
      it->second.when = ++clock_;
      return it->second.program;
    }
  }
  const std::string whole = with_prelude(source);
  const std::string known_by = text(identity(definitions), "\n", whole);
  std::shared_ptr<const Program> program;
  if (const std::optional<Tensor> binary = disk_.find(known_by)) {
    program = load({binary->data<uint8_t>(), binary->bytes()}, definitions);
  }
  if (program == nullptr) {
    Built built = build(source.name, whole, definitions);
    program = std::move(built.program);
    if (disk_.on() && !built.binary.empty()) disk_.keep(known_by, built.binary);
  }
  const std::lock_guard lock(mutex_);
  // Another thread may have been faster.
  Used& used = programs_[std::move(key)];
  if (used.program == nullptr) used.program = std::move(program);
  used.when = ++clock_;
  std::shared_ptr<const Program> result = used.program;
  if (programs_.size() > kKept) {
    programs_.erase(std::min_element(programs_.begin(), programs_.end(),
                                     [](const auto& a, const auto& b) { return a.second.when < b.second.when; }));
  }
  return result;
}

}  // namespace coracle::internal::gpu
