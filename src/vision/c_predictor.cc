// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "vision/c_interface.h"
#include "vision/c_use.h"

namespace coracle::vision {
namespace {

coracle_predictor_options default_predictor_options() {
  coracle_predictor_options options{};
  options.topk = -1;
  options.threshold = -1;
  return options;
}

coracle_text_reader_options default_text_reader_options() {
  coracle_text_reader_options options{};
  options.min_score = 0.5F;
  return options;
}

PredictorOptions convert(const coracle_predictor_options* given) {
  const coracle_predictor_options c = read_options(given, default_predictor_options(), "coracle_predictor_options");
  check_threads(c.threads);
  PredictorOptions options;
  options.params = or_empty(c.params);
  options.description = or_empty(c.description);
  if (c.task != nullptr) options.task = task_of(c.task);
  options.labels = or_empty(c.labels);
  if (c.topk >= 0) options.topk = c.topk;
  if (c.threshold >= 0) options.threshold = c.threshold;
  options.threads = c.threads;
  return options;
}

}  // namespace
}  // namespace coracle::vision

using coracle::vision::guard;
using coracle::vision::require_pointer;

struct coracle_predictor {
  template <class Place>
  coracle_predictor(const Place& place, const coracle_predictor_options* options)
      : predictor(place, coracle::vision::convert(options)) {}
  coracle::vision::Predictor predictor;
  coracle::vision::Use use;
};

struct coracle_text_reader : coracle::vision::ReaderInUse<coracle::vision::TextReader> {
  using ReaderInUse::ReaderInUse;
};

extern "C" {

void coracle_predictor_options_init(coracle_predictor_options* options, size_t struct_size) {
  coracle::vision::init_options(options, struct_size, coracle::vision::default_predictor_options());
}

coracle_status coracle_predictor_create(const char* path, const coracle_predictor_options* options,
                                        coracle_predictor** predictor) {
  return guard([&] {
    require_pointer(path, "path");
    require_pointer(predictor, "predictor");
    *predictor = new coracle_predictor(std::string(path), options);
  });
}

coracle_status coracle_predictor_create_memory(const void* archive, size_t size,
                                               const coracle_predictor_options* options,
                                               coracle_predictor** predictor) {
  return guard([&] {
    require_pointer(archive, "archive");
    require_pointer(predictor, "predictor");
    *predictor = new coracle_predictor(coracle::vision::ModelBytes{archive, size}, options);
  });
}

const char* coracle_predictor_task(const coracle_predictor* predictor) {
  return predictor == nullptr ? nullptr : coracle::vision::task_name(predictor->predictor.task());
}

const char* coracle_predictor_assumed(const coracle_predictor* predictor) {
  return predictor == nullptr ? nullptr : predictor->predictor.assumed().c_str();
}

coracle_status coracle_predictor_predict(coracle_predictor* predictor, const coracle_image* image,
                                         coracle_prediction** prediction) {
  return guard([&] {
    require_pointer(predictor, "predictor");
    require_pointer(image, "image");
    require_pointer(prediction, "prediction");
    predictor->use.alone("predictor", [&](const std::atomic<std::uint32_t>* cancelled) {
      auto made = coracle::vision::prediction_of(image->image, coracle_predictor_task(predictor));
      made->prediction = predictor->predictor.predict(image->image, cancelled);
      coracle::vision::add_items(*made);
      *prediction = made.release();
    });
  });
}

coracle_status coracle_predictor_cancel(coracle_predictor* predictor) {
  return guard([&] {
    require_pointer(predictor, "predictor");
    predictor->use.cancel();
  });
}

void coracle_predictor_free(coracle_predictor* predictor) { delete predictor; }

void coracle_text_reader_options_init(coracle_text_reader_options* options, size_t struct_size) {
  coracle::vision::init_options(options, struct_size, coracle::vision::default_text_reader_options());
}

coracle_status coracle_text_reader_create(const coracle_text_reader_options* options, coracle_text_reader** reader) {
  return guard([&] {
    using coracle::vision::or_empty;
    require_pointer(options, "options");
    require_pointer(reader, "reader");
    const coracle_text_reader_options c = coracle::vision::read_options(
        options, coracle::vision::default_text_reader_options(), "coracle_text_reader_options");
    coracle::vision::check_threads(c.threads);
    require_pointer(c.detector, "detector");
    require_pointer(c.recognizer, "recognizer");
    coracle::vision::check_min_score(c.min_score);
    const coracle::vision::TextReaderFiles files{.detector = c.detector,
                                                 .classifier = or_empty(c.classifier),
                                                 .recognizer = c.recognizer,
                                                 .dictionary = or_empty(c.dictionary)};
    *reader = new coracle_text_reader(files, c.threads, c.min_score);
  });
}

coracle_status coracle_text_reader_read(coracle_text_reader* reader, const coracle_image* image,
                                        coracle_prediction** prediction) {
  return guard([&] {
    require_pointer(reader, "reader");
    require_pointer(image, "image");
    require_pointer(prediction, "prediction");
    std::vector<coracle::vision::TextLine> lines = reader->read("text reader", image->image);
    *prediction = coracle::vision::prediction_of(image->image, std::move(lines)).release();
  });
}

coracle_status coracle_text_reader_cancel(coracle_text_reader* reader) {
  return guard([&] {
    require_pointer(reader, "reader");
    reader->use.cancel();
  });
}

void coracle_text_reader_free(coracle_text_reader* reader) { delete reader; }

}  // extern "C"
