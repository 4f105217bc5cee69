// SPDX-License-Identifier: Apache-2.0
// What users have on a device themselves: streams, and memory.
#include "devices/cuda/user_stream.h"

#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "devices/cuda/opened.h"
#include "devices/cuda/product_function.h"

namespace coracle::internal::cuda {
namespace {

/// "0x7f0000001000"
std::string hexadecimal(const void* address) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (auto rest = reinterpret_cast<uintptr_t>(address); rest != 0 || digits.empty(); rest /= 16) {
    digits.insert(digits.begin(), kDigits[rest % 16]);
  }
  return "0x" + digits;
}

/// By the driver's numbers, in the order of the probe, which is the same for as long as the process lives.
const std::vector<int>& numbers() {
  static const std::vector<int>& all = *new std::vector<int>([] {
    Probe none;
    std::vector<int> found;
    for (const FoundDevice& device : find_devices(none)) found.push_back(device.device);
    return found;
  }());
  return all;
}

}  // namespace

int index_of(int number) {
  const std::vector<int>& all = numbers();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == number) return static_cast<int>(i);
  }
  return -1;
}

std::string Opened::name() const { return text("cuda:", index_of(found_.device)); }

size_t Opened::kernel_alignment() const { return static_cast<size_t>(ProductFunction::kAlignment); }

/// The driver knows nothing of memory that was not allocated by it.
void Opened::check_memory(const void* address, size_t bytes) const {
  require_there();
  const ContextScope scope = enter();
  int attributes[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                      CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                      CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  int type = 0;
  unsigned is_managed = 0;  // of which drivers may write one byte
  int device = -1;
  CUdeviceptr begin = 0;
  size_t size = 0;
  void* values[] = {&type, &is_managed, &device, &begin, &size};
  const auto there = reinterpret_cast<CUdeviceptr>(address);
  const CUresult code = api_.cuPointerGetAttributes(std::size(attributes), attributes, values, there);
  const auto pointer = [&] { return text("the pointer ", hexadecimal(address)); };
  const bool is_known = code == CUDA_SUCCESS && type != 0;
  require(is_known || code == CUDA_SUCCESS || code == CUDA_ERROR_INVALID_VALUE, ErrorCode::kRunFailure, "what ",
          pointer(), " is of was not found out: cuPointerGetAttributes returned ", code_text(code));
  require(is_known && (type != CU_MEMORYTYPE_HOST || is_managed != 0), ErrorCode::kInvalidArgument, pointer(),
          " is of the host, expected memory of the device ", name(), " (", info().name,
          "): give memory that cuMemAlloc or a library on that device has allocated, or set the input from the host");
  require(is_managed != 0 || device == found_.device, ErrorCode::kInvalidArgument, pointer(),
          " is memory of CUDA's device ", device, ", expected ", name(), ", CUDA's device ", found_.device, " (",
          info().name, "): copy the tensor there, or load the model on its device");
  const auto offset = static_cast<size_t>(there - begin);
  require(size == 0 || (offset <= size && bytes <= size - offset), ErrorCode::kInvalidArgument, pointer(),
          " has room for ", counted(size - offset, "byte"), " behind it, the tensor needs ", bytes);
}

void Opened::check_stream(void* stream) const {
  require_there();
  const ContextScope scope = enter();
  auto* const handle = static_cast<CUstream>(stream);
  int status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult code = api_.cuStreamIsCapturing(handle, &status);
  const bool is_captured = code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  if (is_captured || code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT) {
    fail(ErrorCode::kInvalidArgument, "the stream ", hexadecimal(stream),
         is_captured ? " is being captured" : " may not be used while another one is being captured",
         ": a run waits for what it computes, which a capture does not allow; end the capture before the run");
  }
  CUcontext context = nullptr;
  if (code == CUDA_SUCCESS) code = api_.cuStreamGetCtx(handle, &context);
  if (code != CUDA_SUCCESS) {
    fail(ErrorCode::kInvalidArgument, hexadecimal(stream), " is not a stream of the device ", name(), " (", info().name,
         "): the driver returned ", code_text(code));
  }
  if (context == context_) return;
  CUdevice device = -1;
  {
    const ContextScope other(api_, context);
    if (api_.cuCtxGetDevice(&device) != CUDA_SUCCESS) device = -1;
  }
  require(device == found_.device, ErrorCode::kInvalidArgument, "the stream ", hexadecimal(stream),
          " is of CUDA's device ", device, ", expected one of ", name(), ", CUDA's device ", found_.device, " (",
          info().name, ")");
  fail(ErrorCode::kInvalidArgument, "the stream ", hexadecimal(stream), " is of another context of ", name(),
       ", expected one of its primary context, in which cudaStreamCreate, torch and cupy make theirs");
}

std::shared_ptr<const StreamPoint> Opened::point_of(void* stream) {
  check_stream(stream);
  return std::make_shared<UserStreamPoint>(shared_from_this(), static_cast<CUstream>(stream));
}

UserStreamPoint::UserStreamPoint(std::shared_ptr<Opened> device, CUstream stream, const char* work)
    : device_(std::move(device)), stream_(stream), work_(work) {
  const ContextScope scope = device_->enter();
  require_done(device_->api().cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  const CUresult code = device_->api().cuEventRecord(event_, stream);
  if (code != CUDA_SUCCESS) device_->api().cuEventDestroy_v2(event_);
  require_done(code, "cuEventRecord");
}

UserStreamPoint::~UserStreamPoint() {
  const ContextScope scope = device_->enter();
  device_->api().cuEventDestroy_v2(event_);
}

void UserStreamPoint::wait() const {
  const ContextScope scope = device_->enter();
  require_done(device_->api().cuEventSynchronize(event_), "cuEventSynchronize");
}

bool UserStreamPoint::is_done() const noexcept {
  const ContextScope scope = device_->enter();
  return device_->api().cuEventQuery(event_) == CUDA_SUCCESS;
}

void UserStreamPoint::require_done(CUresult code, const char* function) const {
  if (code == CUDA_SUCCESS) return;
  device_->note(code);
  fail(code == CUDA_ERROR_OUT_OF_MEMORY ? ErrorCode::kOutOfMemory : ErrorCode::kRunFailure, "waiting for ", work_,
       " on the device ", device_->info().name, " failed: ", function, " returned ", code_text(code));
}

}  // namespace coracle::internal::cuda
