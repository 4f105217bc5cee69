// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/tensor.h"
#include "base/thread_pool.h"

/// How a kernel says in which form it wants constants.
namespace coracle::internal {

/// A form for packed weights: a plain struct of int64_t with everything that packing reads besides the constants, and
/// the name of the layout that it makes. Name and numbers are part of the key under which the result is kept, in memory
/// and in saved models; hence no padding, no pointers, and numbers of enumerations that stay as they are. `pack` gets
/// form.bytes() zeros, 64-byte aligned, and makes the same bytes of them on every machine. One that needs scratch takes
/// the context that this is charged to as well.
///
/// A name, as "gemm.b.panels.v1", belongs to one form. Whoever changes what a form packs changes its version: a saved
/// model would else give old bytes to a new kernel (tests/run/packed_layouts_test.cc finds it).
template <class F>
concept PacksWithScratch = requires(const F& form, std::span<const Tensor* const> constants, std::byte* to,
                                    ThreadPool& pool, const RunContext& context) {
  form.pack(constants, to, pool, context);
};
template <class F>
concept PackForm = std::is_trivially_copyable_v<F> && std::has_unique_object_representations_v<F> && sizeof(F) %
                           sizeof(int64_t) ==
                       0 &&
                   alignof(F) == alignof(int64_t) && requires(const F& form) {
  { F::kLayout } -> std::convertible_to<std::string_view>;
  { form.bytes() } -> std::same_as<size_t>;
}
&&(PacksWithScratch<F> || requires(const F& form, std::span<const Tensor* const> constants, std::byte* to,
                                   ThreadPool& pool) { form.pack(constants, to, pool); });

/// A form without its type. `pack` is a plain function, so that nothing else can get into the result.
struct Packing {
  using Pack = void (*)(const void* form, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
                        const RunContext& context);

  std::string_view layout;
  const void* form = nullptr;  ///< int64_t by int64_t
  size_t form_bytes = 0;
  size_t bytes = 0;  ///< of the result
  Pack pack = nullptr;

  template <PackForm F>
  static Packing of(const F& form) {
    const Pack pack = [](const void* f, std::span<const Tensor* const> constants, std::byte* to, ThreadPool& pool,
                         [[maybe_unused]] const RunContext& context) {
      if constexpr (PacksWithScratch<F>) {
        static_cast<const F*>(f)->pack(constants, to, pool, context);
      } else {
        static_cast<const F*>(f)->pack(constants, to, pool);
      }
    };
    return {.layout = F::kLayout, .form = &form, .form_bytes = sizeof(F), .bytes = form.bytes(), .pack = pack};
  }
};

/// New memory, charged to the ledger of `context`, for a packing that nobody else will want; 64-byte aligned. Throws
/// Error, also when the deadline of `context` passes meanwhile.
std::shared_ptr<const void> packed_unshared(const Packing& packing, std::span<const Tensor* const> constants,
                                            ThreadPool& pool, const RunContext& context);

}  // namespace coracle::internal
