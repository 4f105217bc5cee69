// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace coracle_xnnpack {

/// Memory for values between steps: pages of its own, which go back to the system when a larger one takes its place.
class Workspace {
 public:
  /// Throws std::bad_alloc.
  explicit Workspace(size_t bytes);

  std::byte* data() const { return memory_.get(); }
  size_t bytes() const { return memory_.get_deleter().bytes; }

 private:
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* memory) const;
  };

  std::unique_ptr<std::byte, Unmap> memory_;
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
