// SPDX-License-Identifier: Apache-2.0
#include "base/system/file_size_signal_guard.h"

namespace coracle::internal {

FileSizeSignalGuard::FileSizeSignalGuard() = default;
FileSizeSignalGuard::~FileSizeSignalGuard() = default;
bool FileSizeSignalGuard::failed() const { return false; }

}  // namespace coracle::internal
