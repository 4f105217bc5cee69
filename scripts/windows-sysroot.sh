#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build/sysroot/windows: what builds for Windows are compiled and linked with. Of Debian's headers those that are the same for every system, as
# links, so that glibc's beside them are not seen; libyaml, libpng and libjpeg built from Debian's sources, and GoogleTest. zlib comes with
# mingw-w64. Nothing happens where they are there already, so that it also works offline.
set -eu

headers="hwy protozero rapidjson flatbuffers CLI fmt"
sources="libyaml libpng1.6 libjpeg-turbo"
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot=$root/build/sysroot/windows
wanted=$(cat "$0" "$root/cmake/toolchains/windows.cmake" | cksum)
if [ "$(cat "$sysroot/made" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
rm -rf "$sysroot"
mkdir -p "$sysroot/include" "$sysroot/lib/cmake"
for folder in $headers; do
  if [ ! -e "/usr/include/$folder" ]; then
    echo "windows-sysroot: there is no /usr/include/$folder; on Debian: scripts/setup-debian.sh" >&2
    exit 1
  fi
  ln -s "/usr/include/$folder" "$sysroot/include/$folder"
done
# What find_package() asks for of those that have a target.
for package in CLI11 fmt; do
  mkdir -p "$sysroot/lib/cmake/$package"
  cat >"$sysroot/lib/cmake/$package/${package}Config.cmake" <<CMAKE
if(NOT TARGET $package::$package)
  add_library($package::$package INTERFACE IMPORTED)
  set_target_properties($package::$package PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "$sysroot/include")
endif()
CMAKE
done

# apt is asked for sources with a state of its own: no root is needed, and nothing of this machine changes.
apt=$root/build/sysroot/apt-windows
rm -rf "$apt"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
echo "deb-src http://deb.debian.org/debian $release main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<CONF
APT::Sandbox::User "";
Dir::State "$apt/state";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
CONF
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
(cd "$apt/sources" && apt-get source -qq $sources >"$apt/log" 2>&1) || { tail -n 20 "$apt/log" >&2; exit 1; }

# build NAME FOLDER [OPTION...]
build() {
  name=$1 source=$2
  shift 2
  cmake -G Ninja -S "$source" -B "$apt/$name" -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/windows.cmake" -DCORACLE_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$sysroot" -DBUILD_SHARED_LIBS=OFF "$@" >"$apt/log" 2>&1 &&
    cmake --build "$apt/$name" --target install >>"$apt/log" 2>&1 || { tail -n 20 "$apt/log" >&2; exit 1; }
}
build yaml "$apt"/sources/libyaml-*/ -DBUILD_TESTING=OFF
build png "$apt"/sources/libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF
build jpeg "$apt"/sources/libjpeg-turbo-*/ -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DWITH_SIMD=OFF
build gtest /usr/src/googletest -DBUILD_GMOCK=OFF
rm -rf "$apt" "$sysroot/share" "$sysroot/bin"
echo "$wanted" >"$sysroot/made"
echo "windows-sysroot: $(du -sm "$sysroot" | cut -f 1) MB in $sysroot" >&2
