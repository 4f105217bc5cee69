#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the packages, checks what is in them and what they depend on, unpacks the .deb files into a folder that stands
# for a root, builds a C and a C++ program against it and runs them there; then the archive's program and a project
# against it.
#   packages_test.sh BUILD_DIR SOURCE_DIR
set -eu
build=$1
source=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/functions.sh"
for tool in cpack dpkg-deb dpkg-shlibdeps file pkg-config; do
  command -v $tool > "$work/found" || { echo "skipped: no $tool here"; exit 77; }
done
"$build/write_model" "$work/model"
# Made twice they are the same, to the bit.
export SOURCE_DATE_EPOCH=1700000000
logged cpack --config "$build/CPackConfig.cmake" -B "$work/packages"
logged cpack --config "$build/CPackConfig.cmake" -B "$work/again"
for package in "$work"/packages/*.deb "$work"/packages/*.tar.gz; do
  cmp "$package" "$work/again/${package##*/}"
done
version=$("$build/coracle" --version | sed -n '1s/^coracle //p')
root=$work/root

# Each file is where package_files.txt or include/ says, in no other package.
packages="libcoracle0 libcoracle-vision0 libcoracle-dev coracle-tools"
[ ! -x "$build/coracle-serve" ] || packages="$packages coracle-serve"
engines=$(cd "$work/packages" && ls | sed -n 's/^\(coracle-engine-[a-z0-9-]*\)_.*/\1/p')  # of this build
triton=$(cd "$work/packages" && ls | sed -n 's/^\(coracle-triton\)_.*/\1/p')  # likewise
grpc=$(cd "$work/packages" && ls | sed -n 's/^\(coracle-serve-grpc\)_.*/\1/p')  # likewise
for package in $packages $engines $triton $grpc; do
  deb=$(echo "$work/packages/${package}_${version}"_*.deb)
  dpkg-deb -x "$deb" "$root"
  dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed "s|^\./|$package |; s|$version|VERSION|; s|Targets-[a-z]*\.cmake|Targets-release.cmake|; s|usr/lib/[a-z0-9_]*-linux-gnu[a-z]*/|usr/lib/|"
done | LC_ALL=C sort > "$work/files"
not_built=^$(for p in $packages $engines $triton $grpc; do printf '(?!%s )' "$p"; done)
{ grep -vP "$not_built" "$here/package_files.txt"; (cd "$source" && find include -type f | sed 's|^|libcoracle-dev usr/|'); } | LC_ALL=C sort > "$work/wanted"
diff "$work/wanted" "$work/files" || { echo "the packages have other files"; exit 1; }

# depends PACKAGE PATTERN
depends() {
  dpkg-deb -f "$work/packages/${1}_${version}"_*.deb Depends | grep -qE "$2" || { echo "$1 does not depend on $2"; exit 1; }
}
depends libcoracle0 'libc6 \(>= 2'
depends libcoracle0 'libstdc\+\+6'
depends libcoracle-dev "libcoracle0 \(= $version\)"
depends libcoracle-vision0 "libcoracle0 \(= $version\)"
depends libcoracle-vision0 'libpng16-16'
depends libcoracle-vision0 'libwebp7'
depends coracle-tools "libcoracle0 \(= $version\)"
depends coracle-tools libjpeg62-turbo
depends coracle-tools libpng16
depends coracle-tools libwebp7
case "$packages" in *coracle-serve*)
  depends coracle-serve "libcoracle0 \(= $version\)"
  depends coracle-serve libssl3 ;;
esac
for engine in $engines $triton; do depends "$engine" "libcoracle0 \(= $version\)"; done
case "$engines" in *coracle-engine-xnnpack*) depends coracle-engine-xnnpack libxnnpack0 ;; esac
for package in $grpc; do
  depends "$package" "coracle-serve \(= $version\)"
  depends "$package" 'libgrpc\+\+1\.51'
  depends "$package" 'libprotobuf-lite32'
done
maintainer=$(sed -n 's/^CPACK_PACKAGE_CONTACT:STRING=//p' "$build/CMakeCache.txt")
[ "$(dpkg-deb -f "$work/packages/libcoracle0_${version}"_*.deb Maintainer)" = "$maintainer" ] ||
  { echo "the maintainer is not CPACK_PACKAGE_CONTACT"; exit 1; }

PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name coracle.pc)")
export PKG_CONFIG_LIBDIR
library_path=$(pkg-config --variable=libdir coracle)
cc -std=c11 "$here/user/user.c" -o "$work/user_c" $(pkg-config --cflags --libs coracle)
c++ -std=c++20 "$here/user/user.cc" -o "$work/user_cpp" $(pkg-config --cflags --libs coracle)
for program in "$work/user_c" "$work/user_cpp"; do
  LD_LIBRARY_PATH=$library_path "$program" "$work/model"
done
"$root/usr/bin/coracle" inspect "$work/model" > "$work/inspected"
case "$packages" in *coracle-serve*) "$root/usr/bin/coracle" serve --version | grep -qx "coracle-serve $version" ;; esac

# What is installed looks for libraries beside itself only: an empty entry would be the working directory.
for binary in "$root/usr/bin/coracle" "$(find "$root" -name 'libpaddle_inference_c.so.*' -type f)"; do
  readelf -dW "$binary" | sed -n 's/.*RUNPATH.*\[\(.*\)\]/\1/p' | tr ':' '\n' > "$work/places"
  ! grep -qvE '^\$ORIGIN(/|$)' "$work/places" || { echo "$binary looks for libraries in $(cat "$work/places")"; exit 1; }
done

mkdir "$work/archive"
tar -xzf "$work"/packages/coracle-"$version"-*.tar.gz -C "$work/archive"
unpacked=$(echo "$work"/archive/*)
for doc in "$root"/usr/share/doc/* "$unpacked"/share/doc/*; do
  cmp "$source/THIRD_PARTY_NOTICES" "$doc/copyright"
  cmp "$source/LICENSE" "$doc/LICENSE"
done
"$unpacked/bin/coracle" inspect "$work/model" | cmp - "$work/inspected"
build_project "$here/user" "$work/user" -DCMAKE_PREFIX_PATH="$unpacked"
"$work/user/c_coracle" "$work/model"
du -ah "$work/packages" | grep -E 'deb$|gz$'
