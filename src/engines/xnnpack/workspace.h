// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "memory_plan.h"

namespace coracle_xnnpack {

/// Memory for values between steps.
class Workspace {
 public:
  explicit Workspace(size_t bytes)
      : bytes_(bytes), memory_(static_cast<std::byte*>(::operator new(bytes, kAlignment))) {}

  std::byte* data() const { return memory_.get(); }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr std::align_val_t kAlignment{kMemoryAlignment};
  struct Delete {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };

  size_t bytes_;
  std::unique_ptr<std::byte, Delete> memory_;
};

/// One who may run, and then needs so much memory. All of the process share it: there are as many workspaces as have
/// run at the same time, none of them larger than what one of those who may run needs.
class WorkspaceUser {
 public:
  explicit WorkspaceUser(size_t bytes);
  ~WorkspaceUser();
  WorkspaceUser(const WorkspaceUser&) = delete;
  WorkspaceUser& operator=(const WorkspaceUser&) = delete;

  /// A workspace that nobody else uses until it is put back.
  std::unique_ptr<Workspace> take() const;
  static void put(std::unique_ptr<Workspace> workspace);

 private:
  size_t bytes_;
};

}  // namespace coracle_xnnpack
