// SPDX-License-Identifier: Apache-2.0
#include "support/late_device.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "support/late_kernels.h"

namespace coracle::internal::test {
namespace {

/// Of all bits: a NaN in every type of real numbers, and an index out of any range.
constexpr int kFreed = 0xFF;
/// Addresses of a device's blocks, from one to the next; where they have 64 bits nothing can lie there.
constexpr unsigned kAddressBits = 8 * sizeof(uintptr_t);
constexpr uintptr_t kHandles = uintptr_t{0xBAD} << (kAddressBits - 16);
constexpr uintptr_t kNextHandle = uintptr_t{1} << (kAddressBits * 9 / 16);

/// Work that is given anew each time, so that its memory is looked for then.
struct LateRecording final : Recording {
  std::vector<std::function<void()>> given;
};

/// Shared by a device, its queues and its memory, whichever ends last.
struct Core {
  struct Memory {
    explicit Memory(size_t n) : size(n), storage(n + 256, std::byte{kFreed}) {
      void* aligned = storage.data();
      size_t space = storage.size();
      bytes = static_cast<std::byte*>(std::align(256, n, aligned, space));
    }
    size_t size;
    std::vector<std::byte> storage;
    std::byte* bytes = nullptr;
  };

  explicit Core(const LateOptions& o) : options(o), faults(o.faults) {
    info.name = "Late device";
    info.driver = "tests";
    info.memory_bytes = size_t{1} << (kAddressBits == 64 ? 32U : 31U);
    info.largest_allocation = options.largest_allocation;
    info.alignment = options.alignment;
  }

  void complain(const std::string& text) {
    if (complaint.empty()) complaint = text;
  }
  /// Counts an operation; why it fails, or null.
  const char* count_operation() {
    ++counts.operations;
    ++since_faults;
    if (faults.loss != 0 && since_faults >= faults.loss) lost = true;
    if (lost) return "the device is gone";
    return since_faults == faults.operation ? "the device made a mistake" : nullptr;
  }
  /// The memory behind a handle, from an offset on; null with a complaint where it is not there.
  std::shared_ptr<Memory> find(DeviceBytes at, size_t bytes) {
    const auto it = blocks.find(at.allocation);
    if (it == blocks.end()) {
      complain("memory is used that is none of the device's, or was given back");
      return nullptr;
    }
    if (at.offset % options.alignment != 0 && bytes != 0) complain("a tensor is not aligned");
    if (at.offset + bytes > it->second->size) {
      complain("a tensor is larger than its block");
      return nullptr;
    }
    return it->second;
  }

  std::mutex mutex;  // of all below
  const LateOptions options;
  DeviceInfo info;
  LateFaults faults;
  int since_faults = 0;
  int allocations_since_faults = 0;
  int host_since_faults = 0;
  int recordings_since_faults = 0;
  bool lost = false;
  LateDevice::Counts counts;
  std::string complaint;
  uintptr_t next = kHandles;
  std::map<void*, std::shared_ptr<Memory>> blocks;
  std::vector<std::vector<std::byte>> gone;  // host memory that was given back: it holds NaN now
};

class LateQueue final : public Queue, public LateKernels {
 public:
  explicit LateQueue(std::shared_ptr<Core> core) : core_(std::move(core)), random_(core_->options.seed) {
    if (core_->options.threaded) worker_ = std::thread([this] { work(); });
  }
  ~LateQueue() override {
    finish(nullptr);
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (worker_.joinable()) worker_.join();
  }

  void upload(const void* from, DeviceBytes to, size_t bytes) noexcept override {
    refuse_recording();
    const std::shared_ptr<Core::Memory> memory = find(to, bytes);
    if (memory == nullptr) return;
    count(&LateDevice::Counts::uploads);
    give(copies_, 0, [=](std::string*) {
      std::memcpy(memory->bytes + to.offset, from, bytes);
      return nullptr;
    });
  }
  void download(DeviceBytes from, void* to, size_t bytes) noexcept override {
    refuse_recording();
    const std::shared_ptr<Core::Memory> memory = find(from, bytes);
    if (memory == nullptr) return;
    count(&LateDevice::Counts::downloads);
    give(copies_, kAllBefore, [=](std::string*) {
      std::memcpy(to, memory->bytes + from.offset, bytes);
      return nullptr;
    });
  }
  void copy(DeviceBytes from, DeviceBytes to, size_t bytes) noexcept override {
    if (recorded_ != nullptr) return recorded_->given.emplace_back([=, this] { copy(from, to, bytes); }), void();
    const std::shared_ptr<Core::Memory> source = find(from, bytes);
    const std::shared_ptr<Core::Memory> target = find(to, bytes);
    if (source == nullptr || target == nullptr) return;
    give_kernel([=](std::string*) {
      std::memcpy(target->bytes + to.offset, source->bytes + from.offset, bytes);
      return nullptr;
    });
  }
  void run(LateCall call) override {
    if (recorded_ != nullptr) {
      call.call.context = &kNoRun;  // the run that records ends
      return recorded_->given.emplace_back([this, call] { run(call); }), void();
    }
    std::vector<std::shared_ptr<Core::Memory>> memory;
    for (LateCall::Tensor& t : call.tensors) {
      if (t.on_host) continue;
      memory.push_back(find(t.at, t.bytes));
      if (memory.back() == nullptr) return;
      t.elements = memory.back()->bytes + t.at.offset;
    }
    count(&LateDevice::Counts::kernels);
    give_kernel([memory, call = std::move(call)](std::string* detail) { return call.run(detail); });
  }

  bool begin_recording() noexcept override {
    refuse_recording();
    if (!core_->options.records) return false;
    recorded_ = std::make_unique<LateRecording>();
    return true;
  }
  std::unique_ptr<Recording> end_recording() noexcept override {
    const std::lock_guard lock(core_->mutex);
    ++core_->counts.recordings;
    const bool fails = ++core_->recordings_since_faults == core_->faults.recording;
    if (fails) recorded_ = nullptr;
    return std::move(recorded_);
  }
  void replay(Recording& recording) noexcept override {
    refuse_recording();
    count(&LateDevice::Counts::replays);
    for (const auto& give : dynamic_cast<LateRecording&>(recording).given) give();
    if (core_->options.replayed != nullptr) core_->options.replayed();
  }

  Event record() noexcept override {
    refuse_recording();
    const std::lock_guard lock(mutex_);
    return given_;
  }
  void order_after(Event event) noexcept override {
    refuse_recording();
    const std::lock_guard lock(mutex_);
    ordered_ = std::max(ordered_, event);
  }
  const char* wait(Event event, std::string* detail) noexcept override {
    refuse_recording();
    std::unique_lock lock(mutex_);
    return wait(lock, detail, [this, event] { return is_done(copies_, event); });
  }
  const char* finish(std::string* detail) noexcept override {
    refuse_recording();
    std::unique_lock lock(mutex_);
    return wait(lock, detail, [this, all = given_] { return is_done(copies_, all) && is_done(kernels_, all); });
  }

  void profile(bool on) noexcept override {
    const std::lock_guard lock(mutex_);
    times_.clear();
    profiles_ = on;
    started_ = Clock::now();
  }
  Span span(Event from, Event to) noexcept override {
    const std::lock_guard lock(mutex_);
    const auto first = times_.find(from + 1);
    const auto last = times_.find(to);
    if (first == times_.end() || last == times_.end()) return {};
    return {first->second.first, last->second.second - first->second.first};
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Does = std::function<const char*(std::string* detail)>;
  struct Work {
    Event number;
    Event needs;  ///< it may begin when what has at most this number is done in the other order
    Does does;
  };
  using Order = std::deque<Work>;  // what is done leaves it
  static constexpr Event kAllBefore = std::numeric_limits<Event>::max();

  static bool is_done(const Order& order, Event event) { return order.empty() || order.front().number > event; }

  /// Returns when `ready` holds, and no sooner than that where no thread works: why work failed, or null.
  template <typename Ready>
  const char* wait(std::unique_lock<std::mutex>& lock, std::string* detail, const Ready& ready) {
    if (!ready()) count(&LateDevice::Counts::waits);
    const auto until = [&](const auto& holds) {
      if (worker_.joinable()) changed_.wait(lock, holds);
      while (!holds()) step(lock);
    };
    until(ready);
    const char* const failure = failure_;
    if (failure == nullptr) return nullptr;
    if (detail != nullptr) *detail = detail_;
    // What was given after it is not done.
    until([this, all = given_] { return is_done(copies_, all) && is_done(kernels_, all); });
    failure_ = nullptr;
    detail_.clear();
    return failure;
  }

  void refuse_recording() {
    if (recorded_ == nullptr) return;
    const std::lock_guard lock(core_->mutex);
    core_->complain("what is recorded is more than kernels and copies on the device");
  }
  std::shared_ptr<Core::Memory> find(DeviceBytes at, size_t bytes) {
    const std::lock_guard lock(core_->mutex);
    return core_->find(at, bytes);
  }
  void count(int LateDevice::Counts::*what) {
    const std::lock_guard lock(core_->mutex);
    ++(core_->counts.*what);
  }
  int64_t now() const { return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - started_).count(); }

  void give(Order& order, Event needs, Does does) {
    {
      const std::lock_guard lock(mutex_);
      ++given_;
      order.push_back({given_, std::min(needs, given_), std::move(does)});
    }
    changed_.notify_all();
  }
  void give_kernel(Does does) { give(kernels_, ordered_, std::move(does)); }

  /// The order whose next work is done next: by chance where both may go on.
  Order& next() {
    const bool copy = !copies_.empty() && is_done(kernels_, copies_.front().needs);
    const bool kernel = !kernels_.empty() && is_done(copies_, kernels_.front().needs);
    return copy && (!kernel || random_() % 2 == 0) ? copies_ : kernels_;
  }

  /// Does the next piece of work. Called with the lock, which is given up meanwhile.
  void step(std::unique_lock<std::mutex>& lock) {
    Order& order = next();
    const Work& work = order.front();
    const bool skips = failure_ != nullptr;
    lock.unlock();
    std::string detail;
    const int64_t begin = now();
    const char* failure = nullptr;
    if (!skips) {
      {
        const std::lock_guard core(core_->mutex);
        failure = core_->count_operation();
      }
      if (failure == nullptr) failure = work.does(&detail);
    }
    const int64_t end = now();
    lock.lock();
    if (profiles_) times_[work.number] = {begin, end};
    if (failure != nullptr) {
      failure_ = failure;
      detail_ = detail;
    }
    order.pop_front();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !kernels_.empty() || !copies_.empty(); });
      if (kernels_.empty() && copies_.empty()) return;
      const auto pause = std::chrono::microseconds(random_() % 8 == 0 ? random_() % 300 : 0);
      lock.unlock();
      std::this_thread::sleep_for(pause);
      lock.lock();
      step(lock);
      changed_.notify_all();
    }
  }

  const std::shared_ptr<Core> core_;
  std::unique_ptr<LateRecording> recorded_;  ///< null: work is done
  std::mt19937 random_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  Order kernels_;
  Order copies_;
  Event given_ = 0;    ///< the number of what was given last
  Event ordered_ = 0;  ///< kernels wait for copies up to this number
  const char* failure_ = nullptr;
  std::string detail_;
  bool profiles_ = false;
  Clock::time_point started_;
  std::map<Event, std::pair<int64_t, int64_t>> times_;
  bool ends_ = false;
  std::thread worker_;
};

class Late final : public LateDevice {
 public:
  explicit Late(const LateOptions& options) : core_(std::make_shared<Core>(options)) {}

  const DeviceInfo& info() const override { return core_->info; }
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<LateQueue>(core_); }

  std::shared_ptr<void> allocate(size_t bytes) override {
    const std::lock_guard lock(core_->mutex);
    ++core_->counts.allocations;
    require(++core_->allocations_since_faults != core_->faults.allocation && bytes <= core_->options.largest_allocation,
            ErrorCode::kOutOfMemory, "the late device has not the ", bytes, " bytes");
    core_->next += kNextHandle;
    void* const handle = reinterpret_cast<void*>(core_->next);
    core_->blocks[handle] = std::make_shared<Core::Memory>(bytes);
    core_->counts.bytes += bytes;
    return {handle, [core = core_, bytes](void* block) {
              const std::lock_guard held(core->mutex);
              core->counts.bytes -= bytes;
              core->blocks.erase(block);
            }};
  }

  std::shared_ptr<void> allocate_host(size_t bytes) override {
    const std::lock_guard lock(core_->mutex);
    require(++core_->host_since_faults != core_->faults.host_allocation, ErrorCode::kOutOfMemory,
            "the late device has not the ", bytes, " bytes of host memory");
    auto* const memory = new std::vector<std::byte>(bytes + 128, std::byte{kFreed});
    core_->counts.host_bytes += bytes;
    void* aligned = memory->data();
    size_t space = memory->size();
    std::align(128, bytes, aligned, space);
    return {aligned, [core = core_, memory, bytes](void*) {
              const std::lock_guard held(core->mutex);
              core->counts.host_bytes -= bytes;
              std::fill(memory->begin(), memory->end(), std::byte{kFreed});
              core->gone.push_back(std::move(*memory));
              if (core->gone.size() > 64) core->gone.erase(core->gone.begin());
              delete memory;
            }};
  }

  bool lost() const noexcept override {
    const std::lock_guard lock(core_->mutex);
    return core_->lost;
  }
  Counts counts() const override {
    const std::lock_guard lock(core_->mutex);
    return core_->counts;
  }
  void set_faults(const LateFaults& faults) override {
    const std::lock_guard lock(core_->mutex);
    core_->faults = faults;
    core_->since_faults = core_->allocations_since_faults = core_->host_since_faults = 0;
    core_->recordings_since_faults = 0;
  }
  std::string complaint() const override {
    const std::lock_guard lock(core_->mutex);
    return core_->complaint;
  }

 private:
  const std::shared_ptr<Core> core_;
};

}  // namespace

std::shared_ptr<LateDevice> LateDevice::make(const LateOptions& options) { return std::make_shared<Late>(options); }

}  // namespace coracle::internal::test
