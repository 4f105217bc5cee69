// SPDX-License-Identifier: Apache-2.0
// How long the 12 inputs of an ERNIE take to a GPU by CUDA: one by one and together, from pageable and from pinned
// memory, and as the library copies them: coracle-bench-copies [--json] [--rounds N]
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "devices/cuda/opened.h"
#include "plan/copy.h"

namespace coracle::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kAlignment = 128;  // of tensors that are copied together
constexpr int64_t kTokens = 128;
constexpr size_t kOfTokens = 4;                     // inputs [batch, kTokens, 1]: words, positions, sentences, mask
constexpr size_t kOfRows = 8;                       // inputs [batch, 1, 1]
constexpr std::chrono::milliseconds kLongest{800};  // for one batch
constexpr std::array<const char*, 5> kWays = {"12 pageable", "12 pinned", "1 pageable", "1 pinned", "library"};

/// What the driver returned.
void succeed(cuda::CUresult code, const char* what) {
  require(code == cuda::CUDA_SUCCESS, ErrorCode::kRunFailure, what, " returned ", cuda::code_text(code));
}

/// Inputs on the host, each in pageable memory of its own; `offsets` are where they lie when they are together.
struct Inputs {
  Inputs(int64_t batch, DType dtype) {
    for (size_t i = 0; i < kOfTokens + kOfRows; ++i) {
      facts.emplace_back(dtype, Shape{batch, i < kOfTokens ? kTokens : 1, 1});
      std::vector<std::byte>& bytes = pageable.emplace_back(facts[i].bytes());
      for (size_t b = 0; b < bytes.size(); ++b) bytes[b] = static_cast<std::byte>(b * 7 + i);
      offsets.push_back(whole);
      whole += (bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
    }
  }
  /// Puts all of them where they lie together.
  void gather(std::byte* to) const {
    for (size_t i = 0; i < facts.size(); ++i) std::memcpy(to + offsets[i], pageable[i].data(), pageable[i].size());
  }

  std::vector<Fact> facts;
  std::vector<std::vector<std::byte>> pageable;
  std::vector<size_t> offsets;
  size_t whole = 0;  ///< bytes of all, each aligned
};

/// One batch: memory on both sides, and the ways from one to the other.
class Batch {
 public:
  Batch(std::shared_ptr<cuda::Opened> device, int64_t batch, DType dtype)
      : device_(std::move(device)),
        inputs_(batch, dtype),
        there_(device_->allocate(inputs_.whole)),
        pinned_(device_->allocate_host(inputs_.whole)),
        together_(inputs_.whole),
        queue_(device_->make_queue()) {
    const cuda::ContextScope scope = device_->enter();
    succeed(device_->api().cuStreamCreate(&stream_, cuda::CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    inputs_.gather(together_.data());
    inputs_.gather(pinned());
    plan_.upload = true;
    plan_.staged = inputs_.offsets;
    plan_.transfers = {{.item = 0, .bytes = inputs_.offsets.back() + inputs_.facts.back().bytes()}};
    for (size_t i = 0; i < inputs_.facts.size(); ++i) {
      from_.push_back({.data = inputs_.pageable[i].data(), .fact = &inputs_.facts[i]});
      to_.push_back({.data = there_.get(), .fact = &inputs_.facts[i], .offset = inputs_.offsets[i]});
    }
  }
  ~Batch() {
    const cuda::ContextScope scope = device_->enter();
    device_->api().cuStreamDestroy_v2(stream_);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  size_t bytes() const { return inputs_.whole; }

  /// Takes all inputs there, by a way of kWays, and waits until they are.
  void copy(size_t way) {
    switch (way) {
      case 0: return one_by_one([&](size_t i) { return inputs_.pageable[i].data(); });
      case 1: return one_by_one([&](size_t i) { return pinned() + inputs_.offsets[i]; });
      case 2: return at_once(together_.data());
      case 3: return at_once(pinned());
      default: return by_library();
    }
  }

  /// Throws Error unless a way brings every byte.
  void check(size_t way) {
    const cuda::ContextScope scope = device_->enter();
    const cuda::DriverApi& api = device_->api();
    succeed(api.cuMemsetD8Async(address(0), 0, inputs_.whole, stream_), "cuMemsetD8Async");
    succeed(api.cuStreamSynchronize(stream_), "cuStreamSynchronize");
    copy(way);
    std::vector<std::byte> back(inputs_.whole);
    succeed(api.cuMemcpyDtoHAsync_v2(back.data(), address(0), back.size(), stream_), "cuMemcpyDtoHAsync");
    succeed(api.cuStreamSynchronize(stream_), "cuStreamSynchronize");
    for (size_t i = 0; i < inputs_.facts.size(); ++i) {
      const std::vector<std::byte>& sent = inputs_.pageable[i];
      require(std::equal(sent.begin(), sent.end(), back.begin() + static_cast<std::ptrdiff_t>(inputs_.offsets[i])),
              ErrorCode::kRunFailure, "input ", i, " did not arrive by the way '", kWays[way], "'");
    }
  }

  cuda::ContextScope enter() const { return device_->enter(); }

 private:
  std::byte* pinned() const { return static_cast<std::byte*>(pinned_.get()); }
  cuda::CUdeviceptr address(size_t offset) const { return reinterpret_cast<cuda::CUdeviceptr>(there_.get()) + offset; }

  template <class From>
  void one_by_one(const From& from) {
    const cuda::DriverApi& api = device_->api();
    for (size_t i = 0; i < inputs_.facts.size(); ++i) {
      succeed(api.cuMemcpyHtoDAsync_v2(address(inputs_.offsets[i]), from(i), inputs_.pageable[i].size(), stream_),
              "cuMemcpyHtoDAsync");
    }
    succeed(api.cuStreamSynchronize(stream_), "cuStreamSynchronize");
  }

  void at_once(const std::byte* from) {
    const cuda::DriverApi& api = device_->api();
    succeed(api.cuMemcpyHtoDAsync_v2(address(0), from, inputs_.whole, stream_), "cuMemcpyHtoDAsync");
    succeed(api.cuStreamSynchronize(stream_), "cuStreamSynchronize");
  }

  /// The step that plans begin with: it gathers the inputs in pinned memory, and gives a queue one copy.
  void by_library() {
    const KernelDef& kernel = copy_kernel();
    KernelCall call;
    call.kernel = &kernel;
    call.in = from_;
    call.out = to_;
    call.state = &plan_;
    call.workspace = pinned_.get();
    call.queue = queue_.get();
    kernel.run(call);
    std::string detail;
    const char* const failure = queue_->finish(&detail);
    require(call.failure == nullptr && failure == nullptr, ErrorCode::kRunFailure,
            "the library's copy failed: ", call.failure != nullptr ? call.failure : detail.c_str());
  }

  const std::shared_ptr<cuda::Opened> device_;
  Inputs inputs_;
  const std::shared_ptr<void> there_;
  const std::shared_ptr<void> pinned_;
  std::vector<std::byte> together_;
  const std::unique_ptr<Queue> queue_;
  cuda::CUstream stream_ = nullptr;
  CopyPlan plan_;
  std::vector<TensorView> from_;
  std::vector<TensorView> to_;
};

/// By way, the milliseconds of each round; ways take turns.
std::array<std::vector<double>, kWays.size()> measure(Batch& batch, int rounds) {
  const cuda::ContextScope scope = batch.enter();
  for (size_t way = 0; way < kWays.size(); ++way) batch.check(way);
  std::array<std::vector<double>, kWays.size()> times;
  const Clock::time_point end = Clock::now() + kLongest;
  for (int round = 0; round < rounds && (round == 0 || Clock::now() < end); ++round) {
    for (size_t way = 0; way < kWays.size(); ++way) {
      const Clock::time_point start = Clock::now();
      batch.copy(way);
      times[way].push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
  }
  for (std::vector<double>& of_way : times) std::sort(of_way.begin(), of_way.end());
  return times;
}

void print_head() {
  std::printf("Least / median in ms\n\n| batch | elements | bytes | rounds |");
  for (const char* way : kWays) std::printf(" %s |", way);
  std::printf("\n|---|---|---|---|");
  for (size_t way = 0; way < kWays.size(); ++way) std::printf("---|");
  std::printf("\n");
}

void run(bool json, int rounds) {
  const auto device = std::static_pointer_cast<cuda::Opened>(cuda::open(0));
  if (!json) print_head();
  for (const int64_t count : {1, 10, 100, 1000}) {
    for (const DType dtype : {DType::kFloat32, DType::kInt64}) {
      Batch batch(device, count, dtype);
      const auto times = measure(batch, rounds);
      const std::string elements(name_of(dtype));
      std::printf(json ? R"({"batch": %d, "elements": "%s", "bytes": %zu, "rounds": %zu)" : "| %d | %s | %zu | %zu |",
                  static_cast<int>(count), elements.c_str(), batch.bytes(), times[0].size());
      for (size_t way = 0; way < kWays.size(); ++way) {
        const double least = times[way].front();
        const double median = times[way][times[way].size() / 2];
        if (json) {
          std::printf(R"(, "%s": {"min_ms": %.5f, "median_ms": %.5f})", kWays[way], least, median);
        } else {
          std::printf(" %.4f / %.4f |", least, median);
        }
      }
      std::printf(json ? "}\n" : "\n");
      std::fflush(stdout);
    }
  }
}

/// True for arguments that are understood.
bool read_arguments(int argc, char** argv, bool& json, int& rounds) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--json") {
      json = true;
    } else if (argument == "--rounds" && i + 1 < argc) {
      const std::string_view number = argv[++i];
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rounds);
      if (error != std::errc() || end != number.data() + number.size() || rounds < 1) return false;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace coracle::internal

int main(int argc, char** argv) {
  bool json = false;
  int rounds = 2000;
  if (!coracle::internal::read_arguments(argc, argv, json, rounds)) {
    std::fprintf(stderr, "usage: coracle-bench-copies [--json] [--rounds N]\n");
    return 2;
  }
  try {
    coracle::internal::run(json, rounds);
  } catch (const coracle::internal::Error& e) {
    std::fprintf(stderr, "coracle-bench-copies: %s\n", e.what());
    return 1;
  }
  return 0;
}
