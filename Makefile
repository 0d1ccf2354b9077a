# Thin over CMake presets: `make build`, `make check`, `make test`, `make demo`, `make bench`.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD = build/release

.PHONY: help bootstrap build check test test-extras demo bench asan tsan format install clean

help:
	@echo "make demo     build, then simulate a humanoid and say what happened and how fast"
	@echo "make test     build and run every test"
	@echo "make test-extras  tests of other processors; says what it skipped"
	@echo "make build    the release library: $(BUILD)/libsinew.so and $(BUILD)/compat/libmujoco.so.3.3.4"
	@echo "make check    build and run the unit tests (under a minute)"
	@echo "make bench    speed against the released engine, in one run"
	@echo "make install PREFIX=$(PREFIX)"

# Installs what is missing, or says exactly what to install.
bootstrap:
	@tools/bootstrap

build: bootstrap
	@cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }; rm -f build.log
	@cmake --build --preset release -j $(JOBS)

check: build
	@ctest --test-dir $(BUILD) -L unit -j $(JOBS) --output-on-failure

test: build
	@tools/test

test-extras: build
	@tools/test-extras

demo: build
	@$(BUILD)/sinew run

bench: build
	@tools/bench

asan: bootstrap
	@cmake --preset asan > /dev/null && cmake --build --preset asan -j $(JOBS) && ctest --preset asan -L unit -j $(JOBS)

tsan: bootstrap
	@cmake --preset tsan > /dev/null && cmake --build --preset tsan -j $(JOBS) --target thread_tests && ctest --preset tsan -L thread -j $(JOBS)

format:
	@tools/format --write

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

clean:
	@rm -rf build
