// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "pictures/program.h"
#include "pictures/stream.h"

namespace coracle::pictures {
namespace {

using vision::Error;
using vision::Problem;

constexpr const char* kFfmpeg = "ffmpeg";
constexpr size_t kMostFilmInfo = size_t{1} << 16;
constexpr double kUsualRate = 25;
/// How long a film may be for its number of frames to be believed.
constexpr double kMostFrames = 1e9;

/// What both programs are told of a file: its name is never an option, an address or a pattern, and what it holds names
/// no other file. Playlists are therefore not among the formats.
std::vector<std::string> input(const std::string& path) {
  return {
      "-protocol_whitelist",
      "file",
      "-format_whitelist",
      "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpeg,mpegts,mpegvideo,m4v,asf,flv,live_flv,ogg,mjpeg,h264,hevc,ivf",
      "-i",
      "file:" + path};
}

/// What ffprobe says of a video.
struct Film {
  double rate = 0;    ///< frames for each second, on average
  double frames = 0;  ///< 0: not known
};

Film film_info(const std::string& path) {
  std::vector<std::string> words{"ffprobe",
                                 "-hide_banner",
                                 "-loglevel",
                                 "error",
                                 "-select_streams",
                                 "v:0",
                                 "-show_entries",
                                 "stream=avg_frame_rate,nb_frames,duration:format=duration",
                                 "-of",
                                 "default=noprint_wrappers=1"};
  const std::vector<std::string> file = input(path);
  words.insert(words.end(), file.begin(), file.end());
  Program program(path, words, kFfmpeg);
  std::istringstream lines(program.text(kMostFilmInfo));
  Film film;
  double duration = 0;
  bool found = false;
  for (std::string line; std::getline(lines, line);) {
    double value = 0;
    double divisor = 0;
    if (std::sscanf(line.c_str(), "avg_frame_rate=%lf/%lf", &value, &divisor) == 2) {
      found = true;
      if (value > 0 && divisor > 0) film.rate = value / divisor;
    }
    if (std::sscanf(line.c_str(), "nb_frames=%lf", &value) == 1) film.frames = value;
    if (std::sscanf(line.c_str(), "duration=%lf", &value) == 1) duration = value;
  }
  if (!found) throw Error(Problem::kPicture, path + ": there is no video in the file");
  if (!(film.frames >= 1)) film.frames = std::round(duration * film.rate);
  if (!(film.frames >= 0 && film.frames <= kMostFrames)) film.frames = 0;
  return film;
}

/// What one of ffmpeg's lines says of a frame: "[taken @ 0x...] [info] n:   3 pts:   1536 pts_time:0.12 ...".
struct FrameLine {
  int64_t number = 0;
  double time = 0;
};

std::optional<FrameLine> frame_line(const std::string& line, const char* filter) {
  if (line.find(filter) == std::string::npos) return std::nullopt;
  const size_t number = line.find(" n:");
  const size_t time = line.find(" pts_time:");
  long long n = 0;
  FrameLine found;
  if (number == std::string::npos || time == std::string::npos) return std::nullopt;
  if (std::sscanf(line.c_str() + number, " n: %lld", &n) != 1) return std::nullopt;
  if (std::sscanf(line.c_str() + time, " pts_time:%lf", &found.time) != 1) return std::nullopt;
  found.number = n;
  return found;
}

std::string filters(const StreamOptions& options) {
  std::array<char, 400> text{};
  if (options.fps > 0) {
    // The first frame in each part of a second: none twice, whatever the film's rate.
    std::snprintf(text.data(), text.size(),
                  "showinfo@all=checksum=0,select='isnan(prev_selected_t)+gt(floor(t*%.9g+0.001)\\,"
                  "floor(prev_selected_t*%.9g+0.001))',",
                  options.fps, options.fps);
  } else if (options.every > 1) {
    std::snprintf(text.data(), text.size(), "select='not(mod(n\\,%lld))',", static_cast<long long>(options.every));
  }
  // The last two give the frames a steady pace, so that ffmpeg neither repeats nor drops any.
  return std::string(text.data()) + "showinfo@taken=checksum=0,settb=1/25,setpts=N";
}

class Video final : public Source {
 public:
  Video(const Given& file, const StreamOptions& options)
      : file_(file),
        film_(film_info(file.path)),
        options_(options),
        program_(file.path, words(), kFfmpeg),
        reader_(program_) {}

  std::optional<Picture> next() override {
    Picture picture{{.file = file_.path, .stem = {}}, {}, {}};
    if (!reader_.next(picture.image)) {
      program_.finish();
      if (taken_ == 0) program_.fail("gave no picture of the video: " + last_line(program_.child().messages()));
      return std::nullopt;
    }
    take_lines();
    const int64_t frame = options_.fps > 0 ? number_ : taken_ * options_.every;
    picture.place.frame = frame;
    picture.place.time =
        times_.empty() ? static_cast<double>(frame) / (film_.rate > 0 ? film_.rate : kUsualRate) : times_.begin()->time;
    if (options_.fps > 0 && !times_.empty()) picture.place.frame = times_.begin()->number;
    if (!times_.empty()) times_.erase(times_.begin());
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "_frame%06lld", static_cast<long long>(*picture.place.frame));
    picture.place.stem = file_.stem + number.data();
    picture.place.rate = rate();
    ++taken_;
    return picture;
  }

  size_t left() const override {
    const double share = options_.fps > 0 && film_.rate > 0 ? std::min(options_.fps / film_.rate, 1.0)
                                                            : 1.0 / static_cast<double>(options_.every);
    return static_cast<size_t>(std::max(std::ceil(film_.frames * share) - static_cast<double>(taken_), 0.0));
  }

 private:
  double rate() const {
    const double rate = film_.rate > 0 ? film_.rate : kUsualRate;
    return options_.fps > 0 ? std::min(options_.fps, rate) : rate / static_cast<double>(options_.every);
  }

  std::vector<std::string> words() const {
    std::vector<std::string> all{"ffmpeg",    "-nostdin",   "-hide_banner", "-nostats",
                                 "-loglevel", "level+info", "-max_pixels",  std::to_string(kMostPixels)};
    const std::vector<std::string> file = input(file_.path);
    all.insert(all.end(), file.begin(), file.end());
    for (const std::string& word : std::vector<std::string>{"-map", "0:v:0", "-vf", filters(options_), "-r", "25", "-f",
                                                            "image2pipe", "-c:v", "ppm", "-"})
      all.push_back(word);
    return all;
  }

  /// Takes what ffmpeg has said of frames: it does so before it gives them. What it says of errors stays.
  void take_lines() {
    std::string& messages = program_.child().messages();
    size_t at = 0;
    for (size_t end = messages.find('\n'); end != std::string::npos; at = end + 1, end = messages.find('\n', at)) {
      const std::string line = messages.substr(at, end - at);
      if (const std::optional<FrameLine> found = frame_line(line, "showinfo@all")) number_ = found->number;
      if (const std::optional<FrameLine> found = frame_line(line, "showinfo@taken"))
        times_.push_back({number_, found->time});
      if (line.find("[error]") != std::string::npos || line.find("[fatal]") != std::string::npos) errors_ = line + "\n";
    }
    messages = errors_ + messages.substr(at);
  }

  Given file_;
  Film film_;
  StreamOptions options_;
  Program program_;
  PpmReader reader_;
  int64_t taken_ = 0;
  int64_t number_ = 0;            ///< of the last frame that was seen
  std::vector<FrameLine> times_;  ///< of frames that were taken and not read yet
  std::string errors_;
};

}  // namespace

std::unique_ptr<Source> open_video(const Given& file, const StreamOptions& options) {
  return std::make_unique<Video>(file, options);
}

}  // namespace coracle::pictures
