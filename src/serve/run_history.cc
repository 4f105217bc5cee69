// SPDX-License-Identifier: Apache-2.0
#include "serve/run_history.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "serve/failure.h"

namespace coracle::serve {
namespace {

/// Clients choose shapes: beyond so many the one that was used longest ago is forgotten.
constexpr size_t kMostShapes = 1024;
constexpr size_t kMostCosts = 64;
/// Of a new run, in the mean and in the deviation from it.
constexpr double kWeight = 0.125;
/// From the mean to nearly all runs.
constexpr double kDeviations = 3;
/// No run takes so many microseconds, which is 30 years.
constexpr double kMostUs = 1e15;

[[noreturn]] void refuse_text() { throw Failure(Code::kInvalidArgument, "it is not what a server wrote"); }

std::string kept_text(const internal::JsonValue& value) {
  if (!value.IsString()) refuse_text();
  return {value.GetString(), value.GetStringLength()};
}

double kept_us(const internal::JsonValue& value) {
  if (!value.IsNumber() || !(value.GetDouble() >= 0 && value.GetDouble() <= kMostUs)) refuse_text();
  return value.GetDouble();
}

const internal::JsonValue& kept_member(const internal::JsonValue& object, const char* name) {
  if (!object.IsObject() || !object.HasMember(name)) refuse_text();
  return object[name];
}

}  // namespace

RunHistory::Shape& RunHistory::shape_for(const std::string& shape) {
  ++changes_;
  auto found = shapes_.find(shape);
  if (found == shapes_.end()) {
    if (shapes_.size() >= kMostShapes) {
      shapes_.erase(std::min_element(shapes_.begin(), shapes_.end(), [](const auto& a, const auto& b) {
        return a.second.last_use < b.second.last_use;
      }));
    }
    found = shapes_.emplace(shape, Shape()).first;
  }
  found->second.last_use = changes_;
  return found->second;
}

void RunHistory::add(const std::string& shape, int64_t rows, Clock::duration took) {
  const double us = std::chrono::duration<double, std::micro>(took).count();
  const std::lock_guard lock(mutex_);
  std::map<int64_t, Cost>& costs = shape_for(shape).costs;
  const auto found = costs.find(rows);
  if (found == costs.end()) {
    if (costs.size() < kMostCosts) costs[rows] = {.mean = us, .deviation = 0};
    return;
  }
  Cost& cost = found->second;
  cost.deviation += kWeight * (std::abs(us - cost.mean) - cost.deviation);
  cost.mean += kWeight * (us - cost.mean);
}

std::optional<Clock::duration> RunHistory::predict(const std::string& shape, int64_t rows) const {
  const std::lock_guard lock(mutex_);
  const auto found = shapes_.find(shape);
  if (found == shapes_.end() || found->second.costs.empty()) return std::nullopt;
  double least = INFINITY;
  for (const auto& [seen, cost] : found->second.costs) {
    const double part = seen < rows ? static_cast<double>(rows) / static_cast<double>(seen) : 1.0;
    least = std::min(least, part * (cost.mean + kDeviations * cost.deviation));
  }
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double, std::micro>(std::min(least, kMostUs)));
}

bool RunHistory::is_proven(const std::string& shape) const {
  const std::lock_guard lock(mutex_);
  const auto found = shapes_.find(shape);
  return found != shapes_.end() && found->second.proven;
}

void RunHistory::prove(const std::string& shape) {
  const std::lock_guard lock(mutex_);
  shape_for(shape).proven = true;
}

void RunHistory::refuse(const std::string& why) {
  const std::lock_guard lock(mutex_);
  refused_ = why;
  ++changes_;
}

std::optional<std::string> RunHistory::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

uint64_t RunHistory::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::string RunHistory::json() const {
  const std::lock_guard lock(mutex_);
  return internal::json_text([&](internal::JsonWriter& json) {
    json.StartObject();
    if (refused_.has_value()) json.field("refused", *refused_);
    json.objects("shapes", shapes_, [&](const auto& entry) {
      json.field("shape", entry.first);
      json.field("proven", entry.second.proven);
      json.objects("costs", entry.second.costs, [&](const auto& cost) {
        json.field("rows", cost.first);
        json.field("mean_us", cost.second.mean);
        json.field("deviation_us", cost.second.deviation);
      });
    });
    json.EndObject();
  });
}

void RunHistory::restore(std::string_view text) {
  internal::JsonDocument document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) refuse_text();
  std::map<std::string, Shape, std::less<>> shapes;
  std::optional<std::string> refused;
  if (document.HasMember("refused")) refused = kept_text(document["refused"]);
  const internal::JsonValue& list = kept_member(document, "shapes");
  if (!list.IsArray() || list.Size() > kMostShapes) refuse_text();
  for (const internal::JsonValue& entry : list.GetArray()) {
    const std::string name = kept_text(kept_member(entry, "shape"));
    const internal::JsonValue& proven = kept_member(entry, "proven");
    const internal::JsonValue& costs = kept_member(entry, "costs");
    if (!proven.IsBool() || !costs.IsArray() || costs.Size() > kMostCosts || shapes.contains(name)) refuse_text();
    Shape& shape = shapes[name];
    shape.proven = proven.GetBool();
    for (const internal::JsonValue& cost : costs.GetArray()) {
      const internal::JsonValue& rows = kept_member(cost, "rows");
      if (!rows.IsInt64() || rows.GetInt64() < 1) refuse_text();
      shape.costs[rows.GetInt64()] = {.mean = kept_us(kept_member(cost, "mean_us")),
                                      .deviation = kept_us(kept_member(cost, "deviation_us"))};
    }
  }
  const std::lock_guard lock(mutex_);
  shapes_ = std::move(shapes);
  refused_ = std::move(refused);
}

}  // namespace coracle::serve
