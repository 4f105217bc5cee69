// SPDX-License-Identifier: Apache-2.0
#include "read.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/system/native_path.h"
#include "cli/progress.h"
#include "coracle/coracle.hpp"
#include "coracle/vision/document_output.h"
#include "coracle/vision/text_picture.h"
#include "markdown_files.h"
#include "pictures/in_order.h"
#include "report.h"

namespace ocr {
namespace {

namespace pictures = coracle::pictures;
namespace vision = coracle::vision;
using coracle::cli::ExitCode;
using coracle::cli::Failure;
using coracle::internal::native_path;
using coracle::internal::path_text;

// The file of what is written for a picture; its folder is made.
std::string written_as(const std::string& folder, const pictures::Place& place, const char* ending) {
  const std::filesystem::path path = native_path(folder) / native_path(place.stem + ending);
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw Failure(ExitCode::kIo, path_text(path.parent_path()) + ": cannot be made: " + error.message());
  return path_text(path);
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void write_files(Result& result, const ReadOptions& options) {
  const vision::Document& document = result.document;
  if (!options.drawings.empty()) {
    const std::string path = written_as(options.drawings, result.place, "_boxes.png");
    vision::write_png(path, vision::draw(document));
    result.written.push_back("boxes drawn in " + path);
  }
  if (!options.texts.empty()) {
    const vision::TextPicture drawn = vision::draw_texts(document.page, document.lines, options.font);
    const std::string path = written_as(options.texts, result.place, "_text.png");
    vision::write_png(path, drawn.image);
    result.written.push_back("texts drawn in " + path);
    if (!drawn.missing.empty()) {
      result.note = result.place.name() + ": the font " + drawn.font + " has no " + drawn.missing +
                    "; --font FILE chooses another";
    }
  }
  if (!options.pages.empty()) {
    const std::string path = written_as(options.pages, result.place, ".html");
    pictures::Place named = result.place;
    named.file = path_text(native_path(named.file).filename());
    coracle::write_file(path, vision::to_html(document, named.name()));
    result.written.push_back("page written to " + path);
  }
  if (!options.structures.empty()) {
    const std::string path = written_as(options.structures, result.place, "_res.json");
    coracle::write_file(path, vision::to_json(document, {.path = printable(result.place.file)}));
    result.written.push_back("blocks written to " + path);
  }
}

Result read(vision::DocumentReader& reader, pictures::Picture picture, const ReadOptions& options) {
  Result result;
  result.place = std::move(picture.place);
  result.problem = std::move(picture.problem);
  if (!result.problem.empty()) return result;
  try {
    for (int run = 0; run <= options.repeat; ++run) {
      const auto start = std::chrono::steady_clock::now();
      result.document = reader.read(picture.image, options.min_score);
      const double time = milliseconds_since(start);
      if (run == 0) {
        result.first_ms = time;
      } else {
        result.later_ms.push_back(time);
      }
    }
    write_files(result, options);
  } catch (const vision::Error& error) {
    if (error.problem() != vision::Problem::kPicture) throw;
    result.problem = error.what();
    const std::string name = result.place.name();
    if (!result.problem.starts_with(name)) result.problem.insert(0, name + ": ");
  }
  if (options.markdown.empty()) result.document.page.bgr = {};  // only its size is told
  return result;
}

// The pictures of a stream, each with a name of its own for what is written.
class NamedPictures {
 public:
  explicit NamedPictures(pictures::Stream& stream) : stream_(stream) {}
  std::optional<pictures::Picture> next() {
    std::optional<pictures::Picture> picture = stream_.next();
    if (!picture) return picture;
    const std::string stem = picture->place.stem;
    for (int i = 2; !used_.insert(picture->place.stem).second; ++i)
      picture->place.stem = stem + "_" + std::to_string(i);
    return picture;
  }

 private:
  pictures::Stream& stream_;
  std::set<std::string> used_;
};

// What is told of the pictures, one after the other.
class Report {
 public:
  explicit Report(const ReadOptions& options, const pictures::Stream& stream)
      : format_(options.format), columns_{stream.has(pictures::Kind::kPdf), stream.has(pictures::Kind::kVideo)} {}

  void begin(std::size_t models, double load_ms) const {
    if (format_ == Format::kText) std::printf("%s loaded in %.1f ms\n", ocr::models(models).c_str(), load_ms);
    if (format_ == Format::kJson) std::printf("{\"load_ms\": %.3f, \"results\": [", load_ms);
    if (format_ == Format::kCsv) std::fputs(csv_header(columns_).c_str(), stdout);
  }
  void add(const Result& result) {
    if (!result.note.empty()) tell(result.note);
    if (!result.problem.empty()) {
      tell(result.problem);
      if (format_ == Format::kJsonLines) std::printf("%s\n", error_json(result).c_str());
      return;
    }
    switch (format_) {
      case Format::kText: std::fputs((to_text(result) + to_times(result)).c_str(), stdout); break;
      case Format::kJson:
        std::printf("%s\n%s", separator_, to_json(result).c_str());
        separator_ = ",";
        break;
      case Format::kJsonLines: {
        std::string line = to_json(result);  // line breaks stand only between its parts
        std::erase(line, '\n');
        std::printf("%s\n", line.c_str());
        break;
      }
      case Format::kCsv: std::fputs(to_csv(result, columns_).c_str(), stdout); break;
    }
    std::fflush(stdout);
  }
  void end() const {
    if (format_ == Format::kJson) std::printf("]}\n");
  }

 private:
  Format format_;
  PlaceColumns columns_;
  const char* separator_ = "";
};

}  // namespace

// Paths may hold any bytes: those that no terminal shows are written as \xNN.
void tell(const std::string& message) {
  coracle_set_last_error(message.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "coracle-ocr: %s\n", coracle_last_error());
}

ExitCode read_all(const vision::DocumentReaderFiles& models, std::size_t count, const ReadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  pictures::Stream stream(options.pictures, options.reading);
  vision::ReaderOptions how{.threads = options.threads};
  if (options.jobs > 1) {
    if (how.threads == 0) how.threads = std::max(1, coracle_default_threads() / options.jobs);
    how.open = vision::open_shared(how.threads);
  }
  std::vector<vision::DocumentReader> readers;
  for (int i = 0; i < options.jobs; ++i) readers.emplace_back(models, how);
  Report report(options, stream);
  report.begin(count, milliseconds_since(start));
  ExitCode code = ExitCode::kOk;
  const coracle::cli::Progress progress;
  NamedPictures named(stream);
  MarkdownFiles markdown(options.markdown);
  std::size_t done = 0;
  pictures::InOrder<Result>(
      static_cast<std::size_t>(options.jobs),
      [&](std::size_t job, pictures::Picture picture) { return read(readers[job], std::move(picture), options); })
      .run(
          [&] {
            if (stream.expected() > 1) progress.show(done, stream.expected());
            return named.next();
          },
          [&](const Result& result) {
            ++done;
            progress.clear();
            if (!result.problem.empty()) code = ExitCode::kIo;
            if (result.problem.empty()) markdown.add(result);
            report.add(result);
          });
  progress.clear();
  report.end();
  markdown.finish();
  if (options.format == Format::kText) {
    for (const std::string& file : markdown.files()) std::printf("Markdown written to %s\n", file.c_str());
  }
  return code;
}

}  // namespace ocr
