// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fuzz/run_model.h"
#include "saved/format.h"
#include "support/memory_file.h"

// Any bytes as a saved model, with checksums and a number of bytes that are right, so that what stands behind them is
// read: a model that runs, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace coracle::internal;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  saved::Head head;
  if (size >= sizeof(head)) {
    std::memcpy(&head, bytes.data(), sizeof(head));
    std::memcpy(head.magic, saved::kMagic.data(), sizeof(head.magic));
    head.major = saved::kMajor;
    head.file_bytes = size;
    if (head.head_bytes <= size && head.structure_bytes <= size - head.head_bytes) {
      head.structure_checksum = saved::checksum({data + head.head_bytes, static_cast<size_t>(head.structure_bytes)});
    }
    head.head_checksum =
        saved::checksum({reinterpret_cast<const uint8_t*>(&head), offsetof(saved::Head, head_checksum)});
    std::memcpy(bytes.data(), &head, sizeof(head));
  }
  try {
    test::run_within_limits(
        Model::load(ModelSource::in_memory(test::memory_file(std::move(bytes)), {}), test::kFuzzModelOptions));
  } catch (const Error&) {
  }
  return 0;
}
