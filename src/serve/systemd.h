// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

/// What a service manager and the services that it starts tell each other: sd_notify(3), sd_listen_fds(3).
namespace coracle::serve {

/// A listening socket that the process was started with.
struct InheritedSocket {
  int descriptor = -1;
  std::string name;  ///< FileDescriptorName= of its unit; empty where it has none
};

/// The sockets of LISTEN_FDS, which children do not inherit; once, before there are threads.
std::vector<InheritedSocket> inherited_sockets();

/// Tells the manager that started the process, if one wants to know, e.g. "READY=1".
void notify_manager(const std::string& state);
/// Says that the configuration is read again; "READY=1" says that it was.
void notify_reloading();

}  // namespace coracle::serve
