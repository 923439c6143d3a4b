# Heddle's build. The tree is the build: every src/**/*.c belongs to the library, but
# src/{cli,study,nvcc,command} (the heddle command) and src/cuda (libcudart and libcuda).
#
#   make                 build/heddle, build/libheddle.a and the CUDA libraries
#   make unit            the unit tests, in build/tests
#   make check           all unit and program tests
#   make workloads       the workload suite, each program at its smallest size
#   make bench           the simulator's own speed, appended to bench/history*.csv
#   make install         into PREFIX (/usr/local), below DESTDIR if it is set
#   make python          the Python module in python/, for PYTHONPATH=python
#   make wheel           the Python module as a wheel, in WHEEL_DIR (dist)
#   make docs            what docs/ has from tables: options, statistics, instructions, manual pages
#   make fuzz            the fuzz targets with clang's libFuzzer, in build-fuzzer/libfuzzer/
#   make SAN=address     the same with ASan and UBSan in build-address/ (SAN=thread: TSan)
#   make B=DIR           build in another directory
#   make DEBUG=-g        with variables for a debugger: -g1 has lines alone, in four fifths of the time
CC     ?= gcc
SAN    ?=
B      ?= build$(if $(SAN),-$(SAN))
OPT    ?= -O2
WARN   := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-missing-field-initializers
# The simulated arithmetic is the program's: no contraction to fma, no errno from math functions.
DEBUG  ?= -g1
CFLAGS ?= $(OPT) $(DEBUG)
override CFLAGS += -std=gnu17 -fPIC -pthread $(WARN) -ffp-contract=off -fno-math-errno -fno-strict-aliasing
override CPPFLAGS += -Iinclude -Isrc -I$(B)/gen -D_GNU_SOURCE
CUDA_LDLIBS := -llz4 -lzstd
comma := ,
LDLIBS := -lz -ljansson -lelf -linih -lexpat -lm -ldl -pthread $(EXTRA_LIBS)
ifeq ($(SAN),address)
# gcc's also of arrays at the end of a structure
BOUNDS := $(if $(findstring clang,$(CC)),,$(comma)bounds-strict)
override CFLAGS += -fsanitize=address,undefined$(BOUNDS) -fno-sanitize-recover=undefined$(BOUNDS) -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=address,undefined
endif
ifeq ($(SAN),fuzzer)
override CFLAGS += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
override LDFLAGS += -fsanitize=fuzzer,address,undefined
endif
ifeq ($(SAN),thread)
override CFLAGS += -fsanitize=thread
override LDFLAGS += -fsanitize=thread
endif

ALL_SRC  := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c))
CLI_SRC  := $(filter src/cli/% src/study/% src/nvcc/% src/command/%,$(ALL_SRC))
LIB_SRC  := $(filter-out $(CLI_SRC) src/cuda/%,$(ALL_SRC))
LIB_OBJ  := $(LIB_SRC:src/%.c=$(B)/%.o)
CLI_OBJ  := $(CLI_SRC:src/%.c=$(B)/%.o)
CUDA_SRC := $(filter src/cuda/%,$(ALL_SRC))
CUDA_OBJ := $(CUDA_SRC:src/%.c=$(B)/%.o)
# All names of the one CUDA library: those programs ask for, those linkers look for.
CUDA_LIB := $(addprefix $(B)/,libcudart.so.11.0 libcudart.so.10.0 libcudart.so.10.1 libcudart.so.10.2 libcudart.so.12 \
	libcudart.so.13 libcudart.so libcuda.so.1 libcuda.so)
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(B)/tests/%)

# Adding a policy is adding a file. A row FAMILY(sched, "sm/sched") of families.def makes each table
# `const struct sched_ops sched_NAME` in src/sm/sched/*.c a policy; gen/policies.c lists them for the registry,
# sorted by family and file. The list is looked over in every build and written when it has changed.
FAMILIES := $(shell sed -n 's/^FAMILY(\(.*\), "\(.*\)")$$/\1:\2/p' src/policy/families.def)
family_files = $(addsuffix .c,$(sort $(basename $(wildcard src/$(lastword $(subst :, ,$(1)))/*.c))))
family_tables = sed -n 's/^const struct $(1)_ops $(1)_\([a-z0-9_]*\) = .*/POLICY($(1), \1)/p' $(call family_files,$(2)) /dev/null;
$(B)/gen/policies.def: FORCE
	@mkdir -p $(@D)
	@{ $(foreach f,$(FAMILIES),$(call family_tables,$(firstword $(subst :, ,$(f))),$(f))) } >$@.new
	@cmp -s $@.new $@ || mv $@.new $@
	@rm -f $@.new

# The names by which programs of CUDA 10 to 13 ask for these libraries: the first is a file, the others are links to it.
NAMES_cublas   := libcublas.so.11 libcublas.so.10.0 libcublas.so.10 libcublas.so.12 libcublas.so.13
NAMES_cublasLt := libcublasLt.so.11 libcublasLt.so.10 libcublasLt.so.12 libcublasLt.so.13
NAMES_cufft    := libcufft.so.10 libcufft.so.10.0 libcufft.so.11 libcufft.so.12
NAMES_curand   := libcurand.so.10 libcurand.so.10.0
NAMES_cusparse := libcusparse.so.11 libcusparse.so.10.0 libcusparse.so.10 libcusparse.so.12
NAMES_cusolver := libcusolver.so.11 libcusolver.so.10.0 libcusolver.so.10 libcusolver.so.12
NAMES_nvrtc    := libnvrtc.so.11.2 libnvrtc.so.10.0 libnvrtc.so.10.1 libnvrtc.so.10.2 libnvrtc.so.11.0 libnvrtc.so.11.1 \
	libnvrtc.so.12 libnvrtc.so.13
NAMES_nvJitLink := libnvJitLink.so.12 libnvJitLink.so.13

# Libraries of CUDA programs (cudalib/), made from CUDA sources by the compiler driver itself; where no clang is installed there
# are none. They belong to the plain build: programs do not have the sanitizer that the driver of another has.
ifeq ($(SAN),)
ifneq ($(shell command -v clang++ || ls /usr/bin/clang++-* 2>/dev/null),)
CUDALIB_NAMES := cublas cublasLt cufft curand cusparse cusolver nvrtc nvJitLink
MATH_LIB := $(foreach l,$(CUDALIB_NAMES),$(addprefix $(B)/,$(NAMES_$(l)) lib$(l).so))
endif
endif

.DEFAULT_GOAL := all
.PHONY: all base check unit fuzz bench docs clean workloads install python wheel FORCE
.SECONDARY:
# A build that is killed leaves nothing half-written.
.DELETE_ON_ERROR:

all: base $(MATH_LIB)
# Without the libraries that the command compiles.
base: $(B)/libheddle.a $(B)/heddle $(CUDA_LIB)

# Warp-wide operation bodies are loops over 32 lanes; -O3 vectorises and unrolls them. Nothing looks
# at the host's exception flags, so both sides of a select may be computed.
# Sanitizer builds are for finding faults: -O1 there, which compiles much faster.
EXEC_OPT := $(if $(SAN),-O1,-O3)
$(B)/exec/%.o $(B)/check/%.o $(B)/devmem/%.o: OPT := $(EXEC_OPT)
$(B)/exec/%.o: override CFLAGS += -fno-trapping-math

# What runs each cycle calls within its file: those calls may be inlined, nobody puts another function in
# their place. -O3 makes timing mode 1 to 4 % faster. So does -fstrict-aliasing by 1 to 3 %: these rooms
# look at no object through another's type. The executor's registers are words of any type.
$(B)/sm/%.o $(B)/mem/%.o $(B)/gpu/%.o: override CFLAGS += -fno-semantic-interposition -fstrict-aliasing
$(B)/sm/%.o $(B)/mem/%.o $(B)/gpu/%.o $(B)/power/%.o $(B)/stat/%.o: OPT := $(if $(SAN),$(OPT),-O3)

# Rooms of which nothing runs while a kernel does: they compile in two thirds of the time.
ONCE_ROOMS := cli command study nvcc validate isa lift back front pass conf debug estimate cuda
$(foreach r,$(ONCE_ROOMS),$(B)/$(r)/%.o): OPT := -O1

$(B)/policy/list.o: $(B)/gen/policies.def

# Compiled code that is kept for later runs belongs to the sources of this library (and to the compiler's version). Flags
# do not count: a test that builds with another path of B must not make the libraries again.
LIB_HEADERS := $(filter-out $(addprefix src/,cli/% study/% nvcc/% command/% cuda/%), \
	$(sort $(foreach kind,h def,$(foreach at,*/*. */*/*. */*/*/*.,$(wildcard src/$(at)$(kind))))))
$(B)/gen/library_sources.h: FORCE
	@mkdir -p $(@D)
	@cat $(LIB_SRC) $(LIB_HEADERS) | cksum | sed 's/.*/#define LIBRARY_SOURCES "&"/' >$@.new
	@cmp -s $@.new $@ || mv $@.new $@
	@rm -f $@.new
$(B)/api/code_cache.o: $(B)/gen/library_sources.h

# On x86-64 the operations exist three times: for every host, for AVX2 and for AVX-512. The last two are
# each one object whose only name is its table (src/exec/dispatch.h). EXEC_SETS= builds the first alone, for work
# on other things; EXEC_SETS=v3 that one alone, for a host that can run it, whose baseline would lack fma.
OBJCOPY   ?= objcopy
EXEC_SETS ?= baseline v3 v4
ifeq ($(filter x86_64-% amd64-%,$(shell $(CC) -dumpmachine)),)
SETS := baseline
else
SETS := $(or $(EXEC_SETS),baseline)
endif
# The table of sets is compiled again when there are others than in the last build.
$(B)/gen/exec_sets: FORCE
	@mkdir -p $(@D)
	@echo '$(SETS)' | cmp -s - $@ || echo '$(SETS)' >$@
$(B)/exec/dispatch.o: $(B)/gen/exec_sets
$(B)/exec/dispatch.o: override CPPFLAGS += $(SETS:%=-DEXEC_HAS_%)
FORCE:
EXEC_ONCE := cluster dispatch memory/access memory/pending memory/strays tex/textures tma/tensormap
EXEC_OPS  := $(filter-out $(EXEC_ONCE),$(patsubst src/exec/%.c,%,$(filter src/exec/%,$(LIB_SRC))))
ISA_SETS  := $(filter-out baseline,$(SETS))
ISA_OBJ   := $(ISA_SETS:%=$(B)/exec_%.o)
ifeq ($(filter baseline,$(SETS)),)
LIB_OBJ   := $(filter-out $(EXEC_OPS:%=$(B)/exec/%.o),$(LIB_OBJ))
endif
$(B)/exec-v3/%.o: ISA_FLAGS := -march=x86-64-v3
$(B)/exec-v4/%.o: ISA_FLAGS := -march=x86-64-v4 -mprefer-vector-width=512
define isa_rules
$(B)/exec-$(1)/%.o: OPT := $(EXEC_OPT)
$(B)/exec-$(1)/%.o: override CPPFLAGS += -DEXEC_OPS=exec_ops_$(1)
$(B)/exec-$(1)/%.o: src/exec/%.c
	@mkdir -p $$(@D)
	$$(CC) $$(CPPFLAGS) $$(CFLAGS) -fno-trapping-math $$(ISA_FLAGS) -MMD -MP -c $$< -o $$@
$(B)/exec_$(1).o: $(EXEC_OPS:%=$(B)/exec-$(1)/%.o)
	$$(CC) -r -nostdlib -o $$@ $$^
	$$(OBJCOPY) --keep-global-symbol=exec_ops_$(1) $$@
-include $(EXEC_OPS:%=$(B)/exec-$(1)/%.d)
endef
$(foreach v,$(ISA_SETS),$(eval $(call isa_rules,$(v))))

$(B)/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/libheddle.a: $(LIB_OBJ) $(ISA_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

# Policies that `heddle grade` loads call functions of the command: -rdynamic.
# gen/heddle.link has what tests/without-policies links anew.
$(B)/heddle: $(CLI_OBJ) $(B)/libheddle.a
	$(CC) $(LDFLAGS) -rdynamic -o $@ $^ -lsqlite3 -llzma -lzstd $(LDLIBS)
	@echo '$(CLI_OBJ)' >$(B)/gen/heddle.link
	@echo '$(LDFLAGS) -lsqlite3 -llzma -lzstd $(LDLIBS)' >$(B)/gen/heddle.libs

# The page of heddle explore: its parts and the drawing library become part of the command.
D3 ?= /usr/share/javascript/d3/d3.min.js
$(B)/study/explore.o: override CPPFLAGS += -DD3_FILE='"$(D3)"'
$(B)/study/explore.o: $(wildcard src/study/explore/*) $(D3)

$(B)/cuda/%.o: override CPPFLAGS += -Iinclude/cuda
# Messages name the call of the program that an error or allocation belongs to: its frame stays.
$(B)/cuda/%.o: override CFLAGS += -fno-optimize-sibling-calls

# Workloads are compiled again when the compiler driver has changed.
CC_DRIVER := $(wildcard src/nvcc/cc.c src/nvcc/*)
$(B)/cli/built.o: $(CC_DRIVER)
$(B)/cli/built.o: override CPPFLAGS += -DCC_DRIVER=$(firstword $(shell cat $(CC_DRIVER) | cksum))u

# The simulator with its public names alone, so that the CUDA libraries may use any others.
$(B)/public.o: $(B)/libheddle.a
	$(LD) -r -o $@ --whole-archive $<
	$(OBJCOPY) --wildcard --keep-global-symbol='heddle_*' $@

$(B)/libcudart.so.11.0: $(CUDA_OBJ) $(B)/public.o src/cuda/export.map
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script=src/cuda/export.map \
		$(if $(SAN),,-Wl$(comma)-z$(comma)defs) -o $@ $(CUDA_OBJ) $(B)/public.o $(CUDA_LDLIBS) $(LDLIBS)

# libheddle for programs: its version is heddle.h's, its names those that heddle.h declares.
VERSION := $(shell sed -n 's/^\#define HEDDLE_VERSION "\(.*\)"/\1/p' include/heddle.h)
SO      := libheddle.so.$(firstword $(subst ., ,$(VERSION)))
$(B)/heddle.names: include/heddle.h
	@mkdir -p $(@D)
	@{ echo 'HEDDLE_$(firstword $(subst ., ,$(VERSION))) { global:'; \
		$(CC) $(CPPFLAGS) -E -P $< | grep -o '\bheddle_[a-z0-9_]* *(' | tr -d ' (' | sort -u | sed 's/$$/;/'; \
		echo 'local: *; };'; } >$@
$(B)/libheddle.so.$(VERSION): $(B)/public.o $(B)/heddle.names
	$(CC) -shared $(LDFLAGS) -Wl,-soname,$(SO) -Wl,--version-script=$(B)/heddle.names -o $@ $(B)/public.o $(LDLIBS)

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
# heddle looks for the CUDA libraries beside itself, wherever the system keeps its own.
CUDADIR := $(PREFIX)/lib/heddle
DEST    := $(DESTDIR)$(PREFIX)
INSTALL ?= install
install: all $(B)/libheddle.so.$(VERSION)
	$(INSTALL) -d $(DEST)/bin $(DEST)/include $(DEST)/share/heddle $(DEST)/share/man/man1 $(DEST)/share/doc/heddle \
		$(DEST)/share/bash-completion/completions $(DEST)/share/zsh/site-functions $(DESTDIR)$(CUDADIR) \
		$(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) $(B)/heddle $(DEST)/bin/heddle
	$(INSTALL) -m 644 include/heddle.h $(DEST)/include/heddle.h
	$(INSTALL) -m 644 $(B)/libheddle.a $(DESTDIR)$(LIBDIR)/libheddle.a
	$(INSTALL) -m 644 $(B)/libheddle.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libheddle.so.$(VERSION)
	ln -sf libheddle.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SO)
	ln -sf $(SO) $(DESTDIR)$(LIBDIR)/libheddle.so
	$(INSTALL) -m 644 $(B)/libcudart.so.11.0 $(DESTDIR)$(CUDADIR)/libcudart.so.11.0
	for l in $(filter-out libcudart.so.11.0,$(notdir $(CUDA_LIB))); do \
		ln -sf libcudart.so.11.0 $(DESTDIR)$(CUDADIR)/$$l; done
	for l in $(notdir $(MATH_LIB)); do ! [ -e $(B)/$$l ] || cp -P $(B)/$$l $(DESTDIR)$(CUDADIR)/$$l; done
	cp -R conf workloads studies $(DEST)/share/heddle/
	$(INSTALL) -d $(DEST)/share/heddle/include
	cp -R include/cuda $(DEST)/share/heddle/include/
	$(INSTALL) -d $(DEST)/share/heddle/src
	cd src && find . \( -name '*.h' -o -name '*.def' \) -exec cp --parents '{}' $(abspath $(DEST))/share/heddle/src ';'
	$(INSTALL) -m 644 docs/man/*.1 $(DEST)/share/man/man1/
	cp -R README.md CHANGELOG.md LICENSE $(DEST)/share/doc/heddle/
	$(INSTALL) -d $(DEST)/share/doc/heddle/docs
	cd docs && cp -R README.md use machine code reference evidence figures teaching $(DEST)/share/doc/heddle/docs/
	$(B)/heddle help --complete bash >$(DEST)/share/bash-completion/completions/heddle
	$(B)/heddle help --complete zsh >$(DEST)/share/zsh/site-functions/_heddle
	printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(LIBDIR)' 'includedir=$${prefix}/include' '' 'Name: heddle' \
		'Description: GPU simulator' 'Version: $(VERSION)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lheddle' \
		'Libs.private: $(LDLIBS)' >$(DESTDIR)$(LIBDIR)/pkgconfig/heddle.pc

# The Python module finds structures and functions in what names.py makes of heddle.h. A wheel has the installed tree too.
PYTHON    ?= /usr/bin/python3
WHEEL_DIR ?= dist
python: $(B)/libheddle.so.$(VERSION) $(B)/heddle
	cd python && CC="$(CC)" $(PYTHON) names.py heddle >/dev/null
WHEEL_TREE := $(B)/wheel/python
wheel: python all
	rm -rf $(B)/wheel
	mkdir -p $(WHEEL_TREE) $(WHEEL_DIR)
	cp -R python/heddle python/setup.py LICENSE $(WHEEL_TREE)
	rm -rf $(WHEEL_TREE)/heddle/__pycache__
	$(MAKE) -s install DESTDIR=$(abspath $(B)/wheel/root) PREFIX=/heddle LIBDIR=/heddle/lib
	mkdir -p $(WHEEL_TREE)/heddle/installed/lib $(WHEEL_TREE)/heddle/installed/bin $(WHEEL_TREE)/heddle/installed/share/heddle
	cp $(B)/wheel/root/heddle/lib/libheddle.so.$(VERSION) $(WHEEL_TREE)/heddle/installed/lib
	cp $(B)/wheel/root/heddle/bin/heddle $(WHEEL_TREE)/heddle/installed/bin
	cp -R $(B)/wheel/root/heddle/share/heddle/conf $(B)/wheel/root/heddle/share/heddle/include $(WHEEL_TREE)/heddle/installed/share/heddle
	cd $(WHEEL_TREE) && $(PYTHON) setup.py -q bdist_wheel -d $(abspath $(WHEEL_DIR)) 2>/dev/null

$(filter-out $(B)/libcudart.so.11.0,$(CUDA_LIB)): $(B)/libcudart.so.11.0
	ln -sf $(<F) $@

# Objects are compiled again when the sources or what they include change, not with every build of the driver.
CUDALIB_HEADERS := $(wildcard cudalib/*.cuh cudalib/*.h include/cuda/cu*.h include/cuda/nvrtc.h include/cuda/heddle/cublas_*)
$(B)/cudalib/%.o: cudalib/%.cu $(CUDALIB_HEADERS) | $(B)/heddle $(CUDA_LIB)
	@mkdir -p $(@D)
	$(B)/heddle cc -std=c++17 -O2 -Xcompiler -fPIC -c $< -o $@
$(B)/cudalib/%.o: cudalib/%.cpp $(CUDALIB_HEADERS) | $(B)/heddle $(CUDA_LIB)
	@mkdir -p $(@D)
	$(B)/heddle cc -std=c++17 -O2 -Xcompiler -fPIC -c $< -o $@
# The sources of a library begin with its name; cuBLASLt is a library of its own on top of cuBLAS.
cudalib_objects = $(patsubst cudalib/%,$(B)/cudalib/%.o,$(basename $(wildcard cudalib/$(1).cu cudalib/$(1).cpp cudalib/$(1)_*.cu cudalib/$(1)_*.cpp)))
define cudalib_rules
$(B)/$(firstword $(NAMES_$(1))): $(call cudalib_objects,$(if $(filter cublasLt,$(1)),cublaslt,$(1))) cudalib/link
	cudalib/link $(B)/heddle $$@ $(1) "$(NAMES_$(1))" $$(filter %.o,$$^) $(if $(filter cublasLt,$(1)),-L$(B) -lcublas)$(if $(filter nvJitLink,$(1)),-L$(B) -lcuda) || \
		echo "$$(@F) is not built: programs that need it will not link" >&2
$(addprefix $(B)/,$(wordlist 2,99,$(NAMES_$(1))) lib$(1).so): | $(B)/$(firstword $(NAMES_$(1)))
	ln -sf $(firstword $(NAMES_$(1))) $$@
endef
$(foreach l,$(CUDALIB_NAMES),$(eval $(call cudalib_rules,$(l))))
$(B)/cudalib/nvJitLink.o: include/cuda/nvJitLink.h
$(B)/libcublas.so.11: $(B)/cudalib/wide.o
$(B)/cudalib/wide.cpp: cudalib/wide include/cuda/cublas_api.h include/cuda/cublas_v2.h
	@mkdir -p $(@D)
	cudalib/wide define >$@
$(B)/cudalib/wide.o: $(B)/cudalib/wide.cpp | $(B)/heddle $(CUDA_LIB)
	$(B)/heddle cc -std=c++17 -O2 -Xcompiler -fPIC -Icudalib -c $< -o $@
$(B)/libcublasLt.so.11: | $(B)/libcublas.so

# Tests spend their time in the library, and compile in a third of the time without optimisation. Private: the
# library that they need is optimised.
$(B)/tests/%: private OPT := -O0
$(B)/tests/%: tests/unit/%.c $(B)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(TEST_OBJ) $(B)/libheddle.a -lcmocka \
		$(CUDA_LDLIBS) $(LDLIBS)

# What a test needs of the command, beside the library.
COMMAND_TEST_OBJ := $(addprefix $(B)/command/,command.o file.o message.o suite.o)
STUDY_TEST_OBJ := $(COMMAND_TEST_OBJ) $(addprefix $(B)/study/lang/,classes.o expr.o maths.o names.o options.o read.o section.o section_kinds.o section_mechanisms.o study.o)
$(B)/tests/test_study: TEST_OBJ := $(STUDY_TEST_OBJ)
$(B)/tests/test_study: $(STUDY_TEST_OBJ)
STORE_TEST_OBJ := $(addprefix $(B)/study/store/,db.o query.o)
$(B)/tests/test_store: TEST_OBJ := $(STORE_TEST_OBJ)
$(B)/tests/test_store: CUDA_LDLIBS += -lsqlite3
$(B)/tests/test_cli_golden: CUDA_LDLIBS += -llzma
$(B)/tests/test_cli_golden: TEST_OBJ := $(B)/command/tracez.o
$(B)/tests/test_cli_golden: $(B)/command/tracez.o
$(B)/tests/test_store: $(STORE_TEST_OBJ)

FACTOR_TEST_OBJ := $(STUDY_TEST_OBJ) $(addprefix $(B)/study/,store/db.o report/factors.o lang/sweep_axes.o lang/sweep_read.o)
$(B)/tests/test_factors: TEST_OBJ := $(FACTOR_TEST_OBJ)
$(B)/tests/test_factors: CUDA_LDLIBS += -lsqlite3
$(B)/tests/test_factors: $(FACTOR_TEST_OBJ)

RUNNER_TEST_OBJ := $(addprefix $(B)/,cli/power_runner.o command/temp.o)
$(B)/tests/test_power_runner: TEST_OBJ := $(RUNNER_TEST_OBJ)
$(B)/tests/test_power_runner: $(RUNNER_TEST_OBJ)

$(B)/fuzz/%: tests/fuzz/fuzz_%.c tests/fuzz/driver.c $(B)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(CUDA_LDLIBS) $(LDLIBS)

# What a target needs of the command.
$(B)/fuzz/study $(B)/libfuzzer/study: $(STUDY_TEST_OBJ) $(B)/study/lang/sweep_axes.o $(B)/study/lang/sweep_read.o

STEP_FUZZ_OBJ := $(COMMAND_TEST_OBJ) $(addprefix $(B)/cli/,step/read.o step/npy.o step/triton.o) $(B)/command/output.o
$(B)/fuzz/step $(B)/libfuzzer/step: $(STEP_FUZZ_OBJ)

# With libFuzzer in place of the driver: it sees which inputs reach new code.
$(B)/libfuzzer/%: tests/fuzz/fuzz_%.c $(B)/libheddle.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -Itests $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) $(filter %.a,$^) $(CUDA_LDLIBS) $(LDLIBS)

fuzz:
	$(MAKE) SAN=fuzzer CC=$(if $(filter clang%,$(CC)),$(CC),clang) \
		$(patsubst tests/fuzz/fuzz_%.c,build-fuzzer/libfuzzer/%,$(wildcard tests/fuzz/fuzz_*.c))

# Tests that use the shared library run side by side: it is there before them.
unit: $(UNIT_BIN) $(B)/libheddle.so.$(VERSION)

check: all unit
	@B=$(B) tests/run

workloads: all
	@B=$(B) tests/workloads.sh

$(B)/bench: private OPT := -O3
$(B)/bench: bench/bench.c $(B)/libheddle.a
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(B)/libheddle.a $(LDLIBS)

bench: all $(B)/bench
	$(B)/bench bench
	$(B)/bench bench --config gtx480

# Every chapter that follows from a table of the source. Tests compare them with the tables.
docs: $(B)/heddle
	$(B)/heddle config options > docs/reference/options.md
	$(B)/heddle config statistics > docs/reference/statistics.md
	$(B)/heddle ptx > docs/reference/ptx-support.md
	$(B)/heddle disasm --table fermi > docs/reference/isa-fermi.md
	$(B)/heddle disasm --table tesla > docs/reference/isa-tesla.md
	$(B)/heddle disasm --table sm70 > docs/reference/isa-sm70.md
	@mkdir -p docs/man
	$(B)/heddle help --man > docs/man/heddle.1
	for c in $$($(B)/heddle --help | sed -n '/^commands:/,/^$$/s/^  \([a-z-]*\) .*/\1/p'); do \
		$(B)/heddle help --man $$c > docs/man/heddle-$$c.1 || exit 1; done

clean:
	rm -rf $(B)

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(CUDA_OBJ:.o=.d) $(UNIT_BIN:=.d) $(B)/bench.d
