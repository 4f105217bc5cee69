// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

/// Archives in memory, of files in the order in which they are given.
namespace coracle::internal::test {

using ArchivedFiles = std::vector<std::pair<std::string, std::string>>;  ///< names and contents

/// How a tar archive writes names of more than 100 characters.
enum class LongNames { kPax, kGnu };
std::string tar_archive(const ArchivedFiles& files, LongNames long_names = LongNames::kPax);
std::string gzipped(const std::string& bytes);

/// `large`: sizes and places in 64 bits.
std::string zip_archive(const ArchivedFiles& files, bool deflate, bool large = false);

}  // namespace coracle::internal::test
