// SPDX-License-Identifier: Apache-2.0
#include "support/check_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "base/workers.h"
#include "devices/cpu/kernel_isa.h"
#include "devices/cpu/processor.h"
#include "ops/common/binary.h"
#include "plan/device.h"
#include "plan/kernel_selector.h"
#include "plan/packed_weights.h"
#include "support/device_kernel_runner.h"

namespace coracle::internal::test {
namespace {

using Bytes = std::vector<unsigned char>;

/// The elements of a row-major value in channels-last order (`to_last`), or back.
Bytes reordered(const void* from, const Shape& s, size_t element, bool to_last) {
  Bytes to(static_cast<size_t>(s.count()) * element);
  if (to.empty()) return to;
  const int64_t pixels = s.count(2, s.rank());
  for (int64_t n = 0; n < s[0]; ++n) {
    for (int64_t c = 0; c < s[1]; ++c) {
      for (int64_t p = 0; p < pixels; ++p) {
        const auto first = static_cast<size_t>((n * s[1] + c) * pixels + p) * element;
        const auto last = static_cast<size_t>((n * pixels + p) * s[1] + c) * element;
        std::memcpy(&to[to_last ? last : first], static_cast<const unsigned char*>(from) + (to_last ? first : last),
                    element);
      }
    }
  }
  return to;
}

Bytes in_layout(const Tensor& t, Layout layout) {
  if (layout == Layout::kChannelsLast) return reordered(t.raw(), t.shape(), size_of(t.dtype()), true);
  const auto* raw = static_cast<const unsigned char*>(t.raw());
  return t.bytes() == 0 ? Bytes{} : Bytes(raw, raw + t.bytes());
}

/// One store for all cases of the process: cases with the same weights and other shapes get each other's packed weights
/// where their forms are equal, and each is made again and compared.
std::shared_ptr<const void> packed_in_one_store(const Packing& packing, std::span<const int> operands,
                                                const ArgFacts& args, ThreadPool& pool) {
  static PackedWeights store;
  store.check_every_use(true);
  static std::map<std::string, int32_t> numbers;  // by content
  std::vector<const Tensor*> constants;
  std::vector<int32_t> values;
  for (int i : operands) {
    constants.push_back(args.all_in()[static_cast<size_t>(i)]->value.get());
    const Tensor& t = *constants.back();
    std::string content = text(t.shape());
    content.append(static_cast<const char*>(t.raw()), t.bytes());
    values.push_back(numbers.try_emplace(std::move(content), static_cast<int32_t>(numbers.size())).first->second);
  }
  return store.get(0, values, packing, constants, pool, RunContext());
}

struct Selectors {
  KernelSelector strict{{.precision = Precision::kStrict}};
  std::vector<KernelSelector> tiles;

  Selectors() {
    tiles.emplace_back(KernelChoice{.precision = Precision::kDefault, .emulates_modes = true});
#ifndef CORACLE_SANITIZED  // which makes emulation slow; the schemes differ in numbers only
    tiles.emplace_back(KernelChoice{.precision = Precision::kHigh, .emulates_modes = true});
    tiles.emplace_back(KernelChoice{.precision = Precision::kBf16, .emulates_modes = true});
#endif
  }
};

/// Whether code for an instruction set adds four products of bytes by one instruction.
bool has_byte_dots(cpu::Isa isa) {
  if (isa == cpu::Isa::kNeon) return cpu::processor().has(cpu::Capability::kNeonDotProducts);
  if (isa == cpu::Isa::kAvx512) return cpu::processor().has(cpu::Capability::kAvx512Vnni);
  return isa == cpu::Isa::kAvx2 && cpu::processor().has(cpu::Capability::kAvxVnni);
}

/// Those of the processor that kernels are chosen for.
const Selectors& selectors_here() {
  static std::map<std::string_view, Selectors> of;
  return of[cpu::processor().name];
}

class Checker {
 public:
  /// spared: not compared on kernels that spread what is no finite number to other elements of their tiles.
  explicit Checker(const KernelCase& c, bool spared = false) : c_(c), counts_(c.in_counts), spared_(spared) {
    if (counts_.empty()) counts_.assign(c.in.size(), 1);
    const std::span<const Port> ports = c.op.schema().inputs;
    for (size_t p = 0; p < counts_.size(); ++p) {
      for (int i = 0; i < counts_[p]; ++i) port_of_.push_back(&ports[p]);
    }
    for (size_t i = 0; i < c.in.size(); ++i) {
      const bool argument = port_of_[i]->shape_input || !port_of_[i]->attribute.empty();
      argument_.push_back(argument);
      const bool constant = argument || (port_of_[i]->weight && !c.computed_weights);
      in_facts_.push_back(constant ? Fact::constant(c.in[i]) : Fact(c.in[i].dtype(), c.in[i].shape()));
      if (!c.in[i].lod().empty()) in_facts_.back().lod = std::make_shared<const Lod>(c.in[i].lod());
    }
  }

  int check() {
    infer();
    run_reference();
    const Selectors& selectors = selectors_here();
    const int taken = check_rows(selectors.strict, false);
    require_rows(selectors.strict);
    for (const KernelSelector& selector : selectors.tiles) {
      const int on_tiles = check_rows(selector, true);
      EXPECT_TRUE(on_tiles > 0 || !c_.tiles) << "no kernel on matrix tiles takes the case";
    }
    return taken;
  }

  /// On the kernels of the device under test alone; how many took the case.
  int check_on_device(DeviceKernelRunner& device) {
    infer();
    run_reference();
    device_ = &device;
    int taken = 0;
    for (const KernelDef* kernel : device.kernels(c_.op.schema())) {
      if (kernel->view) continue;
      taken += check_kernel(*kernel, Layout::kRowMajor);
      if ((kernel->layout == LayoutRule::kSame || kernel->layout == LayoutRule::kRelayout) && has_image()) {
        taken += check_kernel(*kernel, Layout::kChannelsLast);
      }
    }
    return taken;
  }

  /// Names of the kernels that took it, without those on tiles.
  std::set<std::string> taken() const {
    std::set<std::string> families;
    for (const KernelDef* kernel : took_) {
      if (cpu::kernel_mode(*kernel) == cpu::ComputeMode::kFloat32) families.emplace(family_of(*kernel));
    }
    return families;
  }

 private:
  /// A kernel's name without its instruction set.
  static std::string_view family_of(const KernelDef& kernel) {
    const std::string_view name = kernel.name;
    return name.substr(0, name.rfind('.'));
  }

  /// Results of the size that a kernel asks for, which must be the reference's.
  class Results final : public ResultMaker {
   public:
    Results(const Checker& checker, std::vector<Bytes>& bytes) : checker_(checker), bytes_(bytes) {}
    void* make(KernelCall&, size_t i, const Shape& shape) noexcept override {
      EXPECT_EQ(shape, checker_.expected_[i].shape()) << "result " << i;
      bytes_[i].assign(Fact(checker_.out_facts_[i].dtype, shape).bytes(), 0xCD);
      return bytes_[i].data();
    }

   private:
    const Checker& checker_;
    std::vector<Bytes>& bytes_;
  };

  /// The kernels on tiles, or the others; how many took the case.
  int check_rows(const KernelSelector& selector, bool on_tiles) {
    int taken = 0;
    for (const KernelDef* kernel : selector.kernels(c_.op.schema())) {
      if (std::string_view(kernel->name) == "reference" || kernel->view) continue;
      if ((cpu::kernel_mode(*kernel) != cpu::ComputeMode::kFloat32) != on_tiles) continue;
      taken += check_kernel(*kernel, Layout::kRowMajor);
      if ((kernel->layout == LayoutRule::kSame || kernel->layout == LayoutRule::kRelayout) && has_image()) {
        taken += check_kernel(*kernel, Layout::kChannelsLast);
      }
    }
    return taken;
  }

  /// The families that the case names, and some kernel of each instruction set if one of any, must have taken it.
  void require_rows(const KernelSelector& selector) const {
    std::map<cpu::Isa, bool> any_of;
    std::set<std::string_view> known;
    for (const KernelDef* kernel : selector.kernels(c_.op.schema())) {
      const std::string_view name = kernel->name;
      if (name == "reference" || kernel->view || cpu::kernel_mode(*kernel) != cpu::ComputeMode::kFloat32) continue;
      const bool took = std::count(took_.begin(), took_.end(), kernel) > 0;
      any_of[cpu::kernel_isa(*kernel)] |= took;
      known.insert(family_of(*kernel));
      const bool named = std::count(c_.kernels.begin(), c_.kernels.end(), family_of(*kernel)) > 0;
      if (!named) continue;
      const bool expected = !c_.not_beside_byte_dots || !has_byte_dots(cpu::kernel_isa(*kernel));
      EXPECT_EQ(took, expected) << name << (took ? " takes " : " refuses ") << c_.op.name() << " on "
                                << cpu::processor().name;
    }
    for (const auto& [isa, any] : any_of) {
      EXPECT_TRUE(any || took_.empty()) << "no kernel of " << name_of(isa) << " takes what one of another set takes";
    }
    for (const std::string& family : c_.kernels) EXPECT_TRUE(known.contains(family)) << "there is no kernel " << family;
  }

  void infer() {
    size_t outs = 0;
    for (int n : c_.out_counts) outs += static_cast<size_t>(n);
    out_facts_.resize(outs);
    std::vector<const Fact*> in;
    for (const Fact& f : in_facts_) in.push_back(&f);
    InferArgs args(kNoRun, in, counts_, out_facts_, c_.out_counts);
    c_.op.schema().infer(c_.op.attributes(), args);
  }

  void run_reference() {
    for (const Fact& f : out_facts_) {
      expected_.push_back(f.known() ? Tensor::make(f.dtype, f.shape) : Tensor::borrow(f.dtype, Shape{0}, nullptr));
    }
    std::vector<Tensor> in = c_.in;
    ReferenceArgs args(kNoRun, in, counts_, expected_, c_.out_counts);
    c_.op.schema().reference(c_.op.attributes(), args);
  }

  /// An operand that may be channels-last where the kernel goes by the order of its operands.
  bool has_image() const {
    const int rank = out_facts_[0].shape.rank();
    for (size_t i = 0; i < in_facts_.size(); ++i) {
      if (rank >= 3 && !port_of_[i]->weight && in_facts_[i].shape.rank() == rank) return true;
    }
    return false;
  }

  /// 1 if the kernel took the case.
  int check_kernel(const KernelDef& kernel, Layout common) {
    const int rank = out_facts_[0].shape.rank();
    std::vector<const Fact*> in;
    std::vector<const Fact*> out;
    for (size_t i = 0; i < in_facts_.size(); ++i) {
      in_facts_[i].layout = layout_of(kernel.layout, port_of_[i]->weight, in_facts_[i].shape, rank, common);
      in.push_back(&in_facts_[i]);
    }
    for (Fact& f : out_facts_) {
      f.layout = layout_of(kernel.layout, false, f.shape, rank, common);
      out.push_back(&f);
    }
    std::vector<Fact> bounded;
    if (kernel.bounds != nullptr) bounded = largest_results(kernel, in, out);
    for (size_t i = 0; i < bounded.size(); ++i) out[i] = &bounded[i];
    if (std::any_of(bounded.begin(), bounded.end(), [](const Fact& f) { return f.shape.count() == 0; })) return 0;
    if (kernel.layout == LayoutRule::kRelayout && has_image()) {
      in_facts_[0].layout = common;
      out_facts_[0].layout = common == Layout::kRowMajor ? Layout::kChannelsLast : Layout::kRowMajor;
    }
    const ArgFacts args(in, counts_, out, c_.out_counts);
    if (!takes(kernel.types, c_.op.schema(), counts_, args)) return 0;
    if (kernel.rejection(c_.op.attributes(), args) != nullptr) return 0;
    took_.push_back(&kernel);
    if (spared_ && std::string_view(kernel.name).find("winograd") != std::string_view::npos) return 1;
    std::string text = text_of(kernel);
    SCOPED_TRACE(text);
    if (device_ != nullptr) {
      check_kernel_on_device(kernel, args);
      return 1;
    }
    const std::vector<Bytes> one = run(kernel, args, std::make_shared<Workers>(1), false);
    for (size_t i = 0; i < one.size(); ++i) compare(one[i], i, error_of(cpu::kernel_mode(kernel)));
    const auto two = std::make_shared<Workers>(2);
    EXPECT_EQ(one, run(kernel, args, two, false)) << "2 threads";
    EXPECT_EQ(one, run(kernel, args, two, true)) << "in place";
    // Cut for more than this machine may have.
    for (int threads : {3, 16}) {
      EXPECT_EQ(one, run(kernel, args, Workers::imagined(threads), false)) << threads << " threads";
    }
    return 1;
  }

  /// Results of a kernel that counts their rows, with the most there may be.
  std::vector<Fact> largest_results(const KernelDef& kernel, std::span<const Fact* const> in,
                                    std::span<const Fact* const> out) const {
    const std::vector<Shape> bounds = kernel.bounds(c_.op.attributes(), ArgFacts(in, counts_, out, c_.out_counts));
    std::vector<Fact> facts(out_facts_);
    for (size_t i = 0; i < facts.size(); ++i) {
      if (!facts[i].shape.known()) facts[i].shape = bounds.at(i);
    }
    return facts;
  }

  void check_kernel_on_device(const KernelDef& kernel, const ArgFacts& args) {
    DeviceCall call{.op = c_.op, .args = args, .in_counts = counts_, .out_counts = c_.out_counts};
    for (size_t i = 0; i < c_.in.size(); ++i) call.in.push_back(in_layout(c_.in[i], in_facts_[i].layout));
    for (const Fact& f : out_facts_) call.counted.push_back(!f.shape.known());
    const std::vector<Bytes> one = device_->run(kernel, call, false);
    if (testing::Test::HasFatalFailure() || one.empty()) return;
    for (size_t i = 0; i < one.size(); ++i) {
      compare(one[i], i, out_facts_[i].dtype == DType::kFloat16 ? kErrorOfHalf : 0);
    }
    EXPECT_EQ(one, device_->run(kernel, call, true)) << "in place";
  }

  std::string text_of(const KernelDef& kernel) const {
    std::string text = std::string(kernel.name) + " of";
    for (const Fact& f : in_facts_) append_text(text += " ", f);
    append_text(text += " to ", out_facts_[0]);
    return text;
  }

  /// In place: with result 0 on an operand, where the kernel can do that.
  std::vector<Bytes> run(const KernelDef& kernel, const ArgFacts& args, std::shared_ptr<Workers> workers,
                         bool in_place) const {
    const int threads = workers->threads();
    ThreadPool pool(std::move(workers), threads);
    pool.start();
    PrepareContext context;
    context.pool = &pool;
    context.packed = [&](const Packing& packing, std::span<const int> operands) {
      return packed_in_one_store(packing, operands, args, pool);
    };
    const Prepared prepared = kernel.prepared(c_.op.attributes(), args, context);
    std::vector<Bytes> in_bytes;
    std::vector<Bytes> out_bytes;
    std::vector<TensorView> in;
    std::vector<TensorView> out;
    for (size_t i = 0; i < c_.in.size(); ++i) in_bytes.push_back(in_layout(c_.in[i], in_facts_[i].layout));
    for (const Fact& f : out_facts_) out_bytes.emplace_back(f.known() ? f.bytes() : 0, 0xCD);
    for (size_t i = 0; i < in_bytes.size(); ++i) in.push_back({in_bytes[i].data(), &in_facts_[i]});
    for (size_t i = 0; i < out_bytes.size(); ++i) {
      out.push_back({out_facts_[i].known() ? out_bytes[i].data() : nullptr, &out_facts_[i]});
    }
    in_place = in_place && prepared.in_place >= 0;
    const auto over = static_cast<size_t>(in_place ? prepared.in_place : 0);
    in_place = in_place && in_bytes[over].size() == out_bytes[0].size();
    if (in_place) out[0].data = in[over].data;
    std::vector<std::max_align_t> workspace(prepared.workspace / sizeof(std::max_align_t) + 1);
    std::string detail;
    Results results(*this, out_bytes);
    KernelCall call{.schema = &c_.op.schema(),
                    .kernel = &kernel,
                    .op = c_.op.attributes(),
                    .in = in,
                    .out = out,
                    .in_counts = counts_,
                    .out_counts = c_.out_counts,
                    .weights = prepared.weights.get(),
                    .state = prepared.state.get(),
                    .workspace = workspace.data(),
                    .pool = &pool,
                    .results = kernel.sized ? &results : nullptr,
                    .failure_detail = &detail};
    kernel.run(call);
    EXPECT_EQ(call.failure, nullptr) << (call.failure == nullptr ? "" : call.failure);
    if (in_place) out_bytes[0] = in_bytes[over];
    return out_bytes;
  }

  /// Of numbers that are rounded to float16, of which a step is 2^-11, here and in the reference.
  static constexpr double kErrorOfHalf = 2e-3;

  /// Of products, relative to the largest result.
  static double error_of(cpu::ComputeMode mode) {
    switch (mode) {
      case cpu::ComputeMode::kBf16x3: return 2e-5;
      case cpu::ComputeMode::kBf16: return 2e-2;
      default: return 0;
    }
  }

  void compare(Bytes got, size_t i, double product_error) const {
    const Tensor& want = expected_[i];
    const Fact& fact = out_facts_[i];
    if (fact.layout == Layout::kChannelsLast) got = reordered(got.data(), fact.shape, size_of(fact.dtype), false);
    ASSERT_EQ(got.size(), want.bytes());
    if (fact.dtype == DType::kFloat32) return compare_floats(want.data<float>(), got, i, product_error);
    if (fact.dtype == DType::kFloat16) {
      const Tensor half = Tensor::borrow(DType::kFloat16, want.shape(), got.data());
      const Tensor wide = converted(kNoRun, half, DType::kFloat32);
      const auto* raw = static_cast<const unsigned char*>(wide.raw());
      return compare_floats(converted(kNoRun, want, DType::kFloat32).data<float>(),
                            wide.bytes() == 0 ? Bytes{} : Bytes(raw, raw + wide.bytes()), i, product_error);
    }
    if (fact.dtype == DType::kFloat64) return compare_floats(want.data<double>(), got, i, product_error);
    EXPECT_EQ(got.empty() ? 0 : std::memcmp(got.data(), want.raw(), got.size()), 0) << "result " << i;
  }

  template <class T>
  void compare_floats(const T* want, const Bytes& got, size_t i, double product_error) const {
    const auto count = static_cast<int64_t>(got.size() / sizeof(T));
    double largest = 0;
    for (int64_t k = 0; k < count; ++k) {
      const double magnitude = std::fabs(static_cast<double>(want[k]));
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    for (int64_t k = 0; k < count; ++k) {
      T value;
      std::memcpy(&value, got.data() + static_cast<size_t>(k) * sizeof(T), sizeof(T));
      const T expected = want[k];
      if (value == expected || (std::isnan(value) && std::isnan(expected))) continue;
      ASSERT_TRUE(std::isfinite(expected))
          << "element " << k << " of result " << i << " is " << value << ", expected " << expected;
      const double allowed =
          c_.absolute + c_.relative * std::fabs(static_cast<double>(expected)) + product_error * largest;
      ASSERT_LE(std::fabs(static_cast<double>(value) - static_cast<double>(expected)), allowed)
          << "element " << k << " of result " << i << " is " << value << ", expected " << expected;
    }
  }

  const KernelCase& c_;
  PortCounts counts_;
  bool spared_;
  std::vector<const Port*> port_of_;
  std::vector<bool> argument_;
  std::vector<Fact> in_facts_;
  std::vector<Fact> out_facts_;
  std::vector<Tensor> expected_;
  std::vector<const KernelDef*> took_;
  DeviceKernelRunner* device_ = nullptr;
};

/// The case with float16 in the place of float32; nothing where that does not change it, or a number is out of range.
std::optional<KernelCase> with_halves(const KernelCase& c) {
  KernelCase half = c;
  half.relative = std::max(c.relative, 2e-3);
  half.absolute = std::max(c.absolute, 1e-4);
  bool any = false;
  size_t i = 0;
  const std::span<const Port> ports = c.op.schema().inputs;
  for (size_t p = 0; p < ports.size() && i < c.in.size(); ++p) {
    const int count = c.in_counts.empty() ? 1 : (p < c.in_counts.size() ? c.in_counts[p] : 0);
    for (int k = 0; k < count && i < c.in.size(); ++k, ++i) {
      if (ports[p].shape_input || !ports[p].attribute.empty() || c.in[i].dtype() != DType::kFloat32) continue;
      for (int64_t e = 0; e < c.in[i].count(); ++e) {
        const double magnitude = std::fabs(c.in[i].number(e));
        if (std::isfinite(magnitude) && magnitude > 100) return std::nullopt;
      }
      half.in[i] = converted(kNoRun, c.in[i], DType::kFloat16);
      any = true;
    }
  }
  return any ? std::optional(std::move(half)) : std::nullopt;
}

/// The case with `special` here and there in its first operand of float32 that is neither a weight nor an argument;
/// nothing where there is none.
std::optional<KernelCase> with_special(const KernelCase& c, float special) {
  KernelCase planted = c;
  size_t i = 0;
  const std::span<const Port> ports = c.op.schema().inputs;
  for (size_t p = 0; p < ports.size() && i < c.in.size(); ++p) {
    const int count = c.in_counts.empty() ? 1 : (p < c.in_counts.size() ? c.in_counts[p] : 0);
    for (int k = 0; k < count && i < c.in.size(); ++k, ++i) {
      const bool data = !ports[p].weight && !ports[p].shape_input && ports[p].attribute.empty();
      if (!data || c.in[i].dtype() != DType::kFloat32 || c.in[i].count() == 0) continue;
      Tensor x = Tensor::make(DType::kFloat32, c.in[i].shape());
      std::copy_n(c.in[i].data<float>(), x.count(), x.data<float>());
      for (int64_t e = x.count() / 2 % 29; e < x.count(); e += 29) x.data<float>()[e] = special;
      x.set_lod(c.in[i].lod());
      planted.in[i] = std::move(x);
      return planted;
    }
  }
  return std::nullopt;
}

}  // namespace

int check_on_every_kernel(const KernelCase& c) {
  if (const char* special = std::getenv("CORACLE_TEST_SPECIAL")) {
    const std::optional<KernelCase> planted = with_special(c, std::strtof(special, nullptr));
    if (planted) return Checker(*planted, true).check();
  }
  if (DeviceKernelRunner* device = DeviceKernelRunner::under_test()) {
    const int taken = Checker(c).check_on_device(*device);
    if (taken > 0 && !c.op.schema().quantizes) {
      if (const std::optional<KernelCase> half = with_halves(c)) {
        SCOPED_TRACE("in float16");
        Checker(*half).check_on_device(*device);
      }
    }
    device->count(taken);
    return 1;  // cases say how many kernels of the CPU take them at least
  }
  return Checker(c).check();
}

std::set<std::string> kernels_that_take(const KernelCase& c) {
  if (DeviceKernelRunner::under_test() != nullptr) check_on_every_kernel(c);
  Checker checker(c);
  checker.check();
  return checker.taken();
}

}  // namespace coracle::internal::test
