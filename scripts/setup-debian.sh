#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that building, testing and the demo need; nothing if all are there, so that it also works offline.
#   scripts/setup-debian.sh            compiler, libraries, test tools
#   scripts/setup-debian.sh --checks   also clang with lld, clang-format and clang-tidy, for `make lint` and `make fuzz`, OpenCL with PoCL, a driver of it, what loads the server (wrk), gRPC for it, a browser for its page (chromium, fonts-dejavu-core), what makes pages of PDFs and frames of videos (poppler-utils, ffmpeg: 53 MB, 153 MB on disk), and the compilers of the bindings (Rust, Go, C#: 148 MB, 779 MB on disk, half a minute)
#   scripts/setup-debian.sh --processors   also qemu-user, for `make processors`
#   scripts/setup-debian.sh --arm          also cross compilers for ARM and qemu-user, for `make arm`; what these builds are linked with comes by scripts/arm-sysroot.sh
#   scripts/setup-debian.sh --arm-bench    also those and llvm-19, for `make bench-arm`: older versions of llvm-mca know fewer pipelines (44 MB, 205 MB on disk)
#   scripts/setup-debian.sh --windows      also mingw-w64 and wine64, for `make windows`
#   scripts/setup-debian.sh --balancer     also HAProxy and ip, for `make serve-balancer`
#   scripts/setup-debian.sh --fonts        also the fonts of the pictures of `make paddleocr` and `make bench-ocr`
set -eu

packages="
  g++ lld cmake ninja-build ccache make python3 python3-venv python3-numpy ca-certificates
  libhwy-dev libprotozero-dev rapidjson-dev libflatbuffers-dev flatbuffers-compiler
  libboost-dev libssl-dev openssl libcli11-dev libfmt-dev libpng-dev libjpeg62-turbo-dev libwebp-dev libyaml-dev libfreetype-dev
  zlib1g-dev opencl-c-headers libgtest-dev libbenchmark-dev
  pkg-config dpkg-dev file strace
  libprotobuf-dev protobuf-compiler libgoogle-glog-dev libgflags-dev
  libxnnpack-dev libpthreadpool-dev
"
case "${1:-}" in
  "") ;;
  --checks) packages="$packages locales clang-14 clang-format-14 clang-tidy-14 clang-tools-14 libclang-rt-14-dev lld-14 pocl-opencl-icd ocl-icd-libopencl1 wrk libb64-0d libgrpc++-dev protobuf-compiler-grpc chromium fonts-dejavu-core poppler-utils ffmpeg rustc cargo golang-go mono-mcs mono-runtime" ;;
  --processors) packages="$packages qemu-user" ;;
  --arm | --arm-bench) packages="$packages g++-12-aarch64-linux-gnu gcc-12-aarch64-linux-gnu g++-12-arm-linux-gnueabihf gcc-12-arm-linux-gnueabihf qemu-user"
    [ "$1" = --arm ] || packages="$packages llvm-19" ;;
  --windows) packages="$packages g++-mingw-w64-x86-64-posix wine64" ;;
  --balancer) packages="$packages haproxy iproute2" ;;
  --fonts) packages="$packages fonts-dejavu-core fonts-wqy-microhei" ;;
  *) echo "usage: $0 [--checks | --processors | --arm | --arm-bench | --windows | --balancer | --fonts]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not Debian; please install by your own means:" $packages >&2
  exit 0
fi
missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: neither root nor sudo; please have these installed:$missing" >&2
    exit 1
  fi
  root="sudo"
fi
echo "setup: installing$missing" >&2
$root apt-get update -qq
$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o APT::Keep-Downloaded-Packages=false $missing >&2
