// SPDX-License-Identifier: Apache-2.0
#include "workspace.h"

#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <set>
#include <utility>
#include <vector>

namespace coracle_xnnpack {
namespace {

struct Pool {
  std::mutex mutex;
  std::multiset<size_t> needs;                   ///< of all users
  std::vector<std::unique_ptr<Workspace>> idle;  ///< with room for one of each user
};

/// For as long as the process: users may go at its end.
Pool& pool() {
  static auto& all = *new Pool;
  return all;
}

}  // namespace

Workspace::Workspace(size_t bytes) : memory_(nullptr, Unmap{bytes}) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_.reset(static_cast<std::byte*>(memory));
}

void Workspace::Unmap::operator()(std::byte* memory) const { munmap(memory, bytes); }

WorkspaceUser::WorkspaceUser(size_t bytes) : bytes_(bytes) {
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  p.idle.reserve(p.needs.size() + 1);
  p.needs.insert(bytes);
}

WorkspaceUser::~WorkspaceUser() {
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  p.needs.erase(p.needs.find(bytes_));
  const size_t most = p.needs.empty() ? 0 : *p.needs.rbegin();
  std::erase_if(p.idle, [&](const auto& w) { return w->bytes() > most; });
  if (p.idle.size() > p.needs.size()) p.idle.resize(p.needs.size());
}

std::unique_ptr<Workspace> WorkspaceUser::take() const {
  Pool& p = pool();
  std::unique_ptr<Workspace> largest;
  {
    const std::lock_guard lock(p.mutex);
    const auto found = std::max_element(p.idle.begin(), p.idle.end(),
                                        [](const auto& a, const auto& b) { return a->bytes() < b->bytes(); });
    if (found != p.idle.end()) {
      largest = std::move(*found);
      p.idle.erase(found);
    }
  }
  if (largest != nullptr && largest->bytes() >= bytes_) return largest;
  largest.reset();  // before another takes its place
  return std::make_unique<Workspace>(bytes_);
}

void WorkspaceUser::put(std::unique_ptr<Workspace> workspace) {
  Pool& p = pool();
  const std::lock_guard lock(p.mutex);
  const size_t most = p.needs.empty() ? 0 : *p.needs.rbegin();
  if (workspace->bytes() <= most && p.idle.size() < p.needs.size()) p.idle.push_back(std::move(workspace));
}

}  // namespace coracle_xnnpack
