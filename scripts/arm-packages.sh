#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The packages of a cross build (make arm-packages), and of 64 bits the Python wheel, into build/packages-aarch64 or -armv7; then a
# model's golden case by the program and by Python from them, in qemu-user with Debian's Python and numpy of that architecture, and a
# program in C that is compiled with them.
#   scripts/arm-packages.sh aarch64 | armv7
#   scripts/arm-packages.sh --targets     names what has to be built
set -eu

case "${1:-}" in
  --targets) echo coracle coracle_static paddle_inference_c coracle_paddle_c_static coracle_quantize coracle_vision coracle_engine_xnnpack coracle_triton coracle_program_share coracle-ocr write_model; exit ;;
  aarch64) debian=arm64 triplet=aarch64-linux-gnu qemu=qemu-aarch64 ;;
  armv7) debian=armhf triplet=arm-linux-gnueabihf qemu=qemu-arm ;;
  *) echo "usage: $0 aarch64 | armv7" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
build=$PWD/build/$1
packages=$PWD/build/packages-$1
root=$PWD/build/sysroot/run-$debian
unpacked=$build/packages-unpacked
model=../shared/models/ppocr-v2.0-cls
golden=../shared/goldens/ppocr-v2.0-cls/batch4

# A root of the target has Python as well as all that the packages say they need.
scripts/arm-run-root.sh "$debian"

# CPack asks dpkg-shlibdeps on the path, which has to look into that root and not into this machine's packages.
tools=$build/packages-tools
mkdir -p "$tools"
cat >"$tools/dpkg-shlibdeps" <<WRAPPER
#!/bin/sh
export DEB_HOST_ARCH=$debian
exec $(command -v dpkg-shlibdeps) --admindir='$root/dpkg' -l'$root/usr/lib/$triplet' -l'$root/lib/$triplet' "\$@"
WRAPPER
chmod +x "$tools/dpkg-shlibdeps"
rm -rf "$packages"
PATH=$tools:$PATH cpack --config "$build/CPackConfig.cmake" -B "$packages" >"$build/cpack.log" 2>&1 || { tail -n 20 "$build/cpack.log" >&2; exit 1; }
rm -rf "$packages/_CPack_Packages"
if [ "$1" = aarch64 ]; then
  wheel=$(scripts/python-wheel.sh aarch64)
  cp "$wheel" "$packages"
fi

# The .deb files.
rm -rf "$unpacked"
mkdir -p "$unpacked"
for package in "$packages"/*.deb; do
  [ "$(dpkg-deb -f "$package" Architecture)" = "$debian" ] || { echo "$package is not of $debian" >&2; exit 1; }
  dpkg-deb -x "$package" "$unpacked"
  echo "$(basename "$package"): $(dpkg-deb -f "$package" Depends)"
done
dpkg-deb -f "$packages"/libcoracle0_*.deb Depends | grep -q libc6 || { echo "arm-packages: nobody says what libcoracle0 needs, see $build/cpack.log" >&2; exit 1; }
run() {
  $qemu -L "$root" -E LD_LIBRARY_PATH="$root/usr/lib/$triplet/blas:$root/usr/lib/$triplet/lapack:$root/usr/lib/$triplet:$root/lib/$triplet" \
    -E PYTHONHOME="$root/usr" -E PYTHONPATH="$unpacked/wheel:$root/usr/lib/python3/dist-packages" -E PYTHONDONTWRITEBYTECODE=1 "$@"
}
run "$unpacked/usr/bin/coracle" --version | head -n 1

# A program in C is built with them.
run "$build/write_model" "$build/product_model"
PKG_CONFIG_LIBDIR=$(dirname "$(find "$unpacked" -name coracle.pc)")
export PKG_CONFIG_LIBDIR
"$triplet-gcc-12" --sysroot="$PWD/build/sysroot/$debian" -std=c11 tests/install/user/user.c -o "$build/user_c" $(pkg-config --cflags --libs coracle) \
  -Wl,-rpath,"$(pkg-config --variable=libdir coracle)"
echo "a program in C on $debian: $(run "$build/user_c" "$build/product_model")"
if [ ! -e "$golden" ]; then
  echo "arm-packages: nothing was run: there is no $golden" >&2
  exit 0
fi
run "$root/usr/bin/python3.11" scripts/arm_answer.py input "$golden" "$build/input.npy"
run "$unpacked/usr/bin/coracle" run "$model" --input x="$build/input.npy" --output-dir "$build/answer" >/dev/null
run "$root/usr/bin/python3.11" scripts/arm_answer.py check "$golden" "$build/answer/0.npy"
[ "$1" = aarch64 ] || exit 0

# The wheel, as pip of such a machine takes it, but for numpy, which the root has.
tag=$(basename "$wheel" .whl)
build/python-venv/bin/pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --platform "${tag##*[.-]}" \
  --target "$unpacked/wheel" "$wheel"
needed=$("$triplet-objdump" -T "$unpacked"/wheel/coracle/*.so "$unpacked"/wheel/coracle/bin/* | grep -o 'GLIBC_2[.][0-9]*' | sort -Vu | tail -n 1)
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, needs $needed"
[ "${needed#GLIBC_2.}" -le 28 ] || { echo "arm-packages: the wheel needs a newer glibc than 2.28, see cmake/glibc_2_28.cc" >&2; exit 1; }
run "$root/usr/bin/python3.11" scripts/arm_answer.py run "$golden" "$model"
run "$unpacked/wheel/coracle/bin/coracle" --version | head -n 1
