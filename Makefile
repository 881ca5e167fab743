# The front door. `make demo` on a fresh Debian 12 does everything; the rest is CMake (CMakePresets.json).
.DEFAULT_GOAL := build
.PHONY: demo build test lint smoke test-all bench install deb papers papers-parallel fuzz clean format packages

PREFIX ?= /usr/local
BUILD := build

# Asks first, unless what is called is what the README tells a newcomer to call.
packages:
	@scripts/install-packages $(if $(CI)$(filter demo test,$(MAKECMDGOALS)),--yes)

# Configures once; CMake notices later changes by itself.
$(BUILD)/build.ninja: CMakePresets.json | packages
	cmake --preset release

build: packages $(BUILD)/build.ninja
	cmake --build --preset release

# Builds what the demonstration runs and nothing else: no tests, no benchmarks.
demo: packages $(BUILD)/build.ninja
	cmake --build --preset release --target product
	@scripts/demo $(BUILD)

# What every change must pass, in minutes.
test: build
	ctest --preset release
	$(MAKE) smoke

# clang-tidy over all of src/ and tools/: half an hour on two cores. `make test` runs it on what changed and a few files more.
lint: build
	scripts/lint $(BUILD)

# Units of the lower layers under AddressSanitizer and UndefinedBehaviorSanitizer, their invariants checked.
smoke: packages
	cmake --preset smoke && cmake --build --preset smoke
	@printf '%s\n' build-smoke/tests/*_test | xargs -P 2 -I PROGRAM sh -c 'PROGRAM --gtest_brief=1 || exit 255'

# Everything: the slow tests too, the fast ones again under sanitizers, and an hour of fuzzing. Takes most of a day.
test-all: build
	ctest --preset release-all
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan
	$(MAKE) fuzz FUZZ_SECONDS=$$((3600 / $$(ls fuzz/fuzz_*.cpp | wc -l)))

bench: build
	@scripts/bench $(BUILD)

# The tables and figures of the five papers, beside the papers' own, into docs/results. Goes on where it was interrupted.
papers: build
	scripts/papers $(BUILD)

# The tables of the parallel-executions paper, on programs of its kind.
papers-parallel: build
	bench/parallel/run $(BUILD)

install: build
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: build
	cd $(BUILD) && cpack

# Seconds per target: make fuzz FUZZ_SECONDS=600
FUZZ_SECONDS ?= 60
fuzz: packages
	cmake --preset fuzz && cmake --build --preset fuzz
	@for target in build-fuzz/fuzz/fuzz_*; do \
	  test -x $$target || continue; \
	  name=$$(basename $$target); mkdir -p build-fuzz/corpus/$$name && \
	  $$target -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=build-fuzz/$$name- build-fuzz/corpus/$$name fuzz/corpus/$$name || exit 1; \
	done

format:
	scripts/check-format --fix

clean:
	rm -rf $(BUILD) build-asan build-tsan build-fuzz build-smoke
