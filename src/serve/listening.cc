// SPDX-License-Identifier: Apache-2.0
#include "serve/listening.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

constexpr int kStream = SOCK_STREAM | SOCK_CLOEXEC;

Failure cannot_listen(const std::string& name, int reason) {
  return {Code::kUnavailable, "cannot listen on " + name + ": " + std::strerror(reason)};
}

/// Removes the socket that a server which has ended left behind; nothing else.
void remove_left_socket(const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(address.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  const int probe = ::socket(AF_UNIX, kStream, 0);
  if (probe < 0) return;
  const bool refused =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  if (refused) ::unlink(address.sun_path);
}

/// The address that a socket is bound to.
sockaddr_storage own_address(int descriptor, socklen_t& bytes) {
  sockaddr_storage address{};
  bytes = sizeof(address);
  if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) bytes = 0;
  return address;
}

/// The value of a socket's option that is a number; -1 for what is no socket.
int option_of(int descriptor, int option) {
  int value = -1;
  socklen_t bytes = sizeof(value);
  return ::getsockopt(descriptor, SOL_SOCKET, option, &value, &bytes) == 0 ? value : -1;
}

}  // namespace

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      family_(other.family_),
      path_(std::exchange(other.path_, std::string())) {}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!path_.empty()) ::unlink(path_.c_str());
}

void ListeningSocket::open(const sockaddr* address, socklen_t bytes, const std::string& name) {
  descriptor_ = ::socket(family_, kStream, 0);
  if (descriptor_ < 0) throw cannot_listen(name, errno);
  const int yes = 1;
  if (is_tcp()) ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (::bind(descriptor_, address, bytes) != 0 || ::listen(descriptor_, SOMAXCONN) != 0)
    throw cannot_listen(name, errno);
}

ListeningSocket ListeningSocket::on(const std::string& address, uint16_t port) {
  const std::string name = address + " port " + std::to_string(port);
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    ListeningSocket socket(-1, AF_INET);
    socket.open(reinterpret_cast<const sockaddr*>(&v4), sizeof(v4), name);
    return socket;
  }
  if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    ListeningSocket socket(-1, AF_INET6);
    socket.open(reinterpret_cast<const sockaddr*>(&v6), sizeof(v6), name);
    return socket;
  }
  throw Failure(Code::kUnavailable, "cannot listen on " + name + ": it is no address as 127.0.0.1, 0.0.0.0 or ::1");
}

ListeningSocket ListeningSocket::at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw cannot_listen("unix:" + path, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  remove_left_socket(address);
  ListeningSocket socket(-1, AF_UNIX);
  socket.open(reinterpret_cast<const sockaddr*>(&address), sizeof(address), "unix:" + path);
  socket.path_ = path;
  return socket;
}

ListeningSocket ListeningSocket::inherited(int descriptor) {
  const int family = option_of(descriptor, SO_DOMAIN);
  const bool known = family == AF_INET || family == AF_INET6 || family == AF_UNIX;
  if (!known || option_of(descriptor, SO_TYPE) != SOCK_STREAM || option_of(descriptor, SO_ACCEPTCONN) != 1) {
    throw Failure(Code::kInvalidArgument,
                  "descriptor " + std::to_string(descriptor) +
                      " was passed to be listened on (LISTEN_FDS) and is no stream socket that takes connections; "
                      "a socket unit needs ListenStream= and Accept=no");
  }
  return {descriptor, family};
}

uint16_t ListeningSocket::port() const {
  socklen_t bytes = 0;
  const sockaddr_storage address = own_address(descriptor_, bytes);
  if (family_ == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
  if (family_ == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  return 0;
}

std::string ListeningSocket::name() const {
  socklen_t bytes = 0;
  const sockaddr_storage address = own_address(descriptor_, bytes);
  return address_name(address, bytes);
}

std::string address_name(const sockaddr_storage& address, socklen_t bytes) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return std::string(text) + ':' + std::to_string(ntohs(v4.sin_port));
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
    return '[' + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& local = reinterpret_cast<const sockaddr_un&>(address);
  const size_t start = offsetof(sockaddr_un, sun_path);
  return bytes > start ? "unix:" + std::string(local.sun_path, ::strnlen(local.sun_path, bytes - start)) : "unix";
}

}  // namespace coracle::serve
