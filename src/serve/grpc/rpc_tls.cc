// SPDX-License-Identifier: Apache-2.0
#include "serve/grpc/rpc_tls.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <mutex>
#include <string>
#include <utility>

namespace coracle::serve {
namespace {

/// What gRPC's C++ interface has no name for: credentials that ask for the certificate with each connection.
class FetchedCredentials final : public grpc::ServerCredentials {
 public:
  explicit FetchedCredentials(TlsSource source) : source_(std::move(source)) {
    const auto request = !source_()->client_ca.empty() ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                                                       : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(request, fetch, this));
  }
  ~FetchedCredentials() override { grpc_server_credentials_release(credentials_); }
  FetchedCredentials(const FetchedCredentials&) = delete;
  FetchedCredentials& operator=(const FetchedCredentials&) = delete;

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  /// gRPC calls it when it begins to listen, and before each handshake.
  static grpc_ssl_certificate_config_reload_status fetch(void* self, grpc_ssl_server_certificate_config** config) {
    return static_cast<FetchedCredentials*>(self)->fetch_config(config);
  }

  grpc_ssl_certificate_config_reload_status fetch_config(grpc_ssl_server_certificate_config** config) {
    std::shared_ptr<const TlsPem> pem = source_();
    const std::lock_guard lock(mutex_);
    if (pem == given_) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{pem->key.c_str(), pem->certificate.c_str()};
    // gRPC refuses certificates that it fetches without others for clients, also where no client is asked for one.
    const std::string& clients = pem->client_ca.empty() ? pem->certificate : pem->client_ca;
    *config = grpc_ssl_server_certificate_config_create(clients.c_str(), &pair, 1);
    given_ = std::move(pem);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const TlsSource source_;
  std::mutex mutex_;
  std::shared_ptr<const TlsPem> given_;
  grpc_server_credentials* credentials_ = nullptr;
};

}  // namespace

std::shared_ptr<grpc::ServerCredentials> tls_credentials(const TlsSource& source) {
  return std::make_shared<FetchedCredentials>(source);
}

}  // namespace coracle::serve
