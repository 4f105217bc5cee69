# SPDX-License-Identifier: Apache-2.0
# Short names for what CMakePresets.json describes. Everything is built below build/.
JOBS ?= $(shell nproc)
PICTURE ?= examples/ocr/demo.jpg
PACKAGE := build/demo-models
CTEST := ctest --no-tests=error -j $(JOBS)

.PHONY: all setup models demo test format lint bench asan tsan fuzz oracle clean

all: build/release/build.ninja
	cmake --build --preset release -j $(JOBS)

build/%/build.ninja:
	cmake --preset $*

setup:
	scripts/setup-debian.sh

models: setup
	scripts/demo-models.sh

# Reads every line of text from PICTURE (make demo PICTURE=my.jpg).
demo: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle-ocr
	build/release/coracle-ocr --models $(PACKAGE) --repeat 5 --draw build/demo $(PICTURE)

test: models
	$(MAKE) --no-print-directory all
	$(CTEST) --preset release

format:
	git ls-files '*.cc' '*.h' '*.hpp' | xargs clang-format-14 -i

lint: build/release/build.ninja
	scripts/lint.sh build/release

bench: build/release/build.ninja
	cmake --preset release -DCORACLE_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS)

asan tsan: models
	$(MAKE) --no-print-directory build/$@/build.ninja
	cmake --build --preset $@ -j $(JOBS)
	$(CTEST) --preset $@

# Each reader's fuzz target for a minute.
fuzz: build/fuzz/build.ninja
	cmake --build --preset fuzz -j $(JOBS)
	$(CTEST) --test-dir build/fuzz --output-on-failure -R '^fuzz[.]'

# The demo's expectations again, by the real Paddle.
oracle: models
	scripts/oracle-venv.sh
	build/oracle-venv/bin/python tests/demo/oracle_ocr.py --models $(PACKAGE) -o tests/demo/expected.json examples/ocr/demo.jpg

clean:
	rm -rf build/release build/debug build/asan build/tsan build/fuzz build/demo
