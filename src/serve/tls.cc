// SPDX-License-Identifier: Apache-2.0
#include "serve/tls.h"

#include <openssl/ssl.h>
#include <sys/stat.h>

#include <boost/asio/ssl/context.hpp>
#include <fstream>
#include <iterator>
#include <utility>

#include "serve/failure.h"

namespace coracle::serve {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

constexpr std::chrono::seconds kBetweenLooks{1};
/// Of TLS 1.2: those with forward secrecy and authenticated encryption. TLS 1.3 has no others.
constexpr const char* kCiphers = "ECDHE+AESGCM:ECDHE+CHACHA20";

/// Changes when a file is written or replaced.
std::string stamp_of(const TlsFiles& files) {
  std::string stamp;
  for (const std::string* file : {&files.certificate, &files.key, &files.client_ca}) {
    struct stat status {};
    if (file->empty() || ::stat(file->c_str(), &status) != 0) continue;
    for (const int64_t part : {int64_t{status.st_mtim.tv_sec}, int64_t{status.st_mtim.tv_nsec}, int64_t{status.st_size},
                               static_cast<int64_t>(status.st_ino)})
      stamp += std::to_string(part) + ' ';
  }
  return stamp;
}

/// The only protocol of the server, where a client asks for protocols at all (ALPN).
int choose_protocol(SSL* /*connection*/, const unsigned char** chosen, unsigned char* bytes,
                    const unsigned char* offered, unsigned int offered_bytes, void* /*nothing*/) {
  static constexpr unsigned char kHttp[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, bytes, kHttp, sizeof(kHttp), offered, offered_bytes) != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

/// Throws Failure where a file cannot be read or something failed that was done with it.
void check_file(const std::string& file, const char* what, const error_code& failed) {
  if (!std::ifstream(file).is_open()) throw Failure(Code::kInvalidArgument, file + " (" + what + ") cannot be read");
  if (failed) throw Failure(Code::kInvalidArgument, file + " cannot be used as " + what + ": " + failed.message());
}

std::string pem_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::shared_ptr<ssl::context> read_context(const TlsFiles& files) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* raw = context->native_handle();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(raw, kCiphers);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  static constexpr unsigned char kSessions[] = "coracle";
  SSL_CTX_set_session_id_context(raw, kSessions, sizeof(kSessions) - 1);

  error_code failed;
  context->set_password_callback([](size_t, ssl::context::password_purpose) { return std::string(); }, failed);
  context->use_certificate_chain_file(files.certificate, failed);
  check_file(files.certificate, "the certificate", failed);
  context->use_private_key_file(files.key, ssl::context::pem, failed);
  check_file(files.key, "the certificate's key", failed);
  if (!files.client_ca.empty()) {
    context->load_verify_file(files.client_ca, failed);
    check_file(files.client_ca, "the certificates that sign those of clients", failed);
    SSL_CTX_set_client_CA_list(raw, SSL_load_client_CA_file(files.client_ca.c_str()));
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

TlsContexts::TlsContexts(TlsFiles files, Log log) : files_(std::move(files)), log_(std::move(log)) { read(); }

std::shared_ptr<ssl::context> TlsContexts::current() {
  look_when_due();
  const std::lock_guard lock(mutex_);
  return context_;
}

std::shared_ptr<const TlsPem> TlsContexts::current_pem() {
  look_when_due();
  const std::lock_guard lock(mutex_);
  return pem_;
}

void TlsContexts::look_when_due() {
  {
    const std::lock_guard lock(mutex_);
    if (std::chrono::steady_clock::now() < looked_ + kBetweenLooks) return;
  }
  look();
}

void TlsContexts::look() {
  const std::lock_guard lock(mutex_);
  if (stamp_of(files_) == stamp_) {
    looked_ = std::chrono::steady_clock::now();
    return;
  }
  try {
    read();
    log_("the TLS certificate has changed: new connections have the new one");
  } catch (const Failure& failure) {
    log_(std::string("the TLS certificate before is kept: ") + failure.what());
  }
}

/// With `mutex_`, or before others know the object.
void TlsContexts::read() {
  looked_ = std::chrono::steady_clock::now();
  stamp_ = stamp_of(files_);
  std::shared_ptr<ssl::context> context = read_context(files_);
  auto pem = std::make_shared<TlsPem>();
  pem->certificate = pem_text(files_.certificate);
  pem->key = pem_text(files_.key);
  if (!files_.client_ca.empty()) pem->client_ca = pem_text(files_.client_ca);
  // What was checked and what was read are the same files.
  if (stamp_of(files_) != stamp_) throw Failure(Code::kUnavailable, "its files change while they are read");
  context_ = std::move(context);
  pem_ = std::move(pem);
}

}  // namespace coracle::serve
