// SPDX-License-Identifier: Apache-2.0
// What the C interface is made of: handles, option structs, and the one way out for errors.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "coracle/coracle.hpp"
#include "coracle/vision/text_reader.h"
#include "coracle/vision/vision.h"

struct coracle_image {
  coracle::vision::Image image;
};

struct coracle_prediction {
  struct Item {
    coracle_vision_item item;  ///< without its pointers
    std::string text;
    std::vector<float> outline;
    std::vector<float> polygon;
  };
  coracle::vision::Prediction prediction;
  std::vector<coracle::vision::TextLine> lines;  ///< of a text reader
  const char* task = "";
  int width = 0;  ///< of the picture
  int height = 0;
  std::vector<Item> items;
};

namespace coracle::vision {

/// Fills in the items of what was predicted.
void add_items(coracle_prediction& prediction);

/// A prediction of the picture, yet without what was found.
inline std::unique_ptr<coracle_prediction> prediction_of(const Image& image, const char* task) {
  auto made = std::make_unique<coracle_prediction>();
  made->task = task;
  made->width = image.width;
  made->height = image.height;
  return made;
}

/// Lines that were read in the picture, with their items.
inline std::unique_ptr<coracle_prediction> prediction_of(const Image& image, std::vector<TextLine> lines) {
  auto made = prediction_of(image, "text-reading");
  made->lines = std::move(lines);
  add_items(*made);
  return made;
}

[[noreturn]] inline void refuse(const std::string& message) { throw Error(Problem::kUsage, message); }

/// Error unless a pointer argument is given.
inline void require_pointer(const void* p, const char* name) {
  if (p == nullptr) refuse(std::string("argument '") + name + "' is null");
}

inline std::string or_empty(const char* text) { return text == nullptr ? std::string() : std::string(text); }

/// Error unless `threads` is a number of threads that a model may be given.
inline void check_threads(int threads) {
  constexpr int kMost = 1024;
  if (threads < 0 || threads > kMost)
    refuse("threads is " + std::to_string(threads) + ", expected 0 to " + std::to_string(kMost));
}

/// Error unless `min_score` is a score that lines can have.
inline void check_min_score(float min_score) {
  if (!(min_score >= 0 && min_score <= 1)) refuse("min_score is " + std::to_string(min_score) + ", expected 0 to 1");
}

/// Runs f and turns whatever it throws into a status and a message. `picture`: what a picture that cannot be taken is.
template <class F>
coracle_status guard(const F& f, coracle_status picture = CORACLE_INVALID_ARGUMENT) noexcept {
  const auto keep = [](coracle_status status, const char* message) {
    coracle_set_last_error(message);
    return status;
  };
  try {
    f();
    return CORACLE_OK;
  } catch (const Error& e) {
    switch (e.problem()) {
      case Problem::kUsage: return keep(CORACLE_INVALID_ARGUMENT, e.what());
      case Problem::kPicture: return keep(picture, e.what());
      case Problem::kFile: return keep(CORACLE_IO, e.what());
      case Problem::kDescription: return keep(CORACLE_INVALID_MODEL, e.what());
      case Problem::kUnsupported: return keep(CORACLE_UNSUPPORTED, e.what());
    }
    return keep(CORACLE_RUN_FAILURE, e.what());
  } catch (const coracle::Exception& e) {
    return keep(e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return keep(CORACLE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::length_error&) {  // a list that no memory holds
    return keep(CORACLE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return keep(CORACLE_RUN_FAILURE, e.what());
  }
}

/// Writes the first `struct_size` bytes of the defaults.
template <class Options>
void init_options(Options* options, std::size_t struct_size, Options defaults) {
  if (options == nullptr) return;
  defaults.struct_size = struct_size;
  std::memcpy(options, &defaults, std::min(struct_size, sizeof(Options)));
}

/// What a user gave, with defaults for the fields that were added after the user was compiled. Fields of a later
/// version must be zero.
template <class Options>
Options read_options(const Options* given, Options defaults, const char* name) {
  if (given == nullptr) return defaults;
  std::size_t size = 0;  // Read alone: the user's struct may be smaller than ours.
  std::memcpy(&size, given, sizeof(size));
  constexpr std::size_t kLargest = 4096;  // not a size that a struct can have
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size < sizeof(size) || size % sizeof(size) != 0 || size > kLargest ||
      !std::all_of(bytes + std::min(size, sizeof(Options)), bytes + size, [](unsigned char b) { return b == 0; })) {
    refuse(std::string(name) + " has struct_size " + std::to_string(size) + ", here it is " +
           std::to_string(sizeof(Options)) + ": call " + name +
           "_init first, and set no options that this version of the library does not have");
  }
  std::memcpy(&defaults, given, std::min(size, sizeof(Options)));
  return defaults;
}

}  // namespace coracle::vision
