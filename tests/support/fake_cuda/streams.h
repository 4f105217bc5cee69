// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace coracle::internal::fake_cuda {

/// What one waits for: the last of its records that is done.
struct Event {
  uint64_t recorded = 0;
  uint64_t done = 0;
  double time_ms = 0;  ///< of that
  bool timed = true;
};

/// Work that a stream was given while it was captured.
struct Graph {
  struct Node {
    std::function<int()> run;
    std::function<bool()> can_run;  ///< whether what it needs is still there
  };
  std::vector<Node> nodes;
};

/// One that goes on.
struct Capture {
  std::thread::id thread;
  bool is_valid = true;
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
};

struct Stream {
  struct Work {
    std::function<int()> run;      ///< returns an error of the driver, 0 for none
    std::shared_ptr<Event> event;  ///< that `record` of it is done comes first; may be null
    uint64_t record = 0;
    bool ready() const { return event == nullptr || event->done >= record; }
  };
  std::deque<Work> work;             ///< given and not done
  std::unique_ptr<Capture> capture;  ///< null: what is given is done
  int number = 0;
};

/// All streams. What was given is done while somebody waits, one thing at a time.
class Streams {
 public:
  void seed(uint64_t seed) { random_.seed(seed); }
  std::shared_ptr<Stream> add();
  /// After it has done what it was given, as of streams that are destroyed. Returns an error of that.
  int remove(const Stream& stream);
  void clear() { streams_.clear(); }

  static void give(Stream& stream, std::function<int()> run, std::function<bool()> can_run);
  /// Starts the work of a graph: false where something of it is gone.
  static bool launch(Stream& stream, const std::shared_ptr<Graph>& graph);
  /// Whether the calling thread captures, in which it may not do what is asked: that ends it.
  bool invalidate_capture();

  void record(Stream& stream, const std::shared_ptr<Event>& event);
  static void wait(Stream& stream, const std::shared_ptr<Event>& event);

  /// Does what is drawn until that is so; an error of what was done, after which nothing else is.
  int until(const std::function<bool()>& done);
  int until_idle(const Stream& stream) {
    return until([&] { return stream.work.empty(); });
  }
  int until_idle();
  /// One thing, if anything can be done.
  int step();
  /// Nothing of what was given will be done.
  void forget();
  /// What is done now takes so long, as events see it.
  void pass(double ms) { passed_ms_ += ms; }

  /// Called between what is done while somebody waits, for other threads: a code other than 0 ends that.
  std::function<int()> pause;
  /// What is done from now on by `log`, or nothing any more.
  void keep_log(bool on) {
    logs_ = on;
    if (on) log_.clear();
  }
  /// Notes that the stream of which work is done now has done something of that kind.
  void log(char kind) {
    if (logs_) log_.append(1, kind).append(std::to_string(now_)).append(1, ' ');
  }
  const std::string& logged() const { return log_; }

 private:
  std::mt19937_64 random_{1};
  std::vector<std::shared_ptr<Stream>> streams_;
  int made_ = 0;
  int now_ = 0;  ///< number of the stream whose work is done
  double passed_ms_ = 0;
  bool logs_ = false;
  std::string log_;
};

}  // namespace coracle::internal::fake_cuda
