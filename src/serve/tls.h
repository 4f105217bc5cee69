// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace coracle::serve {

/// Files in PEM form. The key has no passphrase.
struct TlsFiles {
  std::string certificate;  ///< the server's, and those between it and the root; empty: no TLS
  std::string key;
  std::string client_ca;  ///< whose certificates clients must have; empty: they need none
};

/// The content of these files.
struct TlsPem {
  std::string certificate;
  std::string key;
  std::string client_ca;
};

/// What connections need for TLS, read from files, and again when these change. For any number of threads.
class TlsContexts {
 public:
  using Log = std::function<void(const std::string& line)>;

  /// Throws Failure (kInvalidArgument).
  TlsContexts(TlsFiles files, Log log);

  /// That of the files as they are; where they are wrong, which is logged once, as they were. The files are looked at
  /// once a second at most.
  std::shared_ptr<boost::asio::ssl::context> current();
  /// The same for others who speak TLS; another object whenever the files have changed.
  std::shared_ptr<const TlsPem> current_pem();
  /// Looks at the files now.
  void look();

 private:
  void look_when_due();
  void read();

  const TlsFiles files_;
  const Log log_;
  std::mutex mutex_;
  std::string stamp_;  // of the files that were read last, right or wrong
  std::chrono::steady_clock::time_point looked_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::shared_ptr<const TlsPem> pem_;
};

}  // namespace coracle::serve
