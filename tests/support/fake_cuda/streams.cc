// SPDX-License-Identifier: Apache-2.0
#include "support/fake_cuda/streams.h"

#include <algorithm>
#include <chrono>

#include "support/fake_cuda/stop.h"

namespace coracle::internal::fake_cuda {
namespace {

double now_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

}  // namespace

std::shared_ptr<Stream> Streams::add() {
  streams_.push_back(std::make_shared<Stream>());
  streams_.back()->number = ++made_;
  return streams_.back();
}

int Streams::remove(const Stream& stream) {
  const int code = until_idle(stream);
  std::erase_if(streams_, [&](const auto& s) { return s.get() == &stream; });
  return code;
}

void Streams::give(Stream& stream, std::function<int()> run, std::function<bool()> can_run) {
  if (stream.capture == nullptr) return stream.work.push_back({std::move(run), nullptr, 0});
  stream.capture->graph->nodes.push_back({std::move(run), std::move(can_run)});
}

bool Streams::launch(Stream& stream, const std::shared_ptr<Graph>& graph) {
  for (const Graph::Node& node : graph->nodes) {
    if (!node.can_run()) return false;
  }
  // Other streams' work may come in between.
  for (const Graph::Node& node : graph->nodes) stream.work.push_back({node.run, nullptr, 0});
  return true;
}

bool Streams::invalidate_capture() {
  bool captures = false;
  for (const auto& stream : streams_) {
    if (stream->capture == nullptr || stream->capture->thread != std::this_thread::get_id()) continue;
    stream->capture->is_valid = false;
    captures = true;
  }
  return captures;
}

void Streams::record(Stream& stream, const std::shared_ptr<Event>& event) {
  const uint64_t number = ++event->recorded;
  const auto done = [this, event, number] {
    event->done = number;
    event->time_ms = now_ms() + passed_ms_;
    return 0;
  };
  stream.work.push_back({done, nullptr, 0});
}

void Streams::wait(Stream& stream, const std::shared_ptr<Event>& event) {
  stream.work.push_back({[] { return 0; }, event, event->recorded});
}

int Streams::step() {
  std::vector<Stream*> ready;
  for (const auto& stream : streams_) {
    if (!stream->work.empty() && stream->work.front().ready()) ready.push_back(stream.get());
  }
  if (ready.empty()) return 0;
  Stream& drawn = *ready[random_() % ready.size()];
  const Stream::Work work = std::move(drawn.work.front());
  drawn.work.pop_front();
  now_ = drawn.number;
  const int code = work.run();
  if (code != 0) forget();
  return code;
}

int Streams::until(const std::function<bool()>& done) {
  while (!done()) {
    const auto left = [&] {
      size_t sum = 0;
      for (const auto& stream : streams_) sum += stream->work.size();
      return sum;
    };
    const size_t before = left();
    if (const int code = step()) return code;
    if (left() == before) stop("somebody waits for what will never be done");
    if (pause == nullptr) continue;
    if (const int code = pause()) return code;
  }
  return 0;
}

int Streams::until_idle() {
  return until(
      [&] { return std::all_of(streams_.begin(), streams_.end(), [](const auto& s) { return s->work.empty(); }); });
}

void Streams::forget() {
  for (const auto& stream : streams_) stream->work.clear();
}

}  // namespace coracle::internal::fake_cuda
