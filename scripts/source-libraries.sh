#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What Coracle is built with, in build/sysroot/NAME, for systems that Debian has no packages for: links to those of Debian's headers that are
# the same for every system, and static libraries that read pictures and archives, compiled from the sources of Debian's packages. Nothing
# happens where all is there already.
#   scripts/source-libraries.sh NAME TOOLCHAIN [CMAKE_OPTION...]     TOOLCHAIN: a file for CMake
# The variable LIBRARIES names those that are compiled; without it all are.
set -eu

[ $# -ge 2 ] || { echo "usage: $0 NAME TOOLCHAIN [CMAKE_OPTION...]" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot=$root/build/sysroot/$1
toolchain=$(realpath "$2")
shift 2
packages="zlib libpng1.6 libjpeg-turbo libwebp libyaml googletest"
wanted=$(cat "$0" "$toolchain" | cksum)${LIBRARIES:+ $LIBRARIES}
[ "$(cat "$sysroot/made" 2>/dev/null)" != "$wanted" ] || exit 0
rm -rf "$sysroot"
mkdir -p "$sysroot/include" "$sysroot/lib/cmake"

for headers in hwy protozero rapidjson flatbuffers CLI fmt CL; do
  if [ ! -e "/usr/include/$headers" ]; then
    echo "source-libraries: there is no /usr/include/$headers; on Debian: scripts/setup-debian.sh" >&2
    exit 1
  fi
  ln -sfn "/usr/include/$headers" "$sysroot/include/$headers"
done
# Recent compilers refuse an assignment in it that nobody uses, to members that are const.
rm "$sysroot/include/rapidjson"
cp -rp /usr/include/rapidjson "$sysroot/include/rapidjson"
sed -i '/GenericStringRef& operator=(const GenericStringRef& rhs) {/d' "$sysroot/include/rapidjson/document.h"
touch -r /usr/include/rapidjson/document.h "$sysroot/include/rapidjson/document.h"
for package in CLI11 fmt; do  # what find_package() asks for
  mkdir -p "$sysroot/lib/cmake/$package"
  cat >"$sysroot/lib/cmake/$package/${package}Config.cmake" <<CMAKE
if(NOT TARGET $package::$package)
  add_library($package::$package INTERFACE IMPORTED)
  set_target_properties($package::$package PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$sysroot/include")
endif()
CMAKE
done

sources=$root/build/sysroot/sources
"$root/scripts/debian-sources.sh" "$sources" $packages

log=$sysroot/log
# library PACKAGE OPTION...: compiles and installs it.
library() {
  package=$1
  shift
  case " ${LIBRARIES:-$packages} " in *" $package "*) ;; *) return 0 ;; esac
  if ! {
    cmake -S "$sources/$package" -B "$sysroot/build/$package" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_INSTALL_PREFIX="$sysroot" -DCMAKE_INSTALL_LIBDIR:PATH="$sysroot/lib" -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
      -DCMAKE_C_VISIBILITY_PRESET=hidden -DCMAKE_FIND_ROOT_PATH="$sysroot" "$@" && cmake --build "$sysroot/build/$package" &&
      cmake --install "$sysroot/build/$package"
  } >>"$log" 2>&1; then
    tail -n 30 "$log" >&2
    exit 1
  fi
}
# zlib's own file names what Debian's sources leave out. Nobody here reads files of gzip by it.
cat >"$sources/zlib/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(z C)
file(GLOB sources *.c)
list(FILTER sources EXCLUDE REGEX "/gz[a-z]+[.]c$")
add_library(z STATIC ${sources})
if(APPLE)  # or zlib takes it for a system of before 2001 without it
  target_compile_definitions(z PRIVATE fdopen=fdopen)
endif()
install(TARGETS z)
install(FILES zlib.h zconf.h DESTINATION include)
CMAKE
library zlib "$@"
# libpng takes macOS for a system of before 2001, too.
sed -i 's/defined(__SC__) || defined(TARGET_OS_MAC)/defined(__SC__)/' "$sources/libpng1.6/pngpriv.h"
library libpng1.6 -DPNG_SHARED=OFF -DPNG_TESTS=OFF -DPNG_EXECUTABLES=OFF "$@"
library libjpeg-turbo -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF "$@"
library libwebp -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF -DWEBP_BUILD_GIF2WEBP=OFF -DWEBP_BUILD_IMG2WEBP=OFF \
  -DWEBP_BUILD_VWEBP=OFF -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF -DWEBP_BUILD_EXTRAS=OFF -DWEBP_BUILD_LIBWEBPMUX=OFF "$@"
library libyaml -DBUILD_TESTING=OFF "$@"
library googletest -DBUILD_GMOCK=OFF "$@"
rm -rf "$sysroot/build" "$sysroot/share" "$sysroot/bin"
echo "$wanted" >"$sysroot/made"
echo "source-libraries: $(ls "$sysroot/lib" | grep -c '[.]a$') libraries in $sysroot" >&2
