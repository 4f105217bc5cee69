// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include "base/opaque.h"
#include "base/size.h"
#include "devices/cpu/kernel_isa.h"
#include "plan/kernel.h"
#ifdef CORACLE_LIGHT
#include "plan/written_kernel.h"
#endif
#ifdef CORACLE_OPERATORS
#include "built_operators.h"  // kBuiltOperators, their names, made by CMake
#endif
#if defined(CORACLE_TAILOR) && CORACLE_TAILOR
#include "light/kernels.h"  // kListedKernels, made by CMake
#endif

/// What the files of kernels share: their names and lists per instruction set, and how a value lies in memory.
namespace coracle::internal::cpu::kernels {

/// Elements (floats, or 4-byte units of copying) that are worth a thread of their own.
constexpr int64_t kGrain = 32 << 10;

/// Iterations of `cost` elements each that are worth a thread.
constexpr int64_t grain_of(int64_t cost) { return cost >= kGrain ? 1 : kGrain / (cost < 1 ? 1 : cost); }

namespace kernel_table_detail {

constexpr const char* suffix(Isa isa, ComputeMode mode) {
  switch (mode) {
    case ComputeMode::kBf16x6: return ".tiles_x6";
    case ComputeMode::kBf16x3: return ".tiles_x3";
    case ComputeMode::kBf16: return ".tiles_bf16";
    default: break;
  }
  switch (isa) {
    case Isa::kNeon: return ".neon";
    case Isa::kSse2: return ".sse2";
    case Isa::kAvx2: return ".avx2";
    case Isa::kAvx512: return ".avx512";
    default: return ".any";
  }
}

/// The parts of a name behind each other; with kSize 0, how long that is, with the zero at its end.
template <size_t kSize>
constexpr auto make_name(const char* base, Isa isa, ComputeMode mode, const char* variant = "") {
  std::array<char, kSize == 0 ? 1 : kSize> text{};
  size_t n = 0;
  for (const char* part : {base, variant, suffix(isa, mode)}) {
    for (const char* c = part; *c != '\0'; ++c, ++n) {
      if constexpr (kSize != 0) text[n] = *c;
    }
  }
  if constexpr (kSize == 0) {
    return n + 1;
  } else {
    return text;
  }
}

template <class Op, Isa kIsa, ComputeMode kProducts>
inline constexpr auto kName = make_name<make_name<0>(Op::kName, kIsa, kProducts)>(Op::kName, kIsa, kProducts);

/// A literal as a template argument.
template <size_t kSize>
struct Literal {
  char text[kSize];
  // NOLINTNEXTLINE(google-explicit-constructor): that is its purpose
  consteval Literal(const char (&from)[kSize]) { std::copy(from, from + kSize, text); }
};

template <Literal kBase, Isa kIsa, ComputeMode kProducts>
inline constexpr auto kVariantName = make_name<make_name<0>(kBase.text, kIsa, kProducts)>(kBase.text, kIsa, kProducts);

template <class Op, Literal kVariant, Isa kIsa>
inline constexpr auto kOpVariantName = make_name<make_name<0>(Op::kName, kIsa, ComputeMode::kFloat32, kVariant.text)>(
    Op::kName, kIsa, ComputeMode::kFloat32, kVariant.text);

template <size_t... kSizes>
constexpr auto join(const std::array<KernelDef, kSizes>&... parts) {
  std::array<KernelDef, (kSizes + ...)> all{};
  size_t n = 0;
  const auto append = [&](const auto& part) {
    for (const KernelDef& k : part) all[n++] = k;
  };
  (append(parts), ...);
  return all;
}

}  // namespace kernel_table_detail

/// "softmax.avx512", "matmul.tiles_x6"
template <class Op, Isa kIsa, ComputeMode kProducts = ComputeMode::kFloat32>
constexpr const char* kernel_name() {
  return kernel_table_detail::kName<Op, kIsa, kProducts>.data();
}

/// "conv2d.indirect.avx512", where an operator has several families of kernels
template <kernel_table_detail::Literal kBase, Isa kIsa, ComputeMode kProducts = ComputeMode::kFloat32>
constexpr const char* kernel_name() {
  return kernel_table_detail::kVariantName<kBase, kIsa, kProducts>.data();
}

/// "add" + ".whole" + ".avx512", where several operators have such a family
template <class Op, kernel_table_detail::Literal kVariant, Isa kIsa>
constexpr const char* variant_name() {
  return kernel_table_detail::kOpVariantName<Op, kVariant, kIsa>.data();
}

/// All of IsaKernels<isa>::kKernels (a std::array) for every instruction set of this architecture. Evaluated while
/// compiling only: as a variable, GCC would give the lists of all files one name, IsaKernels being local to each.
template <template <Isa> class IsaKernels>
consteval auto kernels_of_each_isa() {
#if defined(__x86_64__)
  return kernel_table_detail::join(IsaKernels<Isa::kAvx512>::kKernels, IsaKernels<Isa::kAvx2>::kKernels,
                                   IsaKernels<Isa::kSse2>::kKernels);
#else
  return IsaKernels<Isa::kNeon>::kKernels;
#endif
}

/// The same of IsaKernels<isa, products>: those on matrix tiles, which go with any set, and those of each instruction
/// set.
template <template <Isa, ComputeMode> class IsaKernels>
consteval auto kernels_of_all_products() {
  constexpr auto kFloat32 = ComputeMode::kFloat32;
#if defined(__x86_64__)
  return kernel_table_detail::join(
      IsaKernels<Isa::kAny, ComputeMode::kBf16x6>::kKernels, IsaKernels<Isa::kAny, ComputeMode::kBf16x3>::kKernels,
      IsaKernels<Isa::kAny, ComputeMode::kBf16>::kKernels, IsaKernels<Isa::kAvx512, kFloat32>::kKernels,
      IsaKernels<Isa::kAvx2, kFloat32>::kKernels, IsaKernels<Isa::kSse2, kFloat32>::kKernels);
#else
  return kernel_table_detail::join(
      IsaKernels<Isa::kAny, ComputeMode::kBf16x6>::kKernels, IsaKernels<Isa::kAny, ComputeMode::kBf16x3>::kKernels,
      IsaKernels<Isa::kAny, ComputeMode::kBf16>::kKernels, IsaKernels<Isa::kNeon, kFloat32>::kKernels);
#endif
}

#if defined(CORACLE_OPERATORS) || defined(CORACLE_LIGHT)
/// Those of kAll, an array of KernelDef, whose operators this build has. The light library has those of one instruction
/// set, none on matrix tiles; there schemas are no constants, and kernels of operators that it has not are never asked
/// for.
template <const auto& kAll>
class BuiltKernels {
  static consteval bool built(const KernelDef& kernel) {
#ifdef CORACLE_LIGHT
    const Isa isa = kernel.capability.template as<Isa>();
    if (kernel.mode != CapabilityLevel() || (isa != Isa::kAny && isa != Isa::CORACLE_LIGHT)) return false;
#endif
#if defined(CORACLE_TAILOR) && CORACLE_TAILOR
    if (std::find(std::begin(kListedKernels), std::end(kListedKernels), kernel.name) == std::end(kListedKernels))
      return false;
#endif
#if defined(CORACLE_OPERATORS) && !defined(CORACLE_LIGHT)
    return std::find(std::begin(kBuiltOperators), std::end(kBuiltOperators), kernel.op->name) !=
           std::end(kBuiltOperators);
#else
    return true;
#endif
  }
  static consteval auto choose() {
    std::array<KernelDef, static_cast<size_t>(std::count_if(std::begin(kAll), std::end(kAll), built))> kept{};
    std::copy_if(std::begin(kAll), std::end(kAll), kept.begin(), built);
    return kept;
  }

 public:
  static constexpr auto kKernels = choose();
};
template <const auto& kAll>
constexpr KernelTable kernel_table() {
  constexpr const auto& kBuilt = BuiltKernels<kAll>::kKernels;
#ifdef CORACLE_LIGHT
  if constexpr (kBuilt.empty()) {
    return {{}, []() noexcept {}};
  } else {
    return {WrittenTable<kBuilt>::elements(), WrittenTable<kBuilt>::write};
  }
#else
  return {kBuilt};
#endif
}
#else
/// The table of an array of KernelDef; in a build of some operators, of those of them.
template <const auto& kAll>
constexpr KernelTable kernel_table() {
  return {kAll};
}
#endif

/// `state` ready for Prepared.
template <class State>
Prepared prepared(State state, Size workspace = 0, size_t extra_bytes = 0) {
  Prepared p;
  p.workspace = workspace.bytes();
  p.state_bytes = sizeof(State) + extra_bytes;
  p.state = make_opaque(std::move(state));
  return p;
}

/// The same, where result 0 may be written on an operand: each element of that is read before it is overwritten.
inline Prepared in_place(Prepared p, int operand = 0) {
  p.in_place = operand;
  return p;
}

template <class State>
const State& state_of(const KernelCall& call) {
  return *static_cast<const State*>(call.state);
}

/// The dimensions of a value as they lie in memory, outermost first.
struct MemoryOrder {
  int rank = 0;
  int logical[Shape::kMaxRank] = {};     ///< logical dimension at each place
  int place[Shape::kMaxRank] = {};       ///< place of each logical dimension
  int64_t dims[Shape::kMaxRank] = {};    ///< by place
  int64_t stride[Shape::kMaxRank] = {};  ///< in elements, by logical dimension

  explicit MemoryOrder(const Fact& f) : rank(f.shape.rank()) {
    const bool last = f.layout == Layout::kChannelsLast && rank > 2;
    for (int p = 0; p < rank; ++p) {
      const int d = !last || p == 0 ? p : (p == rank - 1 ? 1 : p + 1);
      logical[p] = d;
      place[d] = p;
      dims[p] = f.shape[d];
    }
    // Next to a dimension of size 0 others may be so large that steps would overflow.
    int64_t step = f.shape.count() == 0 ? 0 : 1;
    for (int p = rank - 1; p >= 0; --p) {
      stride[logical[p]] = step;
      step *= dims[p];
    }
  }

  /// Product of the dimensions at places [from, to).
  int64_t count(int from, int to) const {
    int64_t n = 1;
    for (int p = from; p < to; ++p) n *= dims[p];
    return n;
  }
};

/// A value as lines along one logical axis, as it lies in memory: [outer, length, inner].
struct MemoryLines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  MemoryLines() = default;
  MemoryLines(const Fact& f, int64_t axis) {
    if (f.shape.rank() == 0) return;
    const MemoryOrder order(f);
    const int place = order.place[normalize_axis(axis, order.rank)];
    outer = order.count(0, place);
    length = order.dims[place];
    inner = order.count(place + 1, order.rank);
  }
};

/// A number operand: `missing` where absent, nothing where not known while planning.
inline std::optional<double> known_number(const ArgFacts& args, int port, double missing) {
  if (!args.has(port)) return missing;
  const Tensor* value = known_value(args, port);
  if (value == nullptr || value->count() == 0) return std::nullopt;
  return value->number(0);
}

/// The elements as floats, null where the operand is absent.
inline const float* floats_or_null(const KernelCall& call, int index) {
  return index < 0 ? nullptr : call.in[static_cast<size_t>(index)].as<const float>();
}

}  // namespace coracle::internal::cpu::kernels
