# Thin over CMake presets: `make build`, `make check`, `make test`, `make demo`, `make bench`.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
BUILD = build/release

.PHONY: help packages bootstrap use build check test test-extras nightly demo bench wheels deb site web asan tsan format install uninstall clean

help:
	@echo "make demo       build the command alone, simulate a humanoid, say what happened and how fast"
	@echo "make install    PREFIX=$(PREFIX): libraries, headers, the command"
	@echo "make uninstall  remove what make install put in place"
	@echo "make build      everything: $(BUILD)/libsinew.so, $(BUILD)/compat/libmujoco.so.3.3.4, the tests"
	@echo "make check      build and run the unit tests (under a minute)"
	@echo "make test       build and run every test"
	@echo "make test-extras  tests of other processors; says what it skipped"
	@echo "make nightly    what takes hours: full parity, long fuzzing"
	@echo "make wheels     wheels of the Python package for Linux on x86-64 and aarch64, in dist/"
	@echo "make deb        a Debian package of the libraries, headers and the command, in dist/"
	@echo "make site       the pages as a site of static files, in build/site/"
	@echo "make web        the engine for browsers, the page, the npm package: build/web/package"
	@echo "make bench      speed against the released engine, in one run"

# Install what is missing, or say exactly what to install: to use Sinew; to work on it.
packages:
	@tools/bootstrap use

bootstrap:
	@tools/bootstrap

# Without the tests and what they need; $(TARGETS) alone.
use: packages
	@cmake --preset use > build.log 2>&1 || { cat build.log; exit 1; }; rm -f build.log
	@cmake --build --preset use -j $(JOBS) $(if $(TARGETS),--target $(TARGETS))

build: bootstrap
	@cmake --preset release > build.log 2>&1 || { cat build.log; exit 1; }; rm -f build.log
	@cmake --build --preset release -j $(JOBS)

check: build
	@ctest --test-dir $(BUILD) -L unit -j $(JOBS) --output-on-failure

test: build
	@tools/test

test-extras: build
	@tools/test-extras

nightly: build
	@tools/nightly

demo: TARGETS = sinew_command
demo: use
	@$(BUILD)/sinew run --picture $(BUILD)/demo.png
	@echo "more: $(BUILD)/sinew run --plot, $(BUILD)/sinew help"

bench: build
	@tools/bench

wheels: packages
	@tools/wheels

deb: packages
	@cmake --preset use -B build/deb -DCMAKE_INSTALL_PREFIX=/usr -DSINEW_PC_RPATH=OFF > /dev/null
	@cmake --build build/deb -j $(JOBS)
	@cd build/deb && cpack -G DEB -B ../../dist > cpack.log || { cat cpack.log; exit 1; }
	@rm -rf dist/_CPack_Packages; ls dist/*.deb

site:
	@tools/site

# Says what it needs; nothing of it is needed for the rest.
web:
	@web/make

asan: bootstrap
	@cmake --preset asan > /dev/null && cmake --build --preset asan -j $(JOBS) && ctest --preset asan -L unit -j $(JOBS)

tsan: bootstrap
	@cmake --preset tsan > /dev/null && cmake --build --preset tsan -j $(JOBS) --target thread_tests && ctest --preset tsan -L thread -j $(JOBS)

format:
	@tools/format --write

install: use
	@cmake --install $(BUILD) --prefix $(PREFIX)
	@pc=$$(grep 'sinew.pc$$' $(BUILD)/install_manifest.txt); \
	  echo "installed; programs find it with PKG_CONFIG_PATH=$${pc%/sinew.pc}"

uninstall:
	@cmake -DMANIFEST=$(BUILD)/install_manifest.txt -P cmake/uninstall.cmake

clean:
	@rm -rf build
