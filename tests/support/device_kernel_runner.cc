// SPDX-License-Identifier: Apache-2.0
#include "support/device_kernel_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace coracle::internal::test {
namespace {

/// Tensors begin inside of their blocks, as those of an arena do, with poison around them.
constexpr size_t kBefore = 256;
constexpr size_t kAfter = 128;
constexpr unsigned char kPoison = 0xCD;

/// Leaves the rows that the last result counts of those before it.
void keep_counted(const DeviceCall& c, std::vector<std::vector<unsigned char>>& results) {
  int64_t rows = 0;
  std::memcpy(&rows, results.back().data(), sizeof(rows));
  results.pop_back();
  for (size_t i = 0; i < results.size(); ++i) {
    if (!c.counted.at(i)) continue;
    const int64_t most = c.args.all_out()[i]->shape[0];
    ASSERT_LE(rows, most);
    ASSERT_GE(rows, 0);
    const size_t row = results[i].size() / static_cast<size_t>(most);
    const auto end = results[i].begin() + static_cast<ptrdiff_t>(static_cast<size_t>(rows) * row);
    const bool untouched = std::all_of(end, results[i].end(), [](unsigned char b) { return b == kPoison; });
    EXPECT_TRUE(untouched) << "written behind the rows that are there";
    results[i].erase(end, results[i].end());
  }
}

}  // namespace

DeviceKernelRunner* DeviceKernelRunner::under_test() {
  static DeviceKernelRunner* const kernels = []() -> DeviceKernelRunner* {
    const char* wanted = std::getenv("CORACLE_TEST_DEVICE");  // NOLINT(concurrency-mt-unsafe): before threads
    if (wanted == nullptr) return nullptr;
    for (const Device* device : all_devices()) {
      if (std::string_view(device->name) != wanted || device->is_host()) continue;
      const Probe probe = device->probe();
      if (probe.devices.empty()) {
        std::printf("skipped: no device %s: %s\n", wanted, probe.missing.c_str());
        std::exit(0);  // NOLINT(concurrency-mt-unsafe): nothing else runs
      }
      std::printf("kernels of %s run on %s\n", wanted, probe.devices[0].name.c_str());
      return new DeviceKernelRunner(*device);
    }
    std::printf("skipped: this build has no device %s\n", wanted);
    std::exit(0);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  }();
  return kernels;
}

DeviceKernelRunner::DeviceKernelRunner(const Device& device)
    : device_(device), open_(device.open(0)), queue_(open_->make_queue()) {}

std::vector<const KernelDef*> DeviceKernelRunner::all() const {
  std::vector<const KernelDef*> kernels;
  for (const KernelTable* table : device_.kernels()) {
    for (const KernelDef& kernel : table->kernels) kernels.push_back(&kernel);
  }
  return kernels;
}

std::vector<const KernelDef*> DeviceKernelRunner::kernels(const OpSchema& op) const {
  std::vector<const KernelDef*> kernels = all();
  std::erase_if(kernels, [&](const KernelDef* k) { return k->op != &op; });
  return kernels;
}

void DeviceKernelRunner::count(int taken) {
  ++cases_;
  taken_ += taken > 0 ? 1 : 0;
}

std::string DeviceKernelRunner::summary() const {
  return std::to_string(used_.size()) + " kernels, " + std::to_string(taken_) + " of " + std::to_string(cases_) +
         " cases";
}

std::vector<std::vector<unsigned char>> DeviceKernelRunner::run(const KernelDef& kernel, const DeviceCall& c,
                                                                bool in_place) {
  used_.insert(kernel.name);
  const auto fail = [](const std::string& why) {
    ADD_FAILURE() << why;
    return std::vector<std::vector<unsigned char>>();
  };
  try {
    PrepareContext context;
    context.device = open_.get();
    const Prepared prepared = kernel.prepare(c.op.attributes(), c.args, context);
    in_place = in_place && prepared.in_place >= 0;

    std::vector<std::shared_ptr<void>> blocks;
    std::vector<std::vector<unsigned char>> images;
    const auto place = [&](const Fact* fact, const std::vector<unsigned char>* bytes) {
      const size_t size = fact->bytes();
      blocks.push_back(open_->allocate(kBefore + size + kAfter));
      images.emplace_back(kBefore + size + kAfter, kPoison);
      if (bytes != nullptr) std::copy(bytes->begin(), bytes->end(), images.back().begin() + kBefore);
      queue_->upload(images.back().data(), {blocks.back().get(), 0}, images.back().size());
      return TensorView{blocks.back().get(), fact, kBefore};
    };
    std::vector<TensorView> in;
    std::vector<TensorView> out;
    images.reserve(c.in.size() + c.args.all_out().size() + 2);
    for (size_t i = 0; i < c.in.size(); ++i) in.push_back(place(c.args.all_in()[i], &c.in[i]));
    for (const Fact* fact : c.args.all_out()) out.push_back(place(fact, nullptr));
    const Fact rows(DType::kInt64, {1});
    if (kernel.bounds != nullptr) out.push_back(place(&rows, nullptr));
    if (in_place && in[static_cast<size_t>(prepared.in_place)].fact->bytes() == out[0].fact->bytes()) {
      out[0].data = in[static_cast<size_t>(prepared.in_place)].data;
    }
    // Its workspace lies so, too; what is there means nothing.
    const Fact scratch(DType::kUint8, {static_cast<int64_t>(prepared.workspace)});
    const TensorView there = place(&scratch, nullptr);
    const DeviceBytes workspace{there.data, there.offset};
    std::string detail;
    KernelCall call{.schema = &c.op.schema(),
                    .op = c.op.attributes(),
                    .in = in,
                    .out = out,
                    .in_counts = c.in_counts,
                    .out_counts = c.out_counts,
                    .weights = prepared.weights.get(),
                    .state = prepared.state.get(),
                    .workspace = const_cast<DeviceBytes*>(&workspace),
                    .queue = queue_.get(),
                    .failure_detail = &detail};
    queue_->order_after(queue_->record());
    kernel.run(call);
    if (call.failure != nullptr) return fail(call.failure);
    std::vector<std::vector<unsigned char>> results;
    for (const TensorView& t : out) results.emplace_back(kBefore + t.fact->bytes() + kAfter);
    for (size_t i = 0; i < out.size(); ++i) {
      queue_->download({out[i].data, 0}, results[i].data(), results[i].size());
    }
    results.emplace_back(kBefore + prepared.workspace + kAfter);
    queue_->download({there.data, 0}, results.back().data(), results.back().size());
    if (const char* failure = queue_->finish(&detail)) return fail(failure + (": " + detail));
    for (std::vector<unsigned char>& r : results) {
      const auto poisoned = [](unsigned char b) { return b == kPoison; };
      EXPECT_TRUE(std::all_of(r.begin(), r.begin() + kBefore, poisoned)) << "written before a result or the workspace";
      EXPECT_TRUE(std::all_of(r.end() - kAfter, r.end(), poisoned)) << "written behind a result or the workspace";
      r = std::vector<unsigned char>(r.begin() + kBefore, r.end() - kAfter);
    }
    results.pop_back();
    if (kernel.bounds != nullptr) keep_counted(c, results);
    return results;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

}  // namespace coracle::internal::test
