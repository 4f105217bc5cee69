// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/json.h"
#include "serve/access_log.h"
#include "serve/grpc_status.h"
#include "serve/http_client.h"
#include "serve/otlp_json.h"
#include "serve/prometheus_text.h"
#include "serve/trace_exporter.h"

namespace coracle::serve {
namespace {

TEST(ValidUtf8, HasNoOtherBytes) {
  EXPECT_EQ(valid_utf8("plain \x01 text", 100), "plain \x01 text");
  EXPECT_EQ(valid_utf8("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 100), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("a\xFFz\x80", 100), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xC3\xA4", 1), "\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8("\xED\xA0\x80", 100), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(valid_utf8(std::string("\0b", 2), 100), std::string("\0b", 2));
  EXPECT_EQ(valid_utf8("abc", 2), "ab");
}

TEST(TraceContext, IsWhatTheStandardSays) {
  const std::string header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const auto context = parse_traceparent(header);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(context->parent_id, "00f067aa0ba902b7");
  EXPECT_TRUE(context->sampled);
  EXPECT_EQ(traceparent_of({.trace_id = context->trace_id, .parent_id = {}, .span_id = context->parent_id}),
            header.substr(0, 53) + "00");
  for (size_t i = 0; i < header.size(); ++i) {
    std::string wrong = header;
    wrong[i] = 'G';
    EXPECT_FALSE(parse_traceparent(wrong).has_value()) << wrong;
    EXPECT_FALSE(parse_traceparent(header.substr(0, i)).has_value());
  }
  EXPECT_EQ(random_id(16).size(), 32U);
  EXPECT_NE(random_id(8), random_id(8));
}

TEST(HttpUrl, HasHostPortAndPath) {
  const auto parts = [](const char* url) {
    const HttpUrl parsed = parse_http_url(url);
    return parsed.host + ' ' + parsed.port + ' ' + parsed.target;
  };
  EXPECT_EQ(parts("http://a.example"), "a.example 80 /");
  EXPECT_EQ(parts("http://10.0.0.1:4318/v1/traces?x=1"), "10.0.0.1 4318 /v1/traces?x=1");
  EXPECT_EQ(parts("http://[::1]:4318/v1"), "::1 4318 /v1");
  EXPECT_EQ(parts("http://[::1]"), "::1 80 /");
  for (const char* wrong : {"https://a", "ftp://a", "http://", "http://:80", "http://a:", "http://a:0", "http://a:x",
                            "http://[::1", "http://[::1]80", "http://a b", "http://u@a", "http://a/\r\nX: y"})
    EXPECT_THROW(parse_http_url(wrong), Failure) << wrong;
}

TEST(PrometheusText, EscapesLabels) {
  PrometheusText text;
  text.metric("a_total", "counter", "help", uint64_t{7});
  text.family("b", "gauge", "more");
  text.sample({{"x", "q\"b\\n\n"}, {"y", ""}}, 0.25);
  EXPECT_EQ(text.take(),
            "# HELP a_total help\n# TYPE a_total counter\na_total 7\n# HELP b more\n# TYPE b gauge\n"
            "b{x=\"q\\\"b\\\\n\\n\",y=\"\"} 0.25\n");
}

TEST(Observing, CallsOfGrpcHaveBothStatuses) {
  RequestRecord record;
  record.method = "POST";
  record.path = "/inference.GRPCInferenceService/ModelInfer";
  record.end = record.begin;
  for (size_t status = 0; status < kGrpcStatuses.size(); ++status) {
    record.grpc_status = static_cast<uint8_t>(status);
    record.status = grpc_status(status).http;
    EXPECT_NE(access_line(record).find(std::string("\"grpc_status\":\"") + kGrpcStatuses[status].name + '"'),
              std::string::npos);
    EXPECT_EQ(record.status == 200, status == 0);
  }
  EXPECT_STREQ(grpc_status(99).name, "UNKNOWN");
  const std::shared_ptr<const RequestRecord> shared(&record, [](const RequestRecord*) {});
  const std::string spans = otlp_json({shared});
  EXPECT_NE(spans.find("inference.GRPCInferenceService\"}"), std::string::npos) << spans;
  EXPECT_EQ(spans.find("http.request.method"), std::string::npos);
}

TEST(RequestRecord, KeepsRunsUpToABound) {
  RequestRecord record;
  for (int run = 0; run < 200; ++run) record.add({.model = "m", .version = run, .times = {}});
  ASSERT_EQ(record.runs().size(), 128U);
  EXPECT_EQ(record.runs().back().version, 127);
}

std::shared_ptr<const RequestRecord> record_of(const std::string& path) {
  auto record = std::make_shared<RequestRecord>();
  record->path = path;
  record->status = 200;
  record->end = record->begin;
  record->trace = {.trace_id = random_id(16), .parent_id = {}, .span_id = random_id(8), .sampled = true};
  return record;
}

TEST(AccessLog, HasALineForEachRequestOfAllThreads) {
  std::string folder = std::filesystem::temp_directory_path() / "coracle-log-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/log";
  {
    AccessLog log(path);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) log.add(record_of("/" + std::string(static_cast<size_t>(i), 'a')));
        log.reopen();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::ifstream file(path);
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    internal::JsonDocument object;
    object.Parse(line.data(), line.size());
    EXPECT_TRUE(object.IsObject()) << line;
  }
  EXPECT_EQ(lines, 800);
  std::filesystem::remove_all(folder);
  EXPECT_THROW(AccessLog(folder + "/none"), Failure);
}

TEST(TraceExporter, LosesWhatNobodyTakesAndEndsInTime) {
  const auto begin = Clock::now();
  TraceExporter exporter(parse_http_url("http://127.0.0.1:9/v1/traces"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) exporter.add(record_of("/"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(exporter.lost(), 0U);
  EXPECT_EQ(exporter.exported(), 0U);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(60));
}

TEST(Otlp, PartsThatDidNotEndAreFailures) {
  auto record = std::make_shared<RequestRecord>();
  record->trace = {.trace_id = "1", .parent_id = {}, .span_id = "2", .sampled = true};
  record->path = "\xFF";
  record->status = 504;
  const auto at = [&](int ms) { return record->begin + std::chrono::milliseconds(ms); };
  record->end = at(9);
  Timeline times{.queued = at(1), .started = at(2), .inputs_ready = at(3), .computed = {}, .done = at(8)};
  record->add({.model = "m", .version = 1, .times = times, .failed = true});
  record->add({.model = "refused", .version = 1, .times = {}, .failed = true});
  internal::JsonDocument sent;
  const std::string text = otlp_json({record});
  sent.Parse<rapidjson::kParseValidateEncodingFlag>(text.c_str());
  ASSERT_FALSE(sent.HasParseError()) << text;
  const auto& spans = sent["resourceSpans"][0]["scopeSpans"][0]["spans"];
  ASSERT_EQ(spans.Size(), 4U) << text;
  EXPECT_STREQ(spans[3]["name"].GetString(), "compute_infer");
  EXPECT_EQ(spans[3]["status"]["code"].GetInt(), 2);
  EXPECT_FALSE(spans[1]["status"].HasMember("code"));
  EXPECT_EQ(spans[0]["status"]["code"].GetInt(), 2);
  EXPECT_EQ(std::stoll(spans[3]["endTimeUnixNano"].GetString()) - std::stoll(spans[0]["startTimeUnixNano"].GetString()),
            8'000'000);
}

}  // namespace
}  // namespace coracle::serve
