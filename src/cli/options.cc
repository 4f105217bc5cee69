// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "cli/text.h"
#include "command_line/command_table.h"

namespace coracle::cli {
namespace {

/// An option whose text `set` takes; what it throws is told as a mistake in that option.
template <class F>
CLI::Option* add_parsed(CLI::App* command, const std::string& name, const std::string& type,
                        const std::string& description, const F& set) {
  return command
      ->add_option_function<std::string>(
          name,
          [name, set](const std::string& text) {
            try {
              set(text);
            } catch (const std::invalid_argument& e) {
              throw CLI::ValidationError(name, e.what());
            }
          },
          description)
      ->type_name(type);
}

}  // namespace

std::string Help::make_option_opts(const CLI::Option* option) const {
  if (option->get_items_expected_max() == 0) return "";
  return " " + command_line::value_text(*option) + (option->get_expected_max() > 1 ? " ..." : "");
}

std::string Help::make_option_desc(const CLI::Option* option) const {
  std::string text = option->get_description();
  const std::string type = option->get_type_name();
  if (const size_t colon = type.find(" in ["); colon != std::string::npos) text += ", " + type.substr(colon + 4);
  // Where what it takes does not list them already.
  const std::vector<std::string> choices = command_line::choices_of(*option);
  if (!choices.empty() && command_line::value_text(*option).find('|') == std::string::npos) {
    text += ": ";
    for (const std::string& choice : choices) text += (&choice == choices.data() ? "" : ", ") + choice;
  }
  if (!option->get_default_str().empty()) text += " (default: " + option->get_default_str() + ")";
  for (const CLI::Option* needed : option->get_needs()) text += " (with " + needed->get_name() + ")";
  return text;
}

void add_bytes(CLI::App* command, const std::string& name, size_t& value, const std::string& description) {
  add_bytes(command, name, std::vector<size_t*>{&value}, description);
}

void add_bytes(CLI::App* command, const std::string& name, const std::vector<size_t*>& values,
               const std::string& description) {
  const size_t value = *values.front();
  add_parsed(command, name, "SIZE", description, [values](const std::string& text) {
    for (size_t* value : values) *value = static_cast<size_t>(parse_bytes(text));
  })->default_str(value == SIZE_MAX ? "" : std::to_string(value));
}

void require_finite_numbers(CLI::App& app) {
  const auto finite = [](std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool is_number = end != text.c_str() && *end == '\0';  // what is none is told when it is converted
    return is_number && !std::isfinite(value) ? "'" + text + "' is not a finite number" : std::string();
  };
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      if (option->get_type_name().starts_with("FLOAT")) option->check(CLI::Validator(finite, ""));
    }
  }
}

void add_inputs(CLI::App* command, InputOptions& inputs) {
  ImageOptions& image = inputs.image;
  command
      ->add_option("--input", inputs.files,
                   "NAME=FILE (.npy, .npz, .json, .bin, .png, .jpg, .bmp, .webp); FILE.npz or FILE.json alone: all "
                   "inputs by their names; with 'run', NAME=FOLDER: once for each file")
      ->type_name("NAME=FILE")
      ->default_str("");
  command
      ->add_option("--shape", inputs.shapes,
                   "1,3,224,224, 1x3x224x224 or [1,3,224,224]: shape of made-up values and "
                   ".bin files, or size of a picture")
      ->type_name("NAME=DIMS")
      ->default_str("");
  command->add_option("--dtype", inputs.dtypes, "what a .bin file holds, if not the type of the input: NAME=uint8")
      ->type_name("NAME=TYPE")
      ->default_str("");
  command->add_option("--lod", inputs.lods, "0,3,7[/0,1,...]: sequence offsets, coarsest level first")
      ->type_name("NAME=OFFSETS")
      ->default_str("");
  command->add_option("--seed", inputs.seed, "text that made-up values come from");
  const auto normalised = [&image](auto& field) {
    return [&image, &field](const std::string& text) {
      field = parse_channels(text);
      image.normalised = true;
    };
  };
  add_parsed(command, "--mean", "NUMBERS",
             "of pictures: (pixel * scale - mean) / std; one number or three, in the order "
             "of the channels",
             normalised(image.mean))
      ->default_str("0");
  add_parsed(command, "--std", "NUMBERS", "of pictures",
             [set = normalised(image.std), &image](const std::string& text) {
               set(text);
               if (std::count(image.std.begin(), image.std.end(), 0.0) != 0)
                 throw std::invalid_argument("a std of 0 divides by 0");
             })
      ->default_str("1");
  add_parsed(command, "--scale", "NUMBER", "of pictures, a number or a fraction", [&image](const std::string& text) {
    image.scale = parse_number(text);
    image.normalised = true;
  })->default_str("1/255");
  CLI::Option* bgr = command->add_flag("--bgr", image.bgr, "pictures have blue first, as OpenCV reads them");
  command
      ->add_flag_callback(
          "--rgb", [] {}, "pictures have red first (the default)")
      ->excludes(bgr);
  add_parsed(command, "--resize", "MODE",
             "of pictures: exact (stretched), short[:SIDE] (scaled by the shorter side, cut "
             "from the middle), letterbox[:GREY] (fitted, with a border), none",
             [&image](const std::string& text) { parse_resize(text, image); })
      ->default_str("exact");
}

}  // namespace coracle::cli
