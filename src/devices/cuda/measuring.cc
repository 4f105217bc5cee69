// SPDX-License-Identifier: Apache-2.0
#include "devices/cuda/measuring.h"

#include "base/error.h"
#include "devices/cuda/opened.h"

namespace coracle::internal::cuda {
namespace {

constexpr int kRounds = 4;    // in which ways take turns, the first of them to load what they need
constexpr int kTogether = 4;  // of one way between two events

}  // namespace

Measuring::Measuring(Opened& device) : device_(device) {
  const DriverApi& api = device_.api();
  works_ = done(api.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING)) &&
           done(api.cuEventCreate(&begin_, CU_EVENT_DEFAULT)) && done(api.cuEventCreate(&end_, CU_EVENT_DEFAULT));
}

Measuring::~Measuring() {
  const DriverApi& api = device_.api();
  if (stream_ != nullptr) done(api.cuStreamSynchronize(stream_));
  memory_.clear();
  if (end_ != nullptr) api.cuEventDestroy_v2(end_);
  if (begin_ != nullptr) api.cuEventDestroy_v2(begin_);
  if (stream_ != nullptr) api.cuStreamDestroy_v2(stream_);
}

bool Measuring::done(CUresult code) {
  device_.note(code);
  return code == CUDA_SUCCESS;
}

void* Measuring::memory(size_t bytes) {
  if (!works_ || bytes == 0) return nullptr;
  try {
    memory_.push_back(device_.allocate(bytes));
  } catch (const Error&) {
    works_ = false;
    return nullptr;
  }
  void* const there = memory_.back().get();
  works_ = done(device_.api().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(there), 0, bytes, stream_));
  return works_ ? there : nullptr;
}

float Measuring::time(size_t way, const std::function<bool(size_t, CUstream)>& give) {
  const DriverApi& api = device_.api();
  works_ = done(api.cuEventRecord(begin_, stream_));
  bool is_given = works_;
  for (int i = 0; i < kTogether && is_given; ++i) is_given = give(way, stream_);
  works_ = works_ && done(api.cuEventRecord(end_, stream_)) && done(api.cuEventSynchronize(end_));
  float ms = 0;
  works_ = works_ && done(api.cuEventElapsedTime(&ms, begin_, end_));
  return works_ && is_given ? ms : -1;
}

std::optional<size_t> Measuring::fastest(size_t count, const std::function<bool(size_t, CUstream)>& give) {
  std::vector<float> least(count, -1);
  std::vector<bool> is_out(count);
  for (int round = 0; round < kRounds; ++round) {
    for (size_t way = 0; way < count; ++way) {
      if (is_out[way]) continue;
      const float ms = works_ ? time(way, give) : -1;
      if (!works_) return std::nullopt;
      is_out[way] = ms < 0;
      if (round > 0 && (least[way] < 0 || ms < least[way])) least[way] = ms;
    }
  }
  std::optional<size_t> best;
  for (size_t way = 0; way < count; ++way) {
    if (!is_out[way] && (!best.has_value() || least[way] < least[*best])) best = way;
  }
  return best;
}

}  // namespace coracle::internal::cuda
