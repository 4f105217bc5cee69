// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/small_models.h"
#include "support/temporary_folder.h"

namespace coracle::internal::test {

/// Writes a model as FOLDER/NAME.pdmodel (or .json) with its parameters and returns the program's path.
std::string write_model(const TemporaryFolder& folder, const ModelBytes& model);

/// A ProgramDesc model of one convolution, "x" float32[?, 3, ?, ?] to "y".
ModelBytes picture_model();
/// "x" int64[?, 1] with one level of sequence offsets, summed by sequence.
ModelBytes sequence_model();

/// "x" float8_e4m3fn[?, 2] as float32 "wide", which is cast back to "narrow".
ModelBytes float8_model();

/// A picture of one colour; RGB.
void write_png(const std::string& path, int height, int width, std::array<uint8_t, 3> colour);
void write_jpeg(const std::string& path, int height, int width, std::array<uint8_t, 3> colour);
/// With the inks that Adobe's programs write: inverted.
void write_cmyk_jpeg(const std::string& path, int height, int width, std::array<uint8_t, 3> colour);
/// `bits` of a pixel: 8 (with a palette), 24 or 32.
void write_bmp(const std::string& path, int height, int width, std::array<uint8_t, 3> colour, int bits);
/// False if this build has no WebP.
bool write_webp(const std::string& path, int height, int width, std::array<uint8_t, 3> colour);
/// Pixels whose red counts from 0, with an EXIF orientation.
void write_oriented_png(const std::string& path, int height, int width, int orientation);

}  // namespace coracle::internal::test
