// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "devices/cpu/processor.h"

namespace coracle::cpu {
namespace {

// CORACLE_PROCESSORS of tests/CMakeLists.txt are those that ctest emulates. A processor that is missing there would
// never be emulated.
TEST(KnownProcessors, HaveTestsOfTheirOwn) {
  std::istringstream list(CORACLE_PROCESSORS);
  std::set<std::string> tested;
  for (std::string name; list >> name;) tested.insert(name);
  std::set<std::string> known;
  for (const Processor& p : known_processors()) known.emplace(p.name);
  EXPECT_EQ(tested, known) << "tests/CMakeLists.txt and known_processors() of src/devices/cpu/isa.cc differ";
}

}  // namespace
}  // namespace coracle::cpu
