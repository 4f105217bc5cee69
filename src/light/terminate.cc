// SPDX-License-Identifier: Apache-2.0
// What ends the process where an exception finds nobody. libstdc++'s own also prints the exception's type, for which it
// brings 40 kB that read mangled names: of a library that lets none out, nobody would see it.
#include <cstdlib>
#include <exception>

#ifdef __GLIBCXX__
namespace __cxxabiv1 {                                              // NOLINT(bugprone-reserved-identifier)
extern std::terminate_handler __terminate_handler;                  // NOLINT(bugprone-reserved-identifier)
std::terminate_handler __terminate_handler = [] { std::abort(); };  // NOLINT(bugprone-reserved-identifier)
}  // namespace __cxxabiv1
#endif
