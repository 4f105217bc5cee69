// SPDX-License-Identifier: Apache-2.0
#include "serve/server.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "serve/test_client.h"
#include "support/small_models.h"
#include "support/temporary_folder.h"

// The whole server in this process, so that sanitizers see its threads.
namespace coracle::serve {
namespace {

using internal::test::TemporaryFolder;
using std::chrono::milliseconds;
using test::HttpClient;

constexpr const char* kInfer =
    R"({"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 2], "data": [1, 10]}], "outputs": [{"name": "product"}]})";
constexpr const char* kProduct = "[31.0,42.0]";  // x w

void write_product_model(const TemporaryFolder& folder, const std::string& name) {
  const internal::test::ModelBytes model = internal::test::product_model();
  folder.write(name + "/inference.pdmodel", model.program);
  folder.write(name + "/inference.pdiparams", model.params);
}

ServerOptions small_server(const std::string& folder) {
  ServerOptions options;
  options.repository.folder = folder;
  options.repository.defaults.pool = coracle::Pool(2);
  options.repository.defaults.max_queue_delay = std::chrono::microseconds(500);
  options.repository_control = true;
  options.http_port = 0;
  options.grpc_port.reset();
  options.metrics_port = 0;
  return options;
}

/// A certificate that signs itself, and its key.
TlsFiles write_certificate(const TemporaryFolder& folder, int64_t serial) {
  TlsFiles files{.certificate = folder.path("tls.crt"), .key = folder.path("tls.key"), .client_ca = {}};
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86400);
  X509_set_pubkey(certificate.get(), key.get());
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const std::unique_ptr<FILE, decltype(&std::fclose)> certificates(std::fopen(files.certificate.c_str(), "w"),
                                                                   std::fclose);
  PEM_write_X509(certificates.get(), certificate.get());
  const std::unique_ptr<FILE, decltype(&std::fclose)> keys(std::fopen(files.key.c_str(), "w"), std::fclose);
  PEM_write_PrivateKey(keys.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return files;
}

/// Clients that ask for the product until the server goes away, on connections of some requests each.
class Load {
 public:
  Load(uint16_t port, bool tls, int clients) {
    for (int i = 0; i < clients; ++i) threads_.emplace_back([=, this] { ask(port, tls); });
  }
  ~Load() { end(); }
  void end() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  std::atomic<int> right{0};
  std::atomic<int> refused{0};  // the model was away, or the server is stopping
  std::atomic<int> wrong{0};

 private:
  void ask(uint16_t port, bool tls) {
    while (!stop_) {
      HttpClient client(port, tls);
      if (!client.connected()) return;
      for (int i = 0; i < 20 && !stop_; ++i) {
        const auto answer = client.ask("POST", "/v2/models/m/infer", kInfer);
        if (!answer.has_value()) break;
        const bool product = answer->status == 200 && answer->body.find(kProduct) != std::string::npos;
        ++(product ? right : answer->status == 503 || answer->status == 404 ? refused : wrong);
      }
    }
  }

  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void wait_until(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(milliseconds(10));
  EXPECT_TRUE(holds());
}

class Loaded : public testing::TestWithParam<bool> {};

TEST_P(Loaded, ModelsComeAndGoAndTheServerStopsUnderLoad) {
  const TemporaryFolder models;
  const TemporaryFolder certificates;
  write_product_model(models, "m");
  write_product_model(models, "n");
  ServerOptions options = small_server(models.path());
  if (GetParam()) options.tls = write_certificate(certificates, 1);
  Server server(options);
  server.start();
  Load load(server.http_port(), GetParam(), 4);
  wait_until([&] { return load.right > 50; });
  HttpClient control(server.http_port(), GetParam());
  for (int i = 0; i < 5; ++i) {
    for (const char* step : {"m/load", "n/unload", "n/load"}) {
      const auto answer = control.ask("POST", std::string("/v2/repository/models/") + step);
      ASSERT_TRUE(answer.has_value());
      EXPECT_EQ(answer->status, 200) << answer->body;
    }
    if (GetParam()) write_certificate(certificates, 2 + i);
    server.reload();
    HttpClient metrics(server.metrics_port());
    EXPECT_EQ(metrics.ask("GET", "/metrics")->status, 200);
  }
  EXPECT_EQ(load.refused, 0);  // a model that is loaded again is never away
  EXPECT_EQ(control.ask("POST", "/v2/repository/models/m/unload")->status, 200);
  wait_until([&] { return load.refused > 10; });
  EXPECT_EQ(control.ask("POST", "/v2/repository/models/m/load")->status, 200);
  const int before = load.right;
  wait_until([&] { return load.right > before + 50; });
  EXPECT_TRUE(server.stop());
  load.end();
  EXPECT_EQ(load.wrong, 0);
}
INSTANTIATE_TEST_SUITE_P(Server, Loaded, testing::Bool(),
                         [](const auto& tls) { return std::string(tls.param ? "Tls" : "Plain"); });

TEST(Server, ClientsThatSayNothingAreHungUpOn) {
  const TemporaryFolder models;
  const TemporaryFolder certificates;
  write_product_model(models, "m");
  for (const bool tls : {false, true}) {
    ServerOptions options = small_server(models.path());
    options.limits.header_time = milliseconds(200);
    if (tls) options.tls = write_certificate(certificates, 1);
    Server server(options);
    server.start();
    HttpClient silent(server.http_port());
    HttpClient begins(server.http_port());
    ASSERT_TRUE(begins.send(tls ? std::string("\x16\x03\x01\x02", 4) : "GET /v2"));
    HttpClient other(server.http_port(), tls);
    EXPECT_EQ(other.ask("GET", "/v2/health/live")->status, 200);
    for (HttpClient* client : {&silent, &begins}) {
      std::string received;
      while (client->receive(received)) {
      }
      EXPECT_EQ(received.find("200"), std::string::npos);
    }
  }
}

TEST(Server, ClientsThatHangUpUnderLoad) {
  const TemporaryFolder models;
  write_product_model(models, "m");
  Server server(small_server(models.path()));
  server.start();
  const std::string request = std::string("POST /v2/models/m/infer HTTP/1.1\r\nHost: a\r\nContent-Length: ") +
                              std::to_string(std::string(kInfer).size()) + "\r\n\r\n" + kInfer;
  std::vector<std::thread> clients;
  for (int c = 0; c < 4; ++c) {
    clients.emplace_back([&, c] {
      for (int i = 0; i < 60; ++i) {
        HttpClient client(server.http_port());
        const size_t cut = i % 3 == 0 ? request.size() / 2 : request.size();
        client.send(i % 3 == 1 ? request + request : request.substr(0, cut));
        if (c % 2 == 0 && i % 3 == 1) client.answer();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  HttpClient last(server.http_port());
  const auto answer = last.ask("POST", "/v2/models/m/infer", kInfer);
  ASSERT_TRUE(answer.has_value());
  EXPECT_NE(answer->body.find(kProduct), std::string::npos) << answer->body;
  EXPECT_TRUE(server.stop());
}

}  // namespace
}  // namespace coracle::serve
