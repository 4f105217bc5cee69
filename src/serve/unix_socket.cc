// SPDX-License-Identifier: Apache-2.0
#include "serve/unix_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace coracle::serve {

void remove_left_socket(const std::string& path) {
  namespace net = boost::asio;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return;
  net::io_context io;
  net::local::stream_protocol::socket socket(io);
  boost::system::error_code failed;
  socket.connect(net::local::stream_protocol::endpoint(path), failed);
  if (failed == net::error::connection_refused) ::unlink(path.c_str());
}

}  // namespace coracle::serve
