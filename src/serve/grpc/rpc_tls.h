// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "serve/grpc_module.h"

namespace coracle::serve {

/// Credentials that ask `source` for the certificate with each new connection. Where gRPC cannot use it, it goes on
/// with the one before. They have to stay as long as the servers that use them.
std::shared_ptr<grpc::ServerCredentials> tls_credentials(const TlsSource& source);

}  // namespace coracle::serve
