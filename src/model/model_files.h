// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/byte_source.h"

namespace coracle::internal {

/// What the user gives: a folder, a program file, a parameter file, or program and parameters.
struct ModelSource {
  std::shared_ptr<const ByteSource> files;
  std::string model;   ///< folder, program file, parameter file or archive; "x.tar/folder" is a folder in one
  std::string params;  ///< parameter file, or folder of parameter files; empty: found by Paddle's naming rules

  static ModelSource on_disk(std::string model, std::string params = {}) {
    return {disk_source(), std::move(model), std::move(params)};
  }
  static ModelSource by_callback(ReadFile read, std::string model, std::string params = {}) {
    return {callback_source(std::move(read)), std::move(model), std::move(params)};
  }
  /// A program and its combined parameters in memory; empty parameters for a program without any.
  static ModelSource in_memory(FileBytes program, FileBytes params);
};

/// The files of one model: the program was read, the parameters are opened when they are needed.
struct ModelFiles {
  FileBytes program;                       ///< no bytes of a saved model and of a file of Paddle Lite
  std::optional<File> saved;               ///< a saved model, which is read instead of program and parameters
  std::optional<File> paddle_lite;         ///< a file of Paddle Lite's, likewise
  std::optional<FileStamp> program_stamp;  ///< of a program on disk
  bool is_pir = false;                     ///< else ProgramDesc; told by the content, or the name
  std::vector<std::string> passed_over;    ///< programs of the folder that were not taken; names without the folder

  /// Sets what is said of the program, by the file's content.
  void read_program(const File& file);
  /// The combined parameter file, or nothing if there is none: then each parameter has a file of its own.
  std::optional<File> open_combined() const;
  /// The file of one parameter, or nothing.
  std::optional<File> open_single(std::string_view parameter) const;

  std::shared_ptr<const ByteSource> files;
  Weights weights = Weights::kAutomatic;
  bool outside_links = false;  ///< files of single parameters may be links out of `folder`
  std::string combined;        ///< name of the combined parameter file, empty if there is none
  std::string folder;          ///< where files of single parameters are looked for
  std::string looked_for;      ///< for messages: the parameter files that would have been taken
};

/// Finds program and parameters:
///   X.pdmodel + X.pdiparams      __model__ + __params__       __model__ + one file per parameter
///   X.json + X.pdiparams         __model__.json + one file per parameter
///   model + params
///   a saved model or a file of Paddle Lite, which need nothing else; in a folder *.coracle and *.nb, where there is no
///   program
/// and any of these in a .tar, .tar.gz or .zip, which is read where it is as a folder would be.
/// Throws Error (kIo) that says what was looked for, and which foreign model lies there.
ModelFiles find_model_files(ModelSource source);

/// The file `name` beside the program of a model, in its folder or archive; nothing if there is none. Throws Error
/// (kIo) where there is no such model.
std::optional<File> find_beside(ModelSource source, std::string_view name);

}  // namespace coracle::internal
