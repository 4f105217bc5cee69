#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's libraries for another architecture, unpacked into build/sysroot/ARCHITECTURE: what cross builds are compiled and linked with
# and what qemu-user runs them with. apt is asked with a state of its own, so that the packages of this machine are not touched and no
# root is needed. Nothing happens where they are there already, so that it also works offline.
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
root=$(cd "$(dirname "$0")/.." && pwd)
sysroot=$root/build/sysroot/$architecture
wanted=$(cksum <"$0")
if [ "$(cat "$sysroot/made" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "arm-sysroot: there is no apt-get; CORACLE_SYSROOT names a folder with these packages:" $packages >&2
  exit 1
fi

apt=$root/build/sysroot/apt-$architecture
rm -rf "$sysroot" "$apt"
mkdir -p "$sysroot" "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
cat >"$apt/apt.conf" <<CONF
APT::Architecture "$architecture";
APT::Architectures { "$architecture"; };
APT::Install-Recommends "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
CONF
export APT_CONFIG=$apt/apt.conf
apt-get update -qq || echo "arm-sysroot: not all lists of packages came; what the others have will do" >&2
apt-get install -y -qq --download-only $packages >"$apt/log" || { tail -n 20 "$apt/log" >&2; exit 1; }
for package in "$apt"/archives/*.deb; do
  dpkg-deb -x "$package" "$sysroot"
done
# Links to absolute paths would lead out of it.
find "$sysroot" -type l -lname '/*' | while read -r link; do
  ln -snfr "$sysroot$(readlink "$link")" "$link"
done
rm -rf "$apt" "$sysroot/usr/share/doc" "$sysroot/usr/share/man" "$sysroot/usr/src" "$sysroot/var"
echo "$wanted" >"$sysroot/made"
echo "arm-sysroot: $(du -sm "$sysroot" | cut -f 1) MB in $sysroot" >&2
