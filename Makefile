# The front door: each target works as the first command on a fresh Debian machine.
# The build itself is CMake's (CMakeLists.txt, CMakePresets.json).

PREFIX  ?= /usr/local
DESTDIR ?=
JOBS    ?= $(shell nproc 2>/dev/null || echo 2)

# what `make run` does; for example: make run RUN_SEEDS=1-3 RUN_TASKS=5, or make run RUN_SPEC=experiments/capacity.yaml
RUN_SPEC  ?= experiments/main.yaml
RUN_SEEDS ?= 1-10
RUN_TASKS ?= 10
RUN_OUT   ?= runs/$(basename $(notdir $(RUN_SPEC)))
RUN       ?= build/sfnec run $(RUN_SPEC) --seeds $(RUN_SEEDS) --tasks $(RUN_TASKS) -o $(RUN_OUT) $(RUN_OPTIONS)

# how long `make fuzz` takes, shared by its targets; TARGET=: one or several of them (tests/fuzz/fuzz_<target>.c)
MINUTES ?= 9

# installs what is missing; SETUP=: leaves the machine alone, and so does an empty SETUP=
SETUP ?= sh scripts/setup.sh
setup  = $(or $(strip $(SETUP)),:)

# every C file of the project, and those that clang-tidy reads: it cannot know that cmocka's assertions do not return
c_files  = $(shell find src include tests examples bench web -name '*.[ch]' 2>/dev/null | sort)
analysed = $(filter-out $(CURDIR)/tests/%,\
             $(shell sed -n 's/^ *"file": "\(.*\)",*$$/\1/p' build/compile_commands.json))

# $(call build,PRESET[,OPTIONS]): configures and compiles; $(call test,PRESET): runs all tests
build = cmake --preset $(1) --log-level=WARNING $(2) >/dev/null && cmake --build --preset $(1) --parallel $(JOBS)
test  = ctest --preset $(1) --parallel $(JOBS)

# the Python that tests of other people's programs use; it is made once, outside of the builds
venv       = .venv-tests
docs_venv  = .venv-docs
lint_venv  = .venv-lint
with_tests = -DSFNEC_TESTS=ON -DSFNEC_PYTHON=$(wildcard $(CURDIR)/$(venv)/bin/python) \
             -DSFNEC_DOCS_PYTHON=$(wildcard $(CURDIR)/$(docs_venv)/bin/python)

# `make field`: QUICK=1 is a tiny run; FIELD=ours or peers is one half of it
field_out  = runs/field$(if $(QUICK),-quick)
field_to   = --out $(CURDIR)/$(field_out)$(if $(QUICK), --tables $(CURDIR)/$(field_out))
field      = cd benchmarks && OMP_NUM_THREADS=1 PYTHONWARNINGS=ignore ../.venv-field/bin/python -m field
FIELD     ?= all

# `make robust`: ROBUST is what to run, for example ROBUST="CartPole-v1 junk --seeds 4"
ROBUST    ?= all --seeds 1-3
robust     = cd benchmarks && ../.venv-robust/bin/python -m robust
build_robust = @.venv-robust/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --upgrade \
               --target build-robust .

# `make pixels`: PIXELS is what to run, for example PIXELS="breakout --agents nec,mfec --seeds 1-2"
PIXELS    ?=
pixels     = cd benchmarks && ../.venv-pixels/bin/python -m pixels

# `make compat`: COMPAT is what to try, for example COMPAT="minigrid --again"
COMPAT    ?=
compat     = cd benchmarks && ../.venv-compat/bin/python -m compat

# `make ablation`: ABLATION is what to run, for example ABLATION="CartPole-v1 --seeds 1-2 --off polynomial"
ABLATION  ?= field-quick --seeds 1-4

# libFuzzer where clang has its runtime, else gcc with tests/fuzz/driver.c
fuzz_preset = $(if $(shell echo 'int LLVMFuzzerTestOneInput(const char *a, long b) { return !a + !b; }' | \
  clang -fsanitize=fuzzer -x c - -o /dev/null 2>/dev/null && echo yes),fuzz,fuzz-gcc)

# the thread sanitizer needs the address layout that newer kernels randomise away
fixed_addresses = $(shell setarch -R true 2>/dev/null && echo setarch -R)

.PHONY: all help run test check check-all bench results field robust ablation pixels compat install format hooks lint debug asan tsan valgrind soak slurm-check load fuzz \
        figures docs playground playground-check wheels wheels-check release clean
.NOTPARALLEL:

all: ## build the command (build/sfnec) and the libraries
	@$(setup) build
	@$(call build,release)

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 24

run: all ## the main study: five agents, 10 tasks, 10 seeds; resumes
	$(RUN)
	build/sfnec stats $(RUN_OUT)
	@build/sfnec report $(RUN_OUT) || echo "the results are complete without the page"
	@if [ -e $(RUN_OUT)/report.html ] && [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && command -v xdg-open >/dev/null && [ -t 0 ]; then \
	  printf 'open it in the browser now? [y/N] '; read answer; \
	  case $$answer in y|Y|yes) xdg-open $(RUN_OUT)/report.html ;; esac; \
	fi

test: ## for daily work: a build by gcc and all tests except the slow ones, in at most 90 seconds
	@$(setup) build test
	@sh scripts/venv.sh $(venv) tests/requirements.txt
	@$(call build,release,-DSFNEC_WERROR=ON $(with_tests))
	@$(call test,quick)

check: ## all tests by gcc, the warnings of clang, and the relevant tests under the address and undefined-behaviour sanitizers
	@$(setup) build test docs
	@sh scripts/venv.sh $(venv) tests/requirements.txt
	@sh scripts/venv.sh $(docs_venv) docs/site/requirements.txt
	@$(MAKE) --no-print-directory checks

check-all: check lint ## check and lint, as in continuous integration

.PHONY: checks
checks: # the tests themselves, once everything they need is there
	@echo "== release build by gcc, warnings are errors"
	@$(call build,release,-DSFNEC_WERROR=ON $(with_tests))
	@$(call test,release)
	@echo "== clang's warnings, as errors"
	@sh scripts/clang.sh build $(JOBS)
	@echo "== address and undefined-behaviour sanitizers"
	@$(call build,asan,$(with_tests))
	@$(call test,asan)
	@echo "make check: everything passed (gcc tests, clang's warnings, sanitizer tests)"

bench: all ## run the benchmarks in a few minutes; one of them: make bench BENCH="agent --tasks 1,10"
ifdef BENCH
	build/sfnec-bench $(BENCH)
else
	build/sfnec-bench env --json build/bench-env.json
	build/sfnec-bench memory --tasks 1,10,50 --json build/bench-memory.json
	build/sfnec-bench keys --json build/bench-keys.json
endif

results: all ## list recorded results whose agents play differently now; AGAIN=NAME or AGAIN=old measures them again
	@sh scripts/venv.sh $(docs_venv) docs/site/requirements.txt
	$(docs_venv)/bin/python scripts/results.py $(if $(AGAIN),again,list) build/sfnec $(AGAIN) $(if $(AGAIN),--jobs $(JOBS))

field: ## comparison with other libraries in public environments (docs/field.md); takes days, resumes; QUICK=1
	@$(setup) build field
	@sh scripts/venv.sh .venv-field benchmarks/field/requirements.txt
	@.venv-field/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(field) work $(if $(QUICK),quick,$(FIELD)) $(field_to)
	$(field) page $(field_to) $(if $(QUICK),--page $(CURDIR)/$(field_out)/field.md)

robust: ## the effect of noise, irrelevant components and sparse rewards on sfnec-plan (benchmarks/robust/README.md); resumes
	@$(setup) build field
	@sh scripts/venv.sh .venv-robust benchmarks/robust/requirements.txt
	$(build_robust)
	$(robust) run $(ROBUST) --sfnec $(CURDIR)/build-robust --out $(CURDIR)/runs/robust
	$(robust) table $(CURDIR)/runs/robust

ablation: ## ablation of each mechanism of sfnec-plan in public environments (benchmarks/robust/README.md); resumes
	@$(setup) build field
	@sh scripts/venv.sh .venv-robust benchmarks/robust/requirements.txt
	$(build_robust)
	$(robust) ablation $(ABLATION) --sfnec $(CURDIR)/build-robust --out $(CURDIR)/runs/ablation

pixels: ## what agents earn from pictures, in MinAtar's games (benchmarks/pixels/README.md); takes hours, resumes
	@$(setup) build field
	@sh scripts/venv.sh .venv-pixels benchmarks/pixels/requirements.txt
	@.venv-pixels/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(pixels) run $(PIXELS)
	$(pixels) table

compat: ## unchanged public environments: which run, which are refused (docs/compat.md); resumes
	@$(setup) build field
	@sh scripts/venv.sh .venv-compat benchmarks/compat/requirements.txt
	@.venv-compat/bin/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation .
	$(compat) $(COMPAT)
	$(compat) --page $(CURDIR)/docs/compat.md

install: all ## install under PREFIX (/usr/local), staged in DESTDIR
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi # so that programs find libsfnec.so

format: ## lay out the C files by .clang-format, the Python files by ruff
	@$(setup) build lint
	@sh scripts/venv.sh $(lint_venv) scripts/lint-requirements.txt
	clang-format -i $(c_files)
	$(lint_venv)/bin/ruff format --quiet .

hooks: ## git runs scripts/hooks before each commit: layout, and the length of the subject
	git config core.hooksPath scripts/hooks

lint: ## layout, clang-tidy, cppcheck, the manual page; ruff and mypy for Python; tsc for the pages
	@$(setup) build test lint
	@sh scripts/venv.sh $(lint_venv) scripts/lint-requirements.txt
	clang-format --dry-run -Werror $(c_files)
	$(lint_venv)/bin/ruff format --quiet --diff .
	$(lint_venv)/bin/ruff check --quiet .
	$(lint_venv)/bin/mypy --cache-dir $(lint_venv)/mypy-cache
	@$(call build,release,-DSFNEC_TESTS=ON)
	@npm --prefix build/web/work run --silent lint
	printf '%s\n' $(analysed) | xargs -P $(JOBS) -n 1 \
	  clang-tidy --quiet -p build --warnings-as-errors='*' --extra-arg=-include --extra-arg=$(CURDIR)/scripts/analyzer.h
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
	  --suppress=missingIncludeSystem -D_POSIX_C_SOURCE=200809L -DSFNEC_VERSION='""' -I include -I src \
	  src examples bench
	$(if $(wildcard docs/sfnec.1),mandoc -T lint -W warning docs/sfnec.1)
	@echo "make lint: nothing found"

debug: ## build for the debugger in build-debug
	@$(setup) build
	@$(call build,debug)

asan: ## the tests under the address and undefined-behaviour sanitizers
	@$(setup) build test
	@$(call build,asan,$(with_tests))
	@$(call test,asan)

tsan: ## the tests under the thread sanitizer
	@$(setup) build test
	@$(call build,tsan,$(with_tests))
	@$(fixed_addresses) $(call test,tsan)

valgrind: ## the unit tests under valgrind (half an hour); one of them: make valgrind TEST=agent/
	@$(setup) build test valgrind
	@$(call build,release,$(with_tests))
	bash tests/valgrind.sh build $(TEST)

soak: all ## 1,000 kills of a running study, and 200 of one on MPI ranks (20 to 40 minutes)
	@$(setup) build test
	@$(call build,release,$(with_tests))
	SFNEC_KILLS=1000 SFNEC=$(CURDIR)/build/sfnec nice bash tests/in_temp.sh bash $(CURDIR)/tests/study/kills.sh
	SFNEC_KILLS=200 SFNEC_RANKS=3 SFNEC=$(CURDIR)/build/sfnec nice bash tests/in_temp.sh bash $(CURDIR)/tests/study/kills.sh

load: all ## a study of 100,000 tiny jobs on threads and on MPI ranks (10 to 20 minutes)
	@$(setup) build test
	@$(call build,release,$(with_tests))
	SFNEC_JOBS=100000 SFNEC=$(CURDIR)/build/sfnec nice bash tests/in_temp.sh bash $(CURDIR)/tests/study/load.sh

slurm-check: all ## the scripts of sfnec slurm by a real Slurm on this machine, as root (8 minutes)
	@$(setup) build test slurm
	@$(call build,release,$(with_tests))
	SFNEC=$(CURDIR)/build/sfnec bash tests/in_temp.sh bash $(CURDIR)/tests/cluster/slurm.sh

fuzz: ## fuzz every reader and the interface; for example: make fuzz MINUTES=60 TARGET=spec
	@$(setup) build fuzz
	@$(call build,$(fuzz_preset))
	bash tests/fuzz/run.sh build-$(fuzz_preset) $(MINUTES) $(TARGET)

figures: all ## draw docs/figures again from stored results: make figures FROM=runs
	@sh scripts/figures.sh $(or $(FROM),runs) build/sfnec

docs: all ## this documentation as a site, build-docs/site/index.html; with the playground: make playground docs
	@$(setup) build docs
	@sh scripts/venv.sh $(docs_venv) docs/site/requirements.txt
	@sh docs/site/films.sh build-docs/films build/sfnec
	@SFNEC_PLAYGROUND=$(CURDIR)/build-wasm/playground.html sh docs/site/build.sh build-docs $(docs_venv)/bin/python
	@echo "open build-docs/site/index.html in a browser"

playground: ## agents that learn in the browser: one page, build-wasm/playground.html
	@$(setup) build playground
	@$(call build,wasm)
	@echo "open build-wasm/playground.html in a browser"

playground-check: playground ## the page in Chromium: its agents are those of sfnec train, to the byte (2 minutes)
	@$(setup) build test playground
	@$(call build,release,$(with_tests))
	SFNEC_PLAYGROUND=$(CURDIR)/build-wasm ctest --preset release -R '^web/playground'

wheels: ## the source archive and wheels for x86-64 and aarch64 in dist/, for glibc 2.17 and newer
	@$(setup) build release
	@sh scripts/venv.sh .venv-release scripts/requirements.txt
	@rm -rf dist
	@JOBS=$(JOBS) sh scripts/wheels.sh dist

wheels-check: all wheels ## all tests of the wheels in a bare Debian without a compiler, aarch64 by QEMU (slow); some: TEST=python/tests/test_same.py
	@for wheel in $(CURDIR)/dist/*.whl; do \
	  SFNEC=$(CURDIR)/build/sfnec SFNEC_PYTHON=$(CURDIR)/.venv-release/bin/python bash tests/in_temp.sh \
	    bash $(CURDIR)/tests/package/wheel.sh $$wheel $(CURDIR)/dist/sfnec-*.tar.gz $(TEST) || exit 1; \
	done

release: ## the files of a release, from HEAD, in dist/: archive, wheels, notes, checksums; nothing is published
	@$(setup) build release
	@sh scripts/venv.sh .venv-release scripts/requirements.txt
	@JOBS=$(JOBS) sh scripts/release.sh

clean: ## remove all builds
	rm -rf build build-debug build-clang build-asan build-tsan build-fuzz build-fuzz-gcc build-wasm build-docs build-wheels build-release \
	  build-robust dist $(venv) $(docs_venv) $(lint_venv) .venv-field .venv-robust .venv-pixels .venv-compat .venv-release
