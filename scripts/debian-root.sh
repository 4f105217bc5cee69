#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's packages for another architecture, with those that they need, unpacked into a folder: what cross builds are linked with and what
# qemu-user runs. apt is asked with a state of its own, so that the packages of this machine are not touched and no root is needed. Nothing
# happens where they are there already, so that it also works offline.
#   scripts/debian-root.sh arm64 | armhf FOLDER PACKAGE...
# FOLDER/dpkg is a database of what lies where, of paths on this machine: dpkg-shlibdeps --admindir.
set -eu

architecture=${1:-} folder=${2:-}
case "$architecture" in
  arm64 | armhf) ;;
  *) echo "usage: $0 arm64 | armhf FOLDER PACKAGE..." >&2; exit 2 ;;
esac
shift 2
wanted=$({ cat "$0"; echo "$architecture" "$@"; } | cksum)
if [ "$(cat "$folder/made" 2>/dev/null)" = "$wanted" ]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "debian-root: there is no apt-get to make $folder with; it has to have these packages of $architecture:" "$@" >&2
  exit 1
fi

mkdir -p "$(dirname "$folder")"
folder=$(cd "$(dirname "$folder")" && pwd)/$(basename "$folder")
apt=$folder.apt database=$folder/dpkg
rm -rf "$folder" "$apt"
mkdir -p "$database/info" "$database/updates" "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"
echo 1 >"$database/info/format"  # names of files end with the architecture
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
apt-get update -qq || echo "debian-root: not all lists of packages came; what the others have will do" >&2
apt-get install -y -qq --download-only "$@" >"$apt/log" || { tail -n 20 "$apt/log" >&2; exit 1; }
for package in "$apt"/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
  name=$(dpkg-deb -f "$package" Package)
  [ "$(dpkg-deb -f "$package" Multi-Arch)" != same ] || name=$name:$architecture
  dpkg-deb --fsys-tarfile "$package" | tar -t | sed "s|^\./|$folder/|; s|/\$||" >"$database/info/$name.list"
  dpkg-deb -e "$package" "$apt/control"
  for file in symbols shlibs; do
    [ ! -e "$apt/control/$file" ] || mv "$apt/control/$file" "$database/info/$name.$file"
  done
  { dpkg-deb -f "$package"; echo "Status: install ok installed"; echo; } >>"$database/status"
  rm -rf "$apt/control"
done
# Links to absolute paths would lead out of it.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -snfr "$folder$(readlink "$link")" "$link"
done
rm -rf "$apt" "$folder/usr/share/doc" "$folder/usr/share/man" "$folder/usr/src" "$folder/var"
echo "$wanted" >"$folder/made"
echo "debian-root: $(du -sm "$folder" | cut -f 1) MB in $folder" >&2
