#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's libraries for another architecture, unpacked into build/sysroot/ARCHITECTURE: what cross builds are compiled and linked with
# and what qemu-user runs them with (scripts/debian-root.sh).
#   scripts/arm-sysroot.sh arm64 | armhf
set -eu

architecture=${1:?"usage: $0 arm64 | armhf"}
case "$architecture" in
  arm64 | armhf) ;;
  *) echo "usage: $0 arm64 | armhf" >&2; exit 2 ;;
esac
# Not what the server and the modules for gRPC take: they are left out of cross builds.
packages="
  libc6-dev libstdc++6
  libhwy-dev libprotozero-dev rapidjson-dev libflatbuffers-dev libcli11-dev libfmt-dev
  libpng-dev libjpeg62-turbo-dev libwebp-dev libyaml-dev libfreetype-dev zlib1g-dev
  opencl-c-headers libgtest-dev libbenchmark-dev libxnnpack-dev libpthreadpool-dev
"
exec "$(dirname "$0")/debian-root.sh" "$architecture" "$(dirname "$0")/../build/sysroot/$architecture" $packages
