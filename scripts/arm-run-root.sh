#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's Python, numpy and the libraries that Coracle's packages need, of another architecture, unpacked into
# build/sysroot/run-ARCHITECTURE: what qemu-user runs (scripts/debian-root.sh).
#   scripts/arm-run-root.sh arm64 | armhf
set -eu

architecture=${1:?"usage: $0 arm64 | armhf"}
exec "$(dirname "$0")/debian-root.sh" "$architecture" "$(dirname "$0")/../build/sysroot/run-$architecture" \
  python3-minimal libpython3-stdlib python3-numpy \
  libc6 libgcc-s1 libstdc++6 libpng16-16 libjpeg62-turbo libwebp7 libyaml-0-2 libfreetype6 zlib1g libxnnpack0 libpthreadpool0
