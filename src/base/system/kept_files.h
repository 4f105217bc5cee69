// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/system/file_status.h"

namespace coracle::internal {

// What folders of kept files take.

/// A folder and those around it, for this user alone; true where they are there.
bool make_folders(const std::string& path);
/// One folder, for anyone; true where it is there.
bool make_folder(const std::string& path);
/// Notes that a file was used now.
void mark_used(int file);
/// When content or status of a file were last changed: no program sets this back. False where that is not known.
bool time_of_change(const std::string& path, FileTime& time);

/// Opens or makes a file that processes lock; -1 where there cannot be one.
int open_lock(const std::string& path);
enum class LockAttempt { kHeld, kTaken, kImpossible };
LockAttempt try_lock(int file);
/// Gives it up and closes it, also where a forked child has the file, too. `path`: to be removed.
void give_up_lock(int file, const std::string& path);

/// Where this user's programs keep what they can make again, empty where that is not known.
std::string user_cache_folder();

}  // namespace coracle::internal
