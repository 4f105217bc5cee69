// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <utility>

namespace coracle::serve {

/// A socket of the system that takes connections.
class ListeningSocket {
 public:
  /// A port of an address ("127.0.0.1", "::1"); port 0: any that is free. Throws Failure (kUnavailable).
  static ListeningSocket on(const std::string& address, uint16_t port);
  /// A path of the file system, where a socket that an ended server left is replaced. The path is removed with the
  /// object. Throws Failure (kUnavailable).
  static ListeningSocket at(const std::string& path);
  /// A descriptor that somebody else has made a listening socket. Throws Failure (kInvalidArgument).
  static ListeningSocket inherited(int descriptor);

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ~ListeningSocket();

  /// The descriptor, which is the caller's from now on: what is asked of it below must be known by then.
  int release() { return std::exchange(descriptor_, -1); }
  /// AF_INET, AF_INET6 or AF_UNIX.
  int family() const { return family_; }
  bool is_tcp() const { return family_ != AF_UNIX; }
  uint16_t port() const;  ///< 0 for Unix sockets
  /// "127.0.0.1:8000", "[::1]:8000", "unix:/run/x.sock".
  std::string name() const;

 private:
  ListeningSocket(int descriptor, int family) : descriptor_(descriptor), family_(family) {}
  void open(const sockaddr* address, socklen_t bytes, const std::string& name);

  int descriptor_ = -1;
  int family_ = AF_UNSPEC;
  std::string path_;  ///< to be removed
};

/// How a socket's address is shown, as ListeningSocket::name does.
std::string address_name(const sockaddr_storage& address, socklen_t bytes);

}  // namespace coracle::serve
