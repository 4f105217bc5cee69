// SPDX-License-Identifier: Apache-2.0
#include "cli/input/picture.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "cli/failure.h"
#include "cli/file.h"
#include "cli/text.h"

namespace coracle::cli {

vision::Image read_picture(const std::string& path) {
  const std::string content = read_file(path);
  try {
    return vision::decode_image(path, reinterpret_cast<const uint8_t*>(content.data()), content.size(),
                                {.on_white = true, .whole = true});
  } catch (const vision::Error& e) {
    throw Failure(ExitCode::kIo, e.what());
  }
}

void parse_resize(const std::string& text, ImageOptions& options) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string mode = text.substr(0, colon);
  const std::string rest = colon < text.size() ? text.substr(colon + 1) : "";
  int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  const bool number = error == std::errc() && end == rest.data() + rest.size();
  const bool plain = colon == text.size();
  if (mode == "exact" && plain) {
    options.resize = client::Resize::kExact;
  } else if (mode == "none" && plain) {
    options.resize = client::Resize::kNone;
  } else if (mode == "short" && (plain || (number && value >= 1 && value <= 65536))) {
    options.resize = client::Resize::kShort;
    options.side = value;
  } else if (mode == "letterbox" && (plain || (number && value >= 0 && value <= 255))) {
    options.resize = client::Resize::kLetterbox;
    if (!plain) options.grey = static_cast<uint8_t>(value);
  } else {
    throw std::invalid_argument("'" + text +
                                "' is none of exact, short, short:SIDE, letterbox, letterbox:GREY (0 to 255), none");
  }
}

std::array<double, 3> parse_channels(const std::string& text) {
  const std::vector<double> values = parse_numbers(text);
  if (values.size() != 1 && values.size() != 3) {
    throw std::invalid_argument("'" + text + "' has " + std::to_string(values.size()) +
                                " numbers: expected one, or three for the channels");
  }
  return {values.front(), values[values.size() / 2], values.back()};
}

}  // namespace coracle::cli
