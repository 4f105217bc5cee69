# SPDX-License-Identifier: Apache-2.0
# For the tests of this folder: a temporary folder $work that goes away, and what several of them do.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command; what it prints is shown if it fails.
logged() { "$@" >> "$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }

# Installs a build and moves the tree away from where it was installed to: $work/moved.
install_and_move() {
  logged cmake --install "$1" --prefix "$work/installed"
  mv "$work/installed" "$work/moved"
}

# Configures and builds a project against the installed tree: build_project SOURCE BUILD [OPTION...]
build_project() {
  project=$1
  into=$2
  shift 2
  logged cmake -S "$project" -B "$into" -DCMAKE_BUILD_TYPE=Release "$@"
  logged cmake --build "$into"
}

# What a program loads besides what every system has.
loads() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
expect_static() { ! loads "$1" | grep -E 'coracle|paddle' || { echo "$1 is not static"; exit 1; }; }
expect_shared() { loads "$1" | grep -q "$2" || { echo "$1 does not load $2"; exit 1; }; }
