// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/run_context.h"
#include "model/archive.h"

namespace {

using namespace coracle::internal;

/// Reads a file to its end, and then its first bytes again.
void read_all(const File& file) {
  std::vector<uint8_t> part(size_t{64} << 10U);
  size_t at = 0;
  while (const size_t got = file.read(at, part)) at += got;
  static_cast<void>(file.read(0, part));
}

}  // namespace

// Any bytes as a .tar, .tar.gz or .zip: its files and their bytes, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int64_t kTimeLimitMs = 500;
  const RunContext context(Deadline("reading", Deadline::Clock::now(), kTimeLimitMs, nullptr));
  const std::shared_ptr<const ByteSource> none = callback_source([](const std::string&) { return std::nullopt; });
  try {
    File packed(FileBytes{.name = "m", .owner = nullptr, .bytes = {data, size}});
    packed.read_within(context);
    const std::shared_ptr<const ArchiveSource> archive = ArchiveSource::of(packed, none);
    if (archive == nullptr) return 0;
    for (const std::string& folder : archive->folders()) static_cast<void>(archive->list(folder));
    for (const std::string& path : archive->files()) {
      try {
        if (const std::optional<File> file = archive->open("m/" + path)) read_all(*file);
      } catch (const Error&) {  // of this file
        context.check();
      }
    }
  } catch (const Error&) {
  }
  return 0;
}
