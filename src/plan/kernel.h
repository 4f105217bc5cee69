// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fact.h"
#include "base/precision.h"
#include "base/strided_view.h"
#include "base/thread_pool.h"
#include "graph/op.h"
#include "plan/layout_rule.h"
#include "plan/packing.h"
#include "plan/queue.h"
#include "plan/type_rule.h"

/// What a kernel is: constant data, a KernelDef. Those of an operator are tried in order and the first that fits runs.
namespace coracle::internal {

/// Why a kernel does not take a node, as a literal ("only stride 1"); null if it does.
using RejectionReason = const char*;

struct KernelDef;

/// A level of what a device can do, a number whose meaning is the device's: of an enumeration like the CPU's
/// instruction sets. Plans compare such numbers and know no more of them.
class CapabilityLevel {
 public:
  constexpr CapabilityLevel() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): kernels are defined with the enumerators
  template <class E>
  requires std::is_enum_v<E>
  constexpr CapabilityLevel(E value) : value_(static_cast<uint8_t>(value)) { static_assert(sizeof(E) == 1); }
  constexpr explicit CapabilityLevel(uint8_t value) : value_(value) {}

  template <class E>
  constexpr E as() const {
    return static_cast<E>(value_);
  }
  constexpr uint8_t value() const { return value_; }
  constexpr auto operator<=>(const CapabilityLevel&) const = default;  // NOLINT(modernize-use-nullptr): none is here

 private:
  uint8_t value_ = 0;
};

/// The facts of a node's operands and results, as kernels see them: shapes known, layouts decided.
class ArgFacts : public NodeFacts {
 public:
  using NodeFacts::NodeFacts;

  /// The kernel that is asked: its capability and mode are what `fits` and `prepare` of several kernels differ in.
  const KernelDef& kernel() const { return *kernel_; }
  void set_kernel(const KernelDef& kernel) { kernel_ = &kernel; }

  /// How an operand or result lies in the larger tensor that `run` gets in its place; null where it has its own. Others
  /// are never seen by kernels that are not `strided`.
  const StridedView* view_in(int port, int i = 0) const { return view(in_views_, index(port, i)); }
  const StridedView* view_out() const { return view(out_views_, 0); }
  /// The same by position in the flat list of operands.
  const StridedView* view_flat(size_t i) const { return view(in_views_, static_cast<int>(i)); }
  /// One for each operand (flat) and result, null for most.
  void set_views(std::span<const StridedView* const> in, std::span<const StridedView* const> out) {
    in_views_ = in;
    out_views_ = out;
  }

 private:
  static const StridedView* view(std::span<const StridedView* const> views, int i) {
    return views.empty() ? nullptr : views[static_cast<size_t>(i)];
  }

  const KernelDef* kernel_ = nullptr;
  std::span<const StridedView* const> in_views_;
  std::span<const StridedView* const> out_views_;
};

/// The elements of an operand that is known while planning, else null.
inline const Tensor* known_value(const ArgFacts& args, int port, int i = 0) {
  return args.has(port) ? args.in(port, i).value.get() : nullptr;
}

/// Which rows of the images of operand 0 a row y of result 0 is made of: `extent` rows from y * stride - before on, as
/// far as there are such rows.
struct RowWindow {
  int64_t stride = 0;
  int64_t before = 0;
  int64_t extent = 0;
};

/// What `prepare` makes for one node and one set of shapes.
struct Prepared {
  std::shared_ptr<const void> weights;  ///< packed weights (see PrepareContext)
  std::shared_ptr<const void> state;    ///< whatever `run` wants to find ready
  size_t workspace = 0;                 ///< bytes of scratch `run` needs at its place, 64-byte aligned, undefined
  size_t state_bytes = 0;               ///< size of `state`, for the bound on cached steps
  int in_place = -1;                    ///< operand (flat) on which result 0 may be written, if nothing else needs it
  std::optional<RowWindow> rows;        ///< if KernelDef::run_rows takes this call
};

/// Services for `prepare`.
struct PrepareContext {
  ThreadPool* pool = nullptr;                 ///< the threads that `run` will have
  const RunContext* run = &kNoRun;            ///< what the steps are for: tables are charged to it
  OpenDevice* device = nullptr;               ///< where `run` will put its work, null on the host
  Precision precision = Precision::kDefault;  ///< of products that a library of the device computes
  /// See `pack`; operands by their position in the flat list.
  std::function<std::shared_ptr<const void>(const Packing& packing, std::span<const int> operands)> packed;

  /// The constant operands in a form that suits the kernel: made once per model where they are constants of the graph,
  /// for these shapes alone where planning has computed them.
  template <PackForm F>
  std::shared_ptr<const void> pack(const F& form, std::span<const int> operands) const {
    return packed(Packing::of(form), operands);
  }
  template <PackForm F>
  std::shared_ptr<const void> pack(const F& form, int operand) const {
    return pack(form, std::span<const int>(&operand, 1));
  }
};

/// One operand or result of a call.
struct TensorView {
  void* data = nullptr;  ///< on the host its elements, on a device the allocation that they lie in
  const Fact* fact = nullptr;
  size_t offset = 0;  ///< bytes from the begin of that allocation; 0 on the host
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

struct KernelCall;

/// Gives memory to results whose size depends on the data, once a kernel knows it.
class ResultMaker {
 public:
  /// The elements of result `i` (flat) of `shape`, to be asked for once. Null where there is no memory for it: the call
  /// has failed then, and `run` returns.
  virtual void* make(KernelCall& call, size_t i, const Shape& shape) noexcept = 0;

 protected:
  ~ResultMaker() = default;
};

/// What `run` gets. It allocates nothing, checks nothing that was known while planning, and cannot throw.
struct KernelCall {
  const OpSchema* schema = nullptr;
  const KernelDef* kernel = nullptr;  ///< the one that runs
  const void* op = nullptr;           ///< the operator's attributes
  std::span<const TensorView> in;     ///< flat, ordered by port (ArgFacts::index)
  std::span<const TensorView> out;
  std::span<const int> in_counts;
  std::span<const int> out_counts;
  const void* weights = nullptr;  ///< Prepared::weights
  const void* state = nullptr;    ///< Prepared::state
  void* workspace = nullptr;      ///< on the host its bytes; of a device's kernel where it lies there, a DeviceBytes
  ThreadPool* pool = nullptr;
  const RunContext* context = &kNoRun;    ///< of the run
  Queue* queue = nullptr;                 ///< where a device's kernel puts its work; null on the host
  ResultMaker* results = nullptr;         ///< for `sized` kernels: results without data come from here
  const char* failure = nullptr;          ///< set by `run` when the data is wrong ("index out of range")
  std::string* failure_detail = nullptr;  ///< longer text for `failure`, where there is memory for it

  /// Fails with what `detail` returns, or with `reason` alone where that does not succeed.
  template <class F>
  void fail(const char* reason, const F& detail) noexcept {
    failure = reason;
    if (failure_detail == nullptr) return;
    try {
      *failure_detail = detail();
    } catch (...) {
      failure_detail->clear();
    }
  }

  /// Whether the run has to end: then `run` gives up, and leaves its results unfinished.
  bool over() const noexcept { return context->over(); }
  const Deadline* deadline() const noexcept { return context->deadline(); }  ///< null: none

  template <class Op>
  const Op& attributes() const {
    return *static_cast<const Op*>(op);
  }
};

/// Of a kernel so slow that operands are rather converted for another.
inline constexpr int8_t kLastResort = -128;

/// What a kernel is estimated to take for one item of a batch, and the best one without its mode, in processor cycles.
struct CostEstimate {
  double own = 0;
  double others = 0;

  /// A kernel has to be faster by a tenth: estimates are rough.
  bool pays() const { return own * 1.1 <= others; }
};

struct KernelDef {
  const char* name;  ///< "conv2d.indirect.avx512"
  const OpSchema* op;
  CapabilityLevel capability =
      {};  ///< what it needs of the device, greater for what is more special: an instruction set
  LayoutRule layout = LayoutRule::kRowMajor;
  CapabilityLevel mode = {};  ///< how it computes, where there are several ways for the same types; 0: as the types say
  TypeRule types = kFloat32Rule;
  int8_t rank = 0;        ///< greater first among kernels of one capability and mode; kLastResort: where no other fits
  bool view = false;      ///< result 0 is operand 0 seen with another type: nothing runs
  bool strided = false;   ///< `fits` and `prepare` also take operands and results that lie in larger tensors
  bool sized = false;     ///< for nodes with results whose size depends on the data: `run` asks for those
  bool doubles = false;   ///< computes in float64, which a device may not have (DeviceInfo::doubles)
  double multiplies = 1;  ///< its share of the multiplications that the operator's formula has
  RejectionReason (*fits)(const void* op, const ArgFacts& args) = nullptr;  ///< null: always fits
  /// Of a kernel that fits, where it may be slower than others that do. Null, or nothing: it is chosen wherever it
  /// fits. How an item of a batch is computed must not depend on how many there are, nor on the number of threads.
  std::optional<CostEstimate> (*estimate)(const void* op, const ArgFacts& args) = nullptr;
  Prepared (*prepare)(const void* op, const ArgFacts& args, PrepareContext& context) = nullptr;  ///< null: nothing
  /// Of a device, for nodes with results whose number of rows (dimension 0) depends on the data: shapes that each
  /// result has at most, one for each (flat). `run` gets memory for those, writes the first rows, and their number as
  /// int64 where one more result stands behind those of the operator.
  std::vector<Shape> (*bounds)(const void* op, const ArgFacts& args) = nullptr;
  void (*run)(KernelCall& call) noexcept = nullptr;
  /// The same for rows [begin, end) of result 0, counted through all images, on this thread alone: same bits, whatever
  /// rows are asked for together. Of operand 0, only the rows that Prepared::rows names are read.
  void (*run_rows)(const KernelCall& call, int64_t begin, int64_t end) noexcept = nullptr;

  /// What `fits` says of a node.
  RejectionReason rejection(const void* attributes, ArgFacts args) const {
    args.set_kernel(*this);
    return fits == nullptr ? nullptr : fits(attributes, args);
  }
  /// What `estimate` says of a node that it fits.
  std::optional<CostEstimate> cost(const void* attributes, ArgFacts args) const {
    args.set_kernel(*this);
    return estimate == nullptr ? std::nullopt : estimate(attributes, args);
  }
  /// What `prepare` makes for it.
  Prepared prepared(const void* attributes, ArgFacts args, PrepareContext& context) const {
    args.set_kernel(*this);
    return prepare == nullptr ? Prepared{} : prepare(attributes, args, context);
  }
};

/// The kernels of one file, in order of preference.
struct KernelTable {
  std::span<const KernelDef> kernels;
#ifdef CORACLE_LIGHT
  void (*write)() noexcept;  ///< puts them there, before anybody looks (see WrittenTable)
#endif
};

}  // namespace coracle::internal
