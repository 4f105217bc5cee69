// SPDX-License-Identifier: Apache-2.0
#include "serve/systemd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace coracle::serve {
namespace {

constexpr int kFirstInherited = 3;
constexpr int kMostInherited = 64;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<InheritedSocket> inherited_sockets() {
  const bool mine = environment("LISTEN_PID") == std::to_string(::getpid());
  const int count = std::atoi(environment("LISTEN_FDS").c_str());
  std::string names = environment("LISTEN_FDNAMES");
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  std::vector<InheritedSocket> sockets;
  for (int i = 0; mine && i < count && i < kMostInherited; ++i) {
    const size_t end = std::min(names.find(':'), names.size());
    sockets.push_back({kFirstInherited + i, names.substr(0, end)});
    names.erase(0, end + 1);
    ::fcntl(sockets.back().descriptor, F_SETFD, FD_CLOEXEC);
  }
  return sockets;
}

void notify_manager(const std::string& state) {
  const std::string path = environment("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (path.size() < 2 || path.size() >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@')) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';  // a name that is in no folder
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  ::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), bytes);
  ::close(socket);
}

void notify_reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t microseconds = int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
  notify_manager("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

}  // namespace coracle::serve
