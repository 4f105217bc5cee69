// SPDX-License-Identifier: Apache-2.0
#include "base/buffer.h"

#include <limits>
#include <new>
#include <string>

#include "base/counted.h"
#include "base/error.h"
#include "base/long_loop.h"

namespace coracle::internal {
namespace {

/// Writes to each page of large memory: the system makes a page when it is first written to, which takes longer than
/// filling it, and who fills a container does not look at the time. False if the deadline has passed meanwhile.
bool make_pages(char* data, size_t bytes, const Deadline* deadline) {
  constexpr size_t kPage = 4096;
  constexpr size_t kShort = size_t{8} << 20;
  constexpr size_t kBlock = size_t{1} << 20;
  if (bytes < kShort || deadline == nullptr) return true;
  for (size_t i = 0; i < bytes; i += kPage) {
    if (i % kBlock == 0 && deadline->passed()) return false;
    *static_cast<volatile char*>(data + i) = 0;
  }
  return true;
}

}  // namespace

void* allocate_charged(MemoryLedger* ledger, const Deadline* deadline, size_t count, size_t element_bytes) {
  const bool fits = count <= static_cast<size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element_bytes;
  const size_t bytes = fits ? count * element_bytes : std::numeric_limits<size_t>::max();
  const auto what = [] { return std::string("scratch of an operator"); };
  if (deadline != nullptr) deadline->check();
  if (ledger != nullptr) ledger->charge(bytes, what);
  void* data = fits ? ::operator new(bytes, std::nothrow) : nullptr;
  if (data == nullptr) {
    if (ledger != nullptr) ledger->give_back(bytes);
    fail(ErrorCode::kOutOfMemory, "not enough memory: ", counted(bytes, "byte"), " for ", what(),
         " cannot be allocated; use smaller inputs");
  }
  MemoryLedger::count_in_process(bytes);
  if (!make_pages(static_cast<char*>(data), bytes, deadline)) {
    free_charged(ledger, data, bytes);
    deadline->check();
  }
  return data;
}

void free_charged(MemoryLedger* ledger, void* data, size_t bytes) noexcept {
  ::operator delete(data);
  if (ledger != nullptr) ledger->give_back(bytes);
  MemoryLedger::uncount_in_process(bytes);
}

Buffer<double> doubles_of(const RunContext& context, const Tensor& tensor) {
  Buffer<double> out(static_cast<size_t>(tensor.count()), context);
  in_blocks(context, out.size(), [&](size_t begin, size_t end) {
    visit_real(tensor.dtype(), [&](auto* p) {
      using T = std::remove_pointer_t<decltype(p)>;
      for (size_t i = begin; i < end; ++i) out[i] = static_cast<double>(tensor.data<T>()[i]);
    });
  });
  return out;
}

Buffer<int64_t> integers_of(const RunContext& context, const Tensor& tensor) {
  Buffer<int64_t> out(static_cast<size_t>(tensor.count()), context);
  in_blocks(context, out.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) out[i] = tensor.integer(static_cast<int64_t>(i));
  });
  return out;
}

}  // namespace coracle::internal
