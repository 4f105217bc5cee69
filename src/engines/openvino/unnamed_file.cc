// SPDX-License-Identifier: Apache-2.0
#include "engines/openvino/unnamed_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/error.h"

namespace coracle::internal::openvino {

UnnamedFile::UnnamedFile() {
#ifdef MFD_CLOEXEC
  file_ = ::memfd_create("coracle-block", MFD_CLOEXEC);
  path_ = text("/proc/self/fd/", file_);
  if (file_ >= 0 && ::access(path_.c_str(), W_OK) == 0) return;
  if (file_ >= 0) ::close(file_);
#endif
  const char* folder = ::secure_getenv("TMPDIR");
  path_ = text(folder == nullptr ? "/tmp" : folder, "/coracle-block-XXXXXX");
  file_ = ::mkostemp(path_.data(), O_CLOEXEC);
  require(file_ >= 0, ErrorCode::kIo, "no file can be made in ", path_);
  has_name_ = true;
}

UnnamedFile::~UnnamedFile() {
  ::close(file_);
  if (has_name_) ::unlink(path_.c_str());
}

std::vector<uint8_t> UnnamedFile::content() const {
  struct stat about {};
  require(::fstat(file_, &about) == 0 && about.st_size > 0, ErrorCode::kIo, "nothing was written to ", path_);
  std::vector<uint8_t> bytes(static_cast<size_t>(about.st_size));
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::pread(file_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    require(got > 0, ErrorCode::kIo, "reading ", path_, " ended at byte ", at, " of ", bytes.size());
    at += static_cast<size_t>(got);
  }
  constexpr size_t kPage = 4096;
  const std::vector<uint8_t> page(kPage);
  require(::pwrite(file_, page.data(), kPage, about.st_size) == static_cast<ssize_t>(kPage), ErrorCode::kIo,
          "there is no room for a compiled block in ", path_);
  return bytes;
}

}  // namespace coracle::internal::openvino
