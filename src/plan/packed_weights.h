// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/pages.h"
#include "base/process.h"
#include "base/tensor.h"
#include "base/thread_pool.h"

/// Constants in the form that kernels want, made once per model and shared by its sessions.
namespace coracle {

/// A form for packed weights: a plain struct with everything that packing reads besides the constants. Its bytes are
/// part of the key under which the result is kept, hence no padding. `pack` writes form.bytes() bytes, 64-byte aligned.
template <class F>
concept PackForm = std::is_trivially_copyable_v<F> && std::has_unique_object_representations_v<F> &&
    requires(const F& form, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) {
  { form.bytes() } -> std::same_as<size_t>;
  form.pack(constants, to, pool);
};

/// A form without its type. `pack` is a plain function, so that nothing else can get into the result.
struct Packing {
  using Pack = void (*)(const void* form, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool);

  const void* form = nullptr;
  size_t form_bytes = 0;
  size_t bytes = 0;  ///< of the result
  Pack pack = nullptr;

  template <PackForm F>
  static Packing of(const F& form) {
    const Pack pack = [](const void* f, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool) {
      static_cast<const F*>(f)->pack(constants, to, pool);
    };
    return {.form = &form, .form_bytes = sizeof(F), .bytes = form.bytes(), .pack = pack};
  }
};

/// New memory for a packing that nobody else will want; 64-byte aligned. Throws Error.
std::shared_ptr<const void> packed_alone(const Packing& packing, std::span<const Tensor* const> constants,
                                         ThreadPool& pool);

/// The packed weights of one model. Thread-safe.
class PackedWeights {
 public:
  /// The packing of `constants`, which `names` names uniquely within the model ("main/12"), made on `pool` at first
  /// use. Throws Error.
  std::shared_ptr<const void> get(std::string_view names, const Packing& packing,
                                  std::span<const Tensor* const> constants, ThreadPool& pool);

  /// Bytes of all entries.
  size_t bytes() const;

  /// For tests: every later use makes its entry again and throws Error where a byte differs.
  void check_every_use(bool on) { checks_ = on; }

 private:
  struct Key {
    std::string names;
    std::string types;  ///< of the constants: a half constant may also be used widened
    std::string form;
    Packing::Pack pack = nullptr;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  struct Entry {
    std::shared_ptr<void> data;
    size_t bytes = 0;
  };

  static void check(const Entry& entry, const Key& key, const Packing& packing,
                    std::span<const Tensor* const> constants, ThreadPool& pool);

  PageArena memory_;
  mutable ProcessMutex mutex_;
  std::unordered_map<Key, Entry, Hash> entries_;
  bool checks_ = false;
};

}  // namespace coracle
