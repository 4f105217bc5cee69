# SPDX-License-Identifier: Apache-2.0
# Short names for what CMakePresets.json describes. Everything is built below build/.
JOBS ?= $(shell nproc)
PICTURE ?= examples/ocr/demo.jpg
PACKAGE := build/demo-models
CTEST := ctest --no-tests=error -j $(JOBS)
# The builds below build/ take objects from each other, wherever the project lies.
export CCACHE_BASEDIR := $(CURDIR)

.PHONY: all light tailored setup models engines goldens-on-engines demo serve-demo test format lint lint-changed bench bench-ready bench-memory bench-growth bench-ocr bench-neighbours bench-serving bench-ray bench-isa bench-int8 bench-precision bench-mixed bench-startup \
        bench-kernels bench-threads bench-engines bench-operators asan tsan fuzz fuzz-long oracle special-values oracle-demo oracle-lite oracle-custom python-versions known-attributes model-table metamorphic serve-mixes engines-random hostile faults serve-balancer serve-endurance serve-fuzz serve-kserve serve-triton page-pictures opencl cuda cuda-compile gpu-bundle gpu-bundle-rehearsal ray subset processors build-times wheel packages reproducible migration paddleocr docs golden-weights arm arm-test arm-packages bench-arm musl musl-test wheel-musl windows windows-test wheel-windows macos clean

all: build/release/build.ninja
	cmake --build --preset release -j $(JOBS)

build/%/build.ninja:
	cmake --preset $*

setup:
	scripts/setup-debian.sh

models: setup
	scripts/demo-models.sh

# What tests of engines look for; where it cannot be had they skip.
engines: setup
	scripts/venv.sh build/openvino-venv tests/engines/requirements.txt || echo "engines: OpenVINO cannot be installed, its tests will skip" >&2

# All goldens on engines, alone and together, with blocks of at least 1, 2 and 10 operators; some of them: make goldens-on-engines GOLDENS="zoo-ernie_tiny tf-mobilenetv1/image".
goldens-on-engines: models engines
	$(MAKE) --no-print-directory all
	PATH="$(CURDIR)/build/openvino-venv/bin:$$PATH" CORACLE_ENGINE_CACHE= build/release/golden_test --engines openvino --engines xnnpack \
	  --engines openvino,xnnpack --min-ops 1 --min-ops 2 --min-ops 10 $(GOLDENS)

# Reads every line of text from PICTURE (make demo PICTURE=my.jpg), with a build for this machine alone.
demo: models
	$(MAKE) --no-print-directory build/native/build.ninja
	cmake --build --preset native -j $(JOBS) --target coracle-ocr
	build/native/coracle-ocr --models $(PACKAGE) --repeat 5 --draw build/demo $(PICTURE)

# libcoracle_light, which runs saved models alone (docs/light.md).
light:
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_light coracle_light_static

# Libraries for some models (docs/light.md), their sizes and bits.
tailored: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_program run_interface
	tests/models/fill_weights.sh $(SHARED) $(FILLED) python3
	scripts/check_tailored.py build/release --models $(SHARED)/models --filled $(FILLED) --to build/tailored

# Serves the demo's models, with a page at http://localhost:8000/ and a line for curl, until Ctrl-C.
serve-demo: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	scripts/serve-demo.sh build/release/coracle-serve $(PACKAGE) $(PICTURE) $(SERVE)

# A library with PP-OCR's operators alone has nothing of the others.
subset: setup
	$(MAKE) --no-print-directory build/native/build.ninja
	cmake --build --preset native -j $(JOBS) --target coracle
	scripts/check_subset.py build/native

test: models engines
	$(MAKE) --no-print-directory all
	$(CTEST) --preset release

format:
	git ls-files '*.cc' '*.h' '*.hpp' | xargs clang-format-14 -i

lint: build/lint/build.ninja
	cmake --build build/lint --target coracle_saved_schema coracle_serve_protos
	scripts/lint.sh build/lint $(LINT)
	git rev-parse HEAD >.ci/linted

# The same, but clang-tidy looks at what has changed since either of them last passed; both keep that commit in .ci/linted.
lint-changed:
	$(MAKE) --no-print-directory lint LINT=--changed

# Coracle against other engines, e.g. make bench MODELS=det,rec PEERS=onnxruntime THREADS=1 SECONDS=5 RUNS=3 REALTIME=1, or against
# another build of it: make bench BEFORE=other/libcoracle.so. Without a selection the results also go into docs/performance.md and README.md.
SECONDS ?= 20
RUNS ?= 1
BENCH_SELECTION = $(if $(MODELS),--models $(MODELS)) $(if $(PEERS),--peers $(PEERS)) $(if $(THREADS),--threads $(THREADS)) $(if $(BEFORE),--before $(BEFORE))
BENCH_OPTIONS = $(or $(strip $(BENCH_SELECTION)),--docs) $(if $(REALTIME),--real-time)
BENCH_PYTHON := build/bench-venv/bin/python

bench-ready: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle
	bench/setup.sh

bench: bench-ready
	$(BENCH_PYTHON) bench/driver.py --seconds $(SECONDS) --runs $(RUNS) $(BENCH_OPTIONS)

# Memory over hundreds of input shapes.
bench-memory: bench-ready
	$(BENCH_PYTHON) bench/memory.py $(if $(PEERS),--peers $(PEERS),--docs)

# The same with Coracle and those engines that can be held to an instruction set, e.g. make bench-isa ISA=avx2.
ISA ?= avx2
bench-isa: bench-ready
	$(BENCH_PYTHON) bench/driver.py --seconds $(SECONDS) --isa $(ISA) $(BENCH_OPTIONS)

# Models of int8 against float32 and other engines' int8, e.g. make bench-int8 MODELS=det,rec THREADS=1 REALTIME=1
bench-int8: bench-ready
	$(BENCH_PYTHON) bench/int8.py --seconds $(SECONDS) $(if $(MODELS),--models $(MODELS),--docs) $(if $(THREADS),--threads $(THREADS)) $(if $(REALTIME),--real-time)

# The values of the option precision, which differ on processors with matrix tiles, against each other and other engines.
bench-precision: bench-ready
	$(BENCH_PYTHON) bench/precision.py --seconds $(SECONDS) $(if $(MODELS),--models $(MODELS),--docs) $(if $(THREADS),--threads $(THREADS)) $(if $(REALTIME),--real-time)

# Models of Paddle's convert_to_mixed_precision against their originals, e.g. make bench-mixed MODELS=det,rec THREADS=1. Paddle's package for
# GPUs, which converts them, takes 3 GB of disk.
bench-mixed: bench-ready
	scripts/venv.sh build/bench-venv-mixed bench/requirements-mixed.txt
	$(BENCH_PYTHON) bench/mixed.py --seconds $(SECONDS) $(if $(MODELS),--models $(MODELS),--docs) $(if $(THREADS),--threads $(THREADS)) $(if $(REALTIME),--real-time)

# From the start of a process to an answer.
bench-startup: bench-ready
	cmake --build --preset release -j $(JOBS) --target coracle-ocr
	$(BENCH_PYTHON) bench/startup.py --docs

# Single operators against Paddle and onnxruntime, e.g. make bench-operators OPS='^(cumsum|top_k)'. Without a selection the results also go
# into docs/operator-speed.md.
bench-operators: bench-ready
	$(BENCH_PYTHON) bench/operators.py $(if $(OPS),--ops '$(OPS)',--docs) $(if $(THREADS),--threads $(THREADS)) $(if $(REALTIME),--real-time)

# How time grows with the area of images, the batch and the length of sequences.
bench-growth: bench-ready
	$(BENCH_PYTHON) bench/growth.py --docs

# Whole pictures in programs of PyPI with Coracle and other engines, and memory over 300 sizes, e.g. make bench-ocr REALTIME=1
# OCR="--programs rapidocr --memory".
bench-ocr: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle
	scripts/venv.sh build/python-venv tests/python/requirements.txt
	scripts/oracle-venv.sh 3.3
	scripts/paddleocr-venv.sh
	scripts/paddleocr-venv.sh 2
	scripts/setup-debian.sh --fonts
	build/paddleocr-venv/bin/pip install --quiet --disable-pip-version-check --no-deps -r bench/requirements-ocr.txt
	build/python-venv/bin/python bench/ocr_programs.py $(OCR) $(if $(REALTIME),--real-time)

# What coracle.ray and Ray Data add to a model whose batch takes 20 ms.
bench-ray: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle
	scripts/venv.sh build/ray-venv tests/ray/requirements.txt
	RAY_USAGE_STATS_ENABLED=0 CORACLE_LIBRARY=$(CURDIR)/build/release/libcoracle.so PYTHONPATH=$(CURDIR)/python build/ray-venv/bin/python bench/ray_overhead.py

# Beside a busy program, and with more threads than cores, e.g. make bench-neighbours BEFORE=other/libcoracle.so REALTIME=1
bench-neighbours: bench-ready
	$(BENCH_PYTHON) bench/neighbours.py $(if $(BEFORE),--before $(BEFORE)) $(if $(REALTIME),--real-time)

# Requests per second and latency of coracle-serve and of other servers, e.g. make bench-serving MODELS=rec,ocr SERVERS=fastapi RATES=20,60
bench-serving: bench-ready
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	scripts/venv.sh build/bench-serving-venv bench/requirements-serving.txt
	$(if $(findstring ocr,$(MODELS)),scripts/venv.sh build/bench-paddlex-venv bench/requirements-paddlex.txt)
	build/bench-serving-venv/bin/python bench/serving.py $(if $(MODELS),--models $(MODELS)) $(if $(SERVERS),--servers '$(SERVERS)') $(if $(RATES),--rates $(RATES))

# What Coracle adds to runs of OpenVINO, and two blocks at the same time, e.g. make bench-engines MODELS=det,bert THREADS=1
bench-engines: engines models
	$(MAKE) --no-print-directory all
	cmake --preset release -DCORACLE_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS) --target coracle-bench-engines
	PATH="$(CURDIR)/build/openvino-venv/bin:$$PATH" build/release/coracle-bench-engines
	build/openvino-venv/bin/python bench/engine_overhead.py $(if $(MODELS),--models $(MODELS)) $(if $(THREADS),--threads $(THREADS))

# Each kernel alone, with shapes of real models, e.g. make bench-kernels KERNELS=conv2d (a regular expression).
bench-kernels: setup
	cmake --preset release -DCORACLE_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS) --target coracle-bench-kernels
	build/release/coracle-bench-kernels $(if $(KERNELS),--benchmark_filter='$(KERNELS)')

# How well models are cut for many threads, on a machine with any number of processors, e.g. make bench-threads MODELS=det STEPS=8
bench-threads: bench-ready
	cmake --preset release -DCORACLE_BUILD_BENCH=ON
	cmake --build --preset release -j $(JOBS) --target coracle-bench-threads
	$(BENCH_PYTHON) bench/cuts.py $(if $(MODELS),--models $(MODELS),--docs) $(if $(THREADS),--threads $(THREADS)) $(if $(STEPS),--steps $(STEPS)) $(if $(REALTIME),--real-time)

# What the units of a build took to compile, e.g. make build-times BUILD=asan
BUILD ?= release
build-times:
	scripts/build_times.py build/$(BUILD)

# The tests of compiled code under AddressSanitizer with UBSan; loops for AVX2 alone. Those of AVX-512 come from the same sources:
# cmake --preset asan -DCORACLE_ISAS='avx2;avx512' takes them too. The program, a user of the public interface, is a fifth of all:
# make asan PROGRAM=ON takes it too; fuzz targets look at its readers in any case.
PROGRAM := OFF
# CI runs one of EVERY tests of a sanitizer; the others run with the next commits.
EVERY ?= 1
SHARE = $(if $(filter-out 1,$(EVERY)),-I $$(scripts/rotating_sample.sh $(EVERY) sh -c 'echo $$((GTEST_SHARD_INDEX + 1))' | tail -n 1)$(comma)$(comma)$(EVERY))
comma := ,
asan: models
	cmake --preset asan -DCORACLE_BUILD_PROGRAM=$(PROGRAM)
	cmake --build --preset asan -j $(JOBS)
	$(CTEST) --preset asan -E '^fuzz[.]' $(SHARE)

# Under ThreadSanitizer the tests that may start threads. Those of run have all kernels that models use;
# make tsan WITH_THREADS=devices takes each kernel alone. Left out are tests of much work in one thread.
WITH_THREADS := base plan run blocks api paddle serve
IN_ONE_THREAD := BoundedWork|EngineCacheProcesses
tsan: models
	$(MAKE) --no-print-directory build/tsan/build.ninja
	cmake --build --preset tsan -j $(JOBS) --target $(WITH_THREADS:%=%_tests)
	$(CTEST) --preset tsan -R '^($(shell echo $(WITH_THREADS) | tr ' ' '|'))[.]' -E '$(IN_ONE_THREAD)' $(SHARE)

# The server under load for long: a hundred stops, 200 reloads, 1,000 slow clients, a million requests. With KServe's SDK: make serve-kserve.
SERVE_TEST = CORACLE_SERVE=$(CURDIR)/build/release/coracle-serve CORACLE_DEMO_MODELS=$(CURDIR)/build/demo-models
serve-endurance: models build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	scripts/venv.sh build/serve-venv tests/serve/requirements.txt
	$(SERVE_TEST) CORACLE_SERVE_ENDURANCE=1 build/serve-venv/bin/python -m pytest -q -rs -s tests/serve/endurance_test.py

# The same requests to the real Triton, and the back end inside it.
serve-triton: models build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program coracle_program coracle_triton
	scripts/venv.sh build/triton-venv tests/serve/requirements-triton.txt
	$(SERVE_TEST) build/triton-venv/bin/python -m pytest -q -rs tests/serve/triton_test.py tests/serve/triton_backend_test.py

# The pictures of the server's page, which tests compare with, and those in docs/, of its files and fixed answers.
page-pictures:
	scripts/venv.sh build/serve-venv tests/serve/requirements.txt
	build/serve-venv/bin/python tests/serve/page_pictures.py
serve-kserve: models build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	scripts/venv.sh build/kserve-venv tests/serve/requirements-kserve.txt
	$(SERVE_TEST) build/kserve-venv/bin/python -m pytest -q -rs tests/serve/kserve_sdk_test.py

# All rows of OpenCL and all goldens on its first device; with PoCL, ten minutes.
opencl: models
	$(MAKE) --no-print-directory all
	CORACLE_TEST_DEVICE=opencl build/release/devices_tests
	build/release/golden_test --device opencl

# All rows of CUDA and goldens of each kind on the stand-in for NVIDIA's driver, in some ten minutes. On a machine with a GPU:
# make cuda FAKE_CUDA=
FAKE_CUDA = $(CURDIR)/build/release/tests/support/fake_cuda
cuda: models
	$(MAKE) --no-print-directory all
	mkdir -p build/pocl-cuda
	LD_LIBRARY_PATH=$(FAKE_CUDA) POCL_CACHE_DIR=$(CURDIR)/build/pocl-cuda build/release/cuda_tests
	LD_LIBRARY_PATH=$(FAKE_CUDA) POCL_CACHE_DIR=$(CURDIR)/build/pocl-cuda CORACLE_CUDA_CACHE= CORACLE_TEST_DEVICE=cuda build/release/devices_tests
	LD_LIBRARY_PATH=$(FAKE_CUDA) POCL_CACHE_DIR=$(CURDIR)/build/pocl-cuda CORACLE_CUDA_CACHE= build/release/golden_test --device cuda --first

# All programs of kernels by NVIDIA's compiler, which needs no GPU, for each architecture from 7.0 on. CUDA 13's knows none before 7.5.
cuda-compile: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target nvrtc_tests
	scripts/venv.sh build/nvrtc-venv tests/devices/cuda/requirements.txt
	CORACLE_TEST_ALL=1 CORACLE_CUDA_PATH=$$(echo build/nvrtc-venv/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib) build/release/nvrtc_tests

# The archive with which a machine with a GPU proves this build, and the same run here on the stand-in for NVIDIA's driver: docs/cuda.md
FILLED ?= build/filled
GPU_BUNDLE := build/coracle-gpu.tar.gz
gpu-bundle: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_program coracle-bench-copies devices_tests cuda_tests golden_test
	tests/models/fill_weights.sh $(SHARED) $(FILLED) python3 || test $$? = 77
	scripts/gpu/make_bundle.py build/release $(SHARED) $(FILLED) $(GPU_BUNDLE)

gpu-bundle-rehearsal: gpu-bundle
	rm -rf build/gpu-rehearsal
	mkdir -p build/gpu-rehearsal/pocl
	tar -xf $(GPU_BUNDLE) -C build/gpu-rehearsal
	LD_LIBRARY_PATH=$(FAKE_CUDA) POCL_CACHE_DIR=$(CURDIR)/build/gpu-rehearsal/pocl POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable \
	  build/gpu-rehearsal/coracle-gpu/run-gpu.sh --quick --out build/gpu-rehearsal/report

# All golden models planned and packed as on each processor that kernels tell apart, tests as on each, and a sample of the tests in
# Debian's qemu-user.
processors: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target golden_plans devices_tests run_tests
	build/release/golden_plans || test $$? = 77
	SAMPLE=all $(CTEST) --preset release -R '^processors\.'
	scripts/setup-debian.sh --processors
	scripts/processors.sh build/release $(PROCESSORS)

# Weights of the recorded models that come without any, where the reference folder is there.
golden-weights:
	tests/models/fill_weights.sh $(SHARED) $(FILLED) python3 || test $$? = 77

# Library, program and tests for ARM by Debian's cross compilers: make arm ARM=armv7 for 32 bits. make arm-test runs a sample of the tests in
# qemu-user and models as on several processors, which have to give the same bits; all: make arm-test TESTS=--all.
ARM := aarch64
TESTS :=
arm:
	scripts/setup-debian.sh --arm
	scripts/arm-sysroot.sh $(if $(filter armv7,$(ARM)),armhf,arm64)
	$(MAKE) --no-print-directory build/$(ARM)/build.ninja
	cmake --build --preset $(ARM) -j $(JOBS) --target coracle_program golden_test $$(scripts/arm-test.sh --programs)

arm-test: arm golden-weights
	scripts/arm-test.sh $(ARM) $(TESTS)

# The .deb packages of the cross build, and of 64 bits the wheel, tried in qemu-user: build/packages-aarch64, -armv7
arm-packages: arm
	cmake --build --preset $(ARM) -j $(JOBS) --target $$(scripts/arm-packages.sh --targets)
	scripts/arm-packages.sh $(ARM)

# Instructions of models on ARM in qemu-user, of Coracle, XNNPACK and ncnn, and cycles of loops by llvm-mca, into docs/arm.md
bench-arm: arm models
	scripts/setup-debian.sh --arm-bench
	cmake --build --preset release -j $(JOBS) --target coracle_program
	cmake --build --preset aarch64 -j $(JOBS) --target coracle_engine_xnnpack
	bench/setup.sh
	/usr/bin/python3 bench/arm_counts.py $(if $(MODELS),--models $(MODELS),--docs)

# Library and program for Linux with musl (Alpine), by the compilers of the Python package ziglang: for x86-64, or make musl MUSL=aarch64. musl-test
# runs models with musl's loader, those for ARM in qemu-user.
MUSL := x86_64
MUSL_NAME = musl$(if $(filter-out x86_64,$(MUSL)),-$(MUSL))
musl: setup
	scripts/zig-compilers.sh $(MUSL)-linux-musl
	scripts/source-libraries.sh $(MUSL)-linux-musl cmake/toolchains/musl.cmake -DCORACLE_MUSL=$(MUSL)
	cmake --preset musl -B build/$(MUSL_NAME) -DCORACLE_MUSL=$(MUSL)
	cmake --build build/$(MUSL_NAME) -j $(JOBS) --target coracle_program golden_test write_model

musl-test: musl golden-weights
	scripts/musl-test.sh $(MUSL)

# The Python wheel for Linux with musl, into build/wheels-musl; make wheel-musl MUSL=aarch64: into build/wheels-musl-aarch64. make musl-test tries it.
wheel-musl: musl
	scripts/python-wheel.sh $(MUSL_NAME)

# Library and program for 64-bit Windows by Debian's mingw-w64. make windows-test runs them and tests in wine; all tests of these programs:
# make windows-test TESTS=--all.
windows:
	scripts/setup-debian.sh --windows
	scripts/source-libraries.sh windows cmake/toolchains/windows.cmake
	$(MAKE) --no-print-directory build/windows/build.ninja
	cmake --build --preset windows -j $(JOBS) --target coracle_program coracle-ocr coracle_vision paddle_inference_c golden_test $$(scripts/windows-test.sh --programs)

windows-test: wheel-windows models golden-weights
	scripts/windows-test.sh $(TESTS)

# The Python wheel for 64-bit Windows, into build/wheels-windows.
wheel-windows: windows
	scripts/python-wheel.sh windows

# Libraries and program for macOS 13 and later, by the compilers of ziglang and lld: for Apple's processors, or make macos MACOS=x86_64. Nothing of
# them can be run here; scripts/check_macos.py looks at the files.
MACOS := aarch64
macos: setup
	scripts/zig-compilers.sh $(MACOS)-macos.13.0
	LIBRARIES="zlib libpng1.6 libjpeg-turbo libwebp libyaml" scripts/source-libraries.sh $(MACOS)-macos.13.0 cmake/toolchains/macos.cmake -DCORACLE_MACOS=$(MACOS)
	cmake --preset macos -B build/macos-$(MACOS) -DCORACLE_MACOS=$(MACOS)
	cmake --build build/macos-$(MACOS) -j $(JOBS) --target coracle_program coracle_vision paddle_inference_c
	scripts/check_macos.py build/macos-$(MACOS) $(MACOS)

# Each fuzz target with the sanitizers of asan, on the same inputs every time; make fuzz FUZZ_SECONDS=600 searches for new ones.
FUZZ_SECONDS ?= 0
fuzz: setup
	cmake --preset asan -DCORACLE_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset asan -j $(JOBS)
	$(CTEST) --preset asan -R '^fuzz[.]'

# Raw requests that a generator has damaged, 200,000 of them, to a server of which make test asks some thousands.
SERVE_REQUESTS ?= 200000
serve-fuzz: models build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	CORACLE_HOSTILE_REQUESTS=$(SERVE_REQUESTS) $(CTEST) --preset release -R '^serve[.](venv|hostile)$$' --timeout 7200

# Each fuzz target for FUZZ_SECONDS (an hour if not given), one after the other with low priority, and how often each ran.
fuzz-long: setup
	cmake --preset asan -DCORACLE_FUZZ_SECONDS=$(if $(filter 0,$(FUZZ_SECONDS)),3600,$(FUZZ_SECONDS))
	cmake --build --preset asan -j $(JOBS)
	nice -n 15 ctest --no-tests=error --preset asan -j 1 -V -R '^fuzz[.]' > build/fuzz-long.log; status=$$?; \
	awk '/Test command:.*_fuzzer/ {n = split($$4, path, "/"); gsub(/"/, "", path[n]); target = path[n]} \
	     /number_of_executed_units/ {print target, $$NF; sum += $$NF} END {print "executions in all:", sum}' build/fuzz-long.log; \
	exit $$status

# Operator cases and random programs of both formats, answered by the real Paddle 2.6.2 and 3.3.1, e.g. make oracle CASES=1000 SECONDS=600:
# at most that many cases of each operator and random programs of each form, and that many seconds for the programs of each form.
CASES ?= 200
ORACLE := $(MAKE) --no-print-directory -C tests/oracle WORK=$(CURDIR)/build/oracle TEST=$(CURDIR)/build/release/oracle_test \
          LIBRARY=$(CURDIR)/build/release/libcoracle.so P26=$(CURDIR)/build/oracle-venv/bin/python P33=$(CURDIR)/build/oracle-venv-3.3/bin/python
oracle: setup
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle oracle_test
	scripts/oracle-venv.sh
	scripts/oracle-venv.sh 3.3
	$(ORACLE) cases CASES=$(CASES)
	$(ORACLE) optimized CASES=100
	status=0; $(ORACLE) check || status=1; \
	$(ORACLE) random CASES=$(CASES) SECONDS=$(if $(filter file,$(origin SECONDS)),600,$(SECONDS)) || status=1; exit $$status

# NaN, infinities, -0 and denormal numbers: each operator against the real Paddle 2.6.2 and 3.3.1, and each kernel against its operator's
# reference. build/oracle/special/table.md is then the first table of docs/special-values.md.
special-values: setup
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle devices_tests
	scripts/oracle-venv.sh
	scripts/oracle-venv.sh 3.3
	$(ORACLE) special
	for special in nan inf -inf -0.0 1e-40; do \
	  echo "with $$special:"; CORACLE_TEST_SPECIAL=$$special build/release/devices_tests --gtest_brief=1 --gtest_filter='*Kernels.*' || exit 1; done

# The attributes that Paddle 2.6.2 and 3.3.1 register for each operator: src/model/known_attributes.txt.
known-attributes: setup
	scripts/oracle-venv.sh
	scripts/oracle-venv.sh 3.3
	build/oracle-venv/bin/python scripts/known_attributes.py >build/attributes-2.6.json
	build/oracle-venv-3.3/bin/python scripts/known_attributes.py >build/attributes-3.3.json
	python3 scripts/known_attributes.py --merge build/attributes-2.6.json build/attributes-3.3.json >src/model/known_attributes.txt

# docs/model-table.md: the models of the reference folder against the recorded answers of the real Paddle.
SHARED ?= ../shared
model-table: models build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_program
	tests/models/fill_weights.sh $(SHARED) build/filled python3
	scripts/oracle-venv.sh
	build/oracle-venv/bin/python scripts/model_table.py --program build/release/coracle --shared $(SHARED) --filled build/filled \
	  --demo-models build/demo-models $(MODELS)

# The demo's expectations again, by the real Paddle.
# Files that Paddle Lite's own opt writes of the models of the reference folder, and Paddle Lite's answers to them.
oracle-lite: setup
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle
	scripts/paddle-lite-venv.sh
	build/paddle-lite-venv/bin/python tests/oracle/paddle_lite.py $(wildcard ../shared/models/*/*.pdmodel)

# Tests of the Python package in every Python on the path, with old and new NumPy; others: make python-versions PYTHONS=/opt/python3.14t/bin/python3
python-versions: all
	scripts/python-versions.sh $(PYTHONS)

# Custom operators that are compiled for the real Paddle, and for Coracle.
oracle-custom: setup
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle paddle_custom_operators
	scripts/oracle-venv.sh 3.3
	scripts/venv.sh build/python-venv tests/python/requirements.txt
	CORACLE_LIBRARY=$(CURDIR)/build/release/libcoracle.so PYTHONPATH=$(CURDIR)/python build/oracle-venv-3.3/bin/python tests/oracle/custom_operators.py \
	  --library build/release/tests/paddle/custom_operators.so --python build/python-venv/bin/python

oracle-demo: models
	scripts/oracle-venv.sh
	build/oracle-venv/bin/python tests/demo/oracle_ocr.py --models $(PACKAGE) -o tests/demo/expected.json examples/ocr/demo.jpg

# One session under changing inputs against fresh ones, and options against each other: all recorded cases, all options.
metamorphic: models
	$(MAKE) --no-print-directory all
	$(CTEST) --preset release -R '^golden_weights$$'
	build/release/metamorphic_test --all-options
	build/release/metamorphic_test --all-options --models

# Requests to the server by many clients, of which the tests send 1,000: answers have the same bits whatever runs together.
MIXES ?= 10000
serve-mixes: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	scripts/venv.sh build/serve-venv tests/serve/requirements.txt
	CORACLE_SERVE=build/release/coracle-serve CORACLE_SERVE_MIXES=$(MIXES) build/serve-venv/bin/python -m pytest -q -p no:cacheprovider tests/serve/batching_test.py

# Random programs natively and on engines, parted by chance: all of which a sample is among the tests.
PROGRAMS ?= 1000
FIRST ?= 1
engines-random: engines build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target engines_random
	PATH="$(CURDIR)/build/openvino-venv/bin:$$PATH" CORACLE_ENGINE_CACHE= build/release/engines_random --programs $(PROGRAMS) --first $(FIRST)

# coracle.ray on clusters of this machine's processes, and as root in network namespaces: all of which a sample is among the tests.
ray: models
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle coracle_vision
	SAMPLE=all $(CTEST) --preset release -V -R '^ray[.]sample$$'

# Three servers in network namespaces behind Debian's HAProxy, under load; skips where it is not root.
serve-balancer: setup
	scripts/setup-debian.sh --balancer
	$(MAKE) --no-print-directory build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target coracle_serve_program
	$(CTEST) --preset release -R '^serve[.](venv|balancer)$$'

# Every operator used wrongly, in one place at a time: all of the grid of which a sample is among the tests.
HOSTILE_SEEDS ?= 3
hostile: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target hostile_test
	build/release/hostile_test --all --seeds $(HOSTILE_SEEDS)

# Every command that writes files is interrupted by signals, and runs out of disk, 200 times each.
# Every allocation, mapping, read and start of a thread fails once, from loading a model to freeing it: each one with the
# small models of the tests, a part of them (those of FAULT_TRIES evenly spread) with real models.
FAULT_TRIES ?= 150
FAULT_MODELS ?= $(wildcard build/demo-models/models/*_infer \
                           $(addprefix ../shared/models/,serving-uci_housing serving-text_classification_lstm \
                                                         pphumanseg-v2-lite-portrait pir-PP-LCNet_x0_25_textline_ori))
faults: build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target faults_test cli_tests
	CORACLE_FILE_TRIES=200 build/release/cli_tests --gtest_filter='WholeFiles.*'
	build/release/faults_test
	$(if $(FAULT_MODELS),build/release/faults_test --tries $(FAULT_TRIES) $(FAULT_MODELS))

# The Python wheel, into build/wheels.
wheel: setup
	scripts/python-wheel.sh

# The time that packages and wheels say they are of: that of the last change. Without it archives differ each time.
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)

# The .deb packages and the archive with what they are made of (SPDX) and their checksums, into build/packages.
packages: setup
	$(MAKE) --no-print-directory all
	rm -rf build/packages
	cpack --config build/release/CPackConfig.cmake -B build/packages
	rm -rf build/packages/_CPack_Packages
	scripts/sbom.py $$(build/release/coracle --version | sed -n '1s/^coracle //p') build/packages

# Library, program, packages and wheel built twice without ccache, in folders of other names: the same bits.
reproducible: setup
	scripts/reproducible.sh

# Programs for Paddle in three languages with Coracle, and those in Python with the real Paddle, old and new; comparing with the real Paddle;
# RapidOCR and PaddleX on the demo's picture.
migration: models
	$(MAKE) --no-print-directory all
	scripts/oracle-venv.sh
	scripts/oracle-venv.sh 3.3
	scripts/paddleocr-venv.sh
	$(CTEST) --preset release -R '^(cuda[.]ernie_inputs|python[.](languages|migration|ocr_programs|paddle_hooks)|cli[.](Compare|Quantize[a-zA-Z]*)[.]TheRealPaddle.*)$$'

# PaddleOCR 3 and 2, PaddleX, RapidOCR 3 and rapidocr-paddle from PyPI on the demo's picture and PICTURES generated ones, each with Coracle and
# with the real Paddle: the same texts and boxes. 15 minutes on two cores. With other versions of PaddleX besides, or with a wheel, which is
# installed in the programs' environments: make paddleocr PICTURES=4 PADDLEX="3.3.13 3.4.3 3.5.2 3.6.1" WHEEL=build/wheels/coracle-….whl
PICTURES ?= 20
paddleocr: models
	$(MAKE) --no-print-directory all
	scripts/oracle-venv.sh 3.3
	scripts/paddleocr-venv.sh
	scripts/paddleocr-venv.sh 2
	scripts/setup-debian.sh --fonts || echo "paddleocr: fonts cannot be installed; without them the test skips" >&2
	for version in $(PADDLEX); do scripts/paddleocr-venv.sh paddlex $$version || exit 1; done
	CORACLE_OCR_PICTURES=$(PICTURES) CORACLE_PADDLEX="$(PADDLEX)" CORACLE_WHEEL="$(abspath $(WHEEL))" $(CTEST) --preset release -R '^python[.]ocr_programs$$'

# The documentation site, into build/docs-site (index.html); exit code 77 (here an error) where PyPI is not reached.
docs:
	scripts/docs-site.sh

clean:
	rm -rf build/release build/debug build/asan build/tsan build/demo build/bench build/wheel build/wheels build/wheels-linux build/packages build/reproducible
