// SPDX-License-Identifier: Apache-2.0
#include "base/tensor.h"

#include <algorithm>
#include <new>

#include "base/convert.h"
#include "base/counted.h"
#include "base/long_loop.h"
#include "base/system/memory.h"

namespace coracle::internal {
namespace {

constexpr size_t kTensorAlignment = 64;
constexpr size_t kLargeTensorPage = size_t{2} << 20U;
// A tensor of so many bytes has some large pages inside it wherever it begins.
constexpr size_t kLargeTensor = 2 * kLargeTensorPage;

/// The system makes a large page in much less time than the small ones that it stands for.
void prefer_large_pages_inside(void* memory, size_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t skipped = (kLargeTensorPage - begin % kLargeTensorPage) % kLargeTensorPage;
  prefer_large_pages(static_cast<std::byte*>(memory) + skipped,
                     (bytes - skipped) / kLargeTensorPage * kLargeTensorPage);
}

/// Frees memory of Tensor::make, and knows how much it is.
struct FreeMemory {
  MemoryCharge charge;
  void operator()(const void* p) const { ::operator delete (const_cast<void*>(p), std::align_val_t{kTensorAlignment}); }
};

}  // namespace

namespace {

/// Operators read arguments by their position, and a file may give a tensor without elements.
void check_index(const Tensor& t, int64_t i) {
  require(t.raw() != nullptr && i >= 0 && i < t.count(), ErrorCode::kInvalidModel, "a tensor ", t.shape(),
          " is given where element ", i, " is needed");
}

}  // namespace

Tensor Tensor::make(const RunContext& context, DType dtype, const Shape& shape) {
  const auto bytes = static_cast<size_t>(checked_multiply(shape.count(), static_cast<int64_t>(size_of(dtype))));
  MemoryCharge charge(context.ledger(), bytes, [&] { return text("a tensor ", dtype, shape); });
  void* memory = ::operator new (std::max<size_t>(bytes, 1), std::align_val_t{kTensorAlignment}, std::nothrow);
  require(memory != nullptr, ErrorCode::kOutOfMemory, "no memory for a tensor ", dtype, " ", shape, " of ",
          counted(bytes, "byte"));
  if (bytes >= kLargeTensor) prefer_large_pages_inside(memory, bytes);
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.data_ = memory;
  t.owner_ = std::shared_ptr<const void>(memory, FreeMemory{std::move(charge)});
  return t;
}

Tensor Tensor::share(DType dtype, const Shape& shape, std::shared_ptr<const void> owner, const void* data) {
  Tensor t = borrow(dtype, shape, data);
  t.owner_ = std::move(owner);
  return t;
}

Tensor Tensor::borrow(DType dtype, const Shape& shape, const void* data) {
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.data_ = const_cast<void*>(data);
  return t;
}

Tensor Tensor::on_device(DType dtype, const Shape& shape, std::shared_ptr<const DeviceStorage> storage) {
  Tensor t = borrow(dtype, shape, nullptr);
  t.storage_ = std::move(storage);
  return t;
}

Tensor Tensor::array(DType dtype) {
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = {0};  // who takes it for a tensor finds no elements: it has no data
  t.elements_ = std::make_shared<std::vector<Tensor>>();
  return t;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  require(shape.count() == count(), "cannot see ", shape_, " as ", shape);
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::clone(const RunContext& context) const {
  if (is_array()) {
    Tensor t = *this;
    t.elements_ = std::make_shared<std::vector<Tensor>>(*elements_);
    return t;
  }
  Tensor t = make(context, dtype_, shape_);
  if (storage_ != nullptr) {
    storage_->read(t.data_, bytes());
  } else {
    copy_in_blocks(context, t.data_, data_, bytes());
  }
  t.lod_ = lod_;
  return t;
}

Tensor Tensor::own_array() const { return elements_.use_count() == 1 ? *this : clone(); }

bool Tensor::reusable_for(DType dtype, const Shape& shape) const {
  if (owner_ == nullptr || owner_.use_count() != 1 || is_array()) return false;
  const auto* memory = std::get_deleter<FreeMemory>(owner_);
  return memory != nullptr && data_ == owner_.get() &&
         static_cast<size_t>(shape.count()) * size_of(dtype) <= memory->charge.bytes();
}

void Tensor::retype(DType dtype, const Shape& shape) {
  dtype_ = dtype;
  shape_ = shape;
  lod_ = nullptr;
}

double Tensor::number(int64_t i) const {
  check_index(*this, i);
  return visit_real(dtype_, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    return static_cast<double>(data<T>()[i]);
  });
}

int64_t Tensor::integer(int64_t i) const {
  check_index(*this, i);
  if (dtype_ == DType::kInt64) return data<int64_t>()[i];
  if (dtype_ == DType::kInt32) return data<int32_t>()[i];
  return convert<int64_t>(number(i));
}

std::vector<int64_t> Tensor::integers(const RunContext& context) const {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(count()));
  in_blocks(context, static_cast<size_t>(count()), [&](size_t begin, size_t end) {
    out.resize(end);
    for (size_t i = begin; i < end; ++i) out[i] = integer(static_cast<int64_t>(i));
  });
  return out;
}

std::vector<double> Tensor::doubles(const RunContext& context) const {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(count()));
  in_blocks(context, static_cast<size_t>(count()), [&](size_t begin, size_t end) {
    out.resize(end);
    visit_real(dtype_, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (size_t i = begin; i < end; ++i) out[i] = static_cast<double>(data<T>()[i]);
    });
  });
  return out;
}

void Tensor::assign(const RunContext& context, std::span<const double> values) {
  in_blocks(context, values.size(), [&](size_t begin, size_t end) {
    visit_real(dtype_, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (size_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          data<T>()[i] = static_cast<T>(convert<int64_t>(values[i]));
        } else {
          data<T>()[i] = convert<T>(values[i]);
        }
      }
    });
  });
}

void Tensor::assign(const RunContext& context, std::span<const int64_t> values) {
  in_blocks(context, values.size(), [&](size_t begin, size_t end) {
    visit_real(dtype_, [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (size_t i = begin; i < end; ++i) data<T>()[i] = static_cast<T>(values[i]);
    });
  });
}

const Lod& Tensor::lod() const {
  static const Lod kNone;
  return lod_ ? *lod_ : kNone;
}

void Tensor::set_lod(Lod lod) { lod_ = lod.empty() ? nullptr : std::make_shared<const Lod>(std::move(lod)); }

}  // namespace coracle::internal
