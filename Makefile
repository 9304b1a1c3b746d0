# What a person types. `make demo` and `make test` set up everything they need.

SWIFT     ?= swift
VENV      := .venv
PYTHON    := $(VENV)/bin/python
NODE      ?= node
BIN       := .build/release
PREFIX    ?= /usr
LIBRARIES := libzmq3-dev libyaml-dev libcurl4-openssl-dev libqrencode-dev zlib1g-dev binutils esbuild
DEBIAN    := $(LIBRARIES) python3-venv tmux systemd redis-server man-db groff-base jq faketime nftables zsh fish node-typescript \
             nodejs chromium-headless-shell firefox-esr webkit2gtk-driver xvfb openssl nginx-light caddy etcd-server etcd-client valgrind
CHECKED   := Sources/TableHash Sources/TableValues Sources/TableModel Sources/TableDecisions \
             Sources/TableLayout Sources/TablePictures \
             Sources/TableTerminal Sources/TableSync Sources/TableWire Sources/TableJournal Sources/TableTransport \
             Sources/TableDaemon Sources/TableClient Sources/TableClientAsync Sources/TableFiles Sources/StrictYAML \
             Sources/TablePredicate Sources/JournalPort Sources/JournalFormat Sources/TableTurn Sources/EtcdJournal \
             Sources/GatewayCore Sources/trestle Sources/trestled gateway Tests examples/board-watcher/Sources examples/board-model/Sources bench/Sources \
             bench/layout/Sources/bench-layout fuzz/Sources/Fuzz

.PHONY: help deps libraries build demo cluster-demo cluster-faults standby-kills test-alarms test test-all docs examples pictures test-unit \
        test-instructions test-idle test-ipc test-timed test-waiting test-python test-web wheel test-full faults simulate \
        oracle simulate-cluster fuzz fuzz-smoke tsan lint format-web bench bench-smoke bench-page bench-instructions schema lines built man completions install site \
        serve web serve-demo serve-fuzz test-serve deb packages arm64 deb-tools rpm test-rpm image \
        test-deb clean

help:
	@echo "make demo         a daemon with real tables, two viewers in sync, and a kill -9"
	@echo "make cluster-demo three daemons that are one service, on etcd, and a kill -9 of the one that writes"
	@echo "make cluster-faults  an hour of kills and stops of such daemons and of etcd, and what must hold then"
	@echo "make standby-kills  1,000 kills of a daemon under 16 writers, each with a promotion of its standby, and more of the standby"
	@echo "make test-alarms  a Prometheus with the alert rules, and each of their conditions made for real (root, minutes)"
	@echo "make test         everything CI runs: lint, unit tests, tests of the real programs"
	@echo "make build        both programs, in $(BIN)"
	@echo "make serve        the gateway for browsers; make serve-demo: a kitchen to open on tablets and phones"
	@echo "make web          the page as it is served, in .build/web; make serve makes it too"
	@echo "make test-serve   the gateway and the page, FULL=1: at full size; make serve-fuzz SECONDS=3600 SEED=1"
	@echo "make test-python  the client in Python: types, and its tests at the programs that are built; FULL=1: all"
	@echo "make test-web     the core of the browser's page, by node; FULL=1: all"
	@echo "make wheel        the client in Python as a wheel, in .build/python"
	@echo "make test-full    the tests of the real programs at full size (about half an hour)"
	@echo "make faults       disk errors, power cuts, kills, partitions at full size (about half an hour)"
	@echo "make simulate     both ends under seeded faults, SEEDS=10000 of them with each kind of journal;"
	@echo "                  SEED=n: one, and all of it; with LATE=--late with a journal that answers late"
	@echo "make simulate-cluster  several daemons over a modelled etcd, and mistakes that must be found"
	@echo "make oracle       random messages of each sort against protobuf's library, COUNT=1000000 of each"
	@echo "make fuzz         every decoder and reduce, RUNS=10000000 executions of each"
	@echo "make tsan         the tests of the sockets under the thread sanitizer"
	@echo "make bench        rates, latencies, memory beside Redis and raw libzmq; make bench-page: docs/BENCHMARKS.md"
	@echo "make site         the documentation as a site, in .build/site: tutorials, guide, recipes, reference, decisions"
	@echo "make docs         the library's documentation, in .build/docs; make examples: a program that uses it"
	@echo "make bench-instructions  instructions a command, by callgrind; fails 3 % above bench/instructions.json"
	@echo "make lines        how many lines are written by hand: production, tests, documents"
	@echo "make pictures     docs/pictures with the programs themselves: look at what has changed"
	@echo "make man          the man pages, in .build/man; make completions: for bash, zsh and fish"
	@echo "make deb          Debian packages of what is built, in .build/deb"
	@echo "make arm64        the same for arm64, built here and tested under QEMU (root, Debian's mirror)"
	@echo "make rpm          the same programs as RPMs, in .build/rpm; make test-rpm: installed, upgraded, removed (root, Debian's mirror)"
	@echo "make image        an OCI image of these packages, in .build/deb (root, Debian's mirror)"
	@echo "make test-deb     the packages in Debian 12, 13 and Ubuntu 24.04, booted: upgrade under load, reboot, purge (root, minutes)"
	@echo "make install      programs, units, configuration, below PREFIX=$(PREFIX)"

# Installs the packages of Debian that are missing, and starts none of their services.
INSTALL   := $(CURDIR)/Tests/install-packages.sh

# Test tools: missing packages of Debian, and Python's in a virtual environment.
deps: $(VENV)/.done
	@$(INSTALL) $(DEBIAN)

# A build needs only these. `make test` begins to build with them, and installs the test tools meanwhile.
libraries:
	@$(INSTALL) $(LIBRARIES)

$(VENV)/.done: Tests/requirements.txt
	@python3 -m venv $(VENV) 2>/dev/null || { $(INSTALL) python3-venv && python3 -m venv $(VENV); }
	@$(PYTHON) -m pip install -q --disable-pip-version-check -r Tests/requirements.txt
	@touch $@

# Both programs run Swift in one thread, so reference counts need not be atomic. Exclusive access is
# checked in the tests' build (docs/decisions/0008). Statically linked programs start in a third of
# the time, and without a path of their own for libraries a millisecond sooner. Values are copied and
# destroyed by code for their types, not by the runtime's tables for types (docs/decisions/0041). Each
# function is a section, so that the linker leaves out those that nobody calls (docs/decisions/0030).
# Nothing is written for a debugger, which takes a tenth of a build's time: a profile needs names alone.
# The tables that calls of libraries go through are filled at the start, and then cannot be written.
BARE      := -Xswiftc -gnone -Xcc -g0
SEALED    := -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now
FAST      := $(BARE) -Xswiftc -enforce-exclusivity=unchecked -Xswiftc -cross-module-optimization \
             -Xswiftc -Xfrontend -Xswiftc -assume-single-threaded \
             -Xswiftc -Xfrontend -Xswiftc -disable-type-layout \
             -Xswiftc -Xfrontend -Xswiftc -function-sections $(SEALED)

# What is installed, and what is only tested with. SwiftPM builds more than these when it is told no names.
INSTALLED := trestled trestle
PROGRAMS  := $(INSTALLED) late-trestled simulate
demo cluster-demo serve-demo: PROGRAMS := $(INSTALLED)

# BUILT=yes: it is built, and whoever needs it does not ask again, which takes seconds each time.
ifdef BUILT
build serve: built
else
build: libraries
	for program in $(PROGRAMS); do $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath $(FAST) \
	    --explicit-target-dependency-import-check error --product $$program || exit 1; done
endif

demo: build
	@examples/demo.sh

cluster-demo: build
	@$(INSTALL) etcd-server etcd-client
	@examples/cluster/demo.sh

# Kills and stops of daemons and of etcd's members, cuts and clocks that jump, in random order (SEED=n: that one), an
# etcd without quorum or space, rates. Cuts need root.
cluster-faults: deps build
	FULL=1 TRESTLE_BIN=$(CURDIR)/$(BIN) $(PYTHON) -m pytest -q -s \
	    Tests/IPCTests/test_cluster_storm.py Tests/IPCTests/test_cluster_faults.py \
	    Tests/IPCTests/test_cluster.py Tests/IPCTests/test_cluster_network.py

standby-kills: deps build
	FULL=1 TRESTLE_BIN=$(CURDIR)/$(BIN) KILLS=$(or $(KILLS),1000) $(PYTHON) -m pytest -q -s \
	    Tests/IPCTests/test_standby_kills.py

PROMTOOL  := .build/promtool
MONITORS  := $(PROMTOOL) .build/prometheus .build/prometheus-node-exporter
CLIENT    := clients/python

# Failed tests are named once more at the end, and so are tests that needed a second try.
RECORD    := $(CURDIR)/Tests/record-failures.sh
test:
	@echo "These packages of Debian are installed where they are missing: $(sort $(DEBIAN))."
	@$(MAKE) libraries
	@rm -f .build/failed .build/retried
	@$(MAKE) test-all; status=$$?; [ $$status = 0 ] || cat .build/failed 2>&-; \
	    echo "Tests that needed a second try: $$(cat .build/retried 2>&- | wc -l)"; cat .build/retried 2>&-; exit $$status

# All that is built is built first, side by side: each of these uses one processor for most of its time. The programs'
# build takes longest by itself, so the others take what it leaves (LAST). After that nothing is built beside a test. The
# counted instructions take only what other tests leave over (IDLE), and the unit tests little more: what they measure is
# how much longer one thing takes than another, or no time at all.
test-all:
	$(MAKE) -j6 LAST='nice -n 5' lint build serve unit-and-docs deps $(PROMTOOL) $(CLIENT)/.venv/.done
	$(MAKE) BUILT=yes -j2 -Otarget test-ipc test-idle
	$(MAKE) BUILT=yes -j3 -Otarget test-python test-web test-serve

test-idle:
	$(MAKE) test-instructions
	$(MAKE) test-unit
IDLE      := $(if $(BUILT),$(shell chrt --idle 0 true 2>&- && echo chrt --idle 0 || echo nice -n 19))

# The tests' build has a folder of its own, for two builds in one folder wait for each other. It has nothing for a
# debugger either: `swift test` builds with that, in SwiftPM's own folder. The programs are not built for it. It has an
# index, which takes a tenth of it: SwiftPM finds the tests there.
UNIT      := --scratch-path .build/unit $(BARE)
CHECK     := --explicit-target-dependency-import-check error
test-unit: deps
	LATER='$(if $(BUILT),nice -n 15)' $(RECORD) Tests/retry-unit.sh $(SWIFT) test $(if $(BUILT),--skip-build) $(UNIT) $(CHECK)

unit-and-docs: libraries
	$(LAST) $(SWIFT) build --product trestlePackageTests $(UNIT) $(CHECK)
	$(LAST) $(MAKE) examples
	$(LAST) $(MAKE) -C fuzz check
	$(LAST) $(MAKE) docs

# Tests that measure time, or load the machine so that others would miss theirs, run one by one. The others wait for
# most of their time, and SIDE of them run side by side.
SIDE      := 8
TIMED     := $(patsubst %,Tests/IPCTests/test_%.py,big checks cost pause peer_guard siege \
             slow_viewer) Tests/CLITests/test_cli_view_speed.py
test-ipc: test-timed
	$(MAKE) BUILT=yes test-waiting

test-timed: deps build
	TRESTLE_BIN=$(CURDIR)/$(BIN) PYTHON=$(PYTHON) $(RECORD) Tests/retry-failed.sh -q $(TIMED) -m "not slow"

test-waiting: deps build $(PROMTOOL)
	PROMTOOL=$$(ls $(CURDIR)/$(PROMTOOL) 2>&-) TRESTLE_BIN=$(CURDIR)/$(BIN) PYTHON=$(PYTHON) \
	    $(RECORD) Tests/retry-failed.sh -q -n $(SIDE) \
	    --dist worksteal Tests/IPCTests Tests/CLITests Tests/SystemdTests $(addprefix --ignore ,$(TIMED)) -m "not slow"

# Prometheus, its checker and its node exporter, out of Debian's packages: these would start servers when they are
# installed. Where they cannot be had, their tests are skipped.
$(MONITORS) &: | deps
	@rm -rf .build/monitors && mkdir -p .build/monitors && cd .build/monitors && \
	    apt-get -o APT::Sandbox::User=root download -qq prometheus prometheus-node-exporter && \
	    for package in *.deb; do dpkg-deb --fsys-tarfile $$package | tar -x --wildcards './usr/bin/prom*' || exit 1; done && \
	    mv -t .. $(patsubst .build/%,usr/bin/%,$(MONITORS)) || echo "There is no Prometheus: its tests are skipped."
	@rm -rf .build/monitors

# The core of the browser's page, by node and with the real programs. It needs them, and does not build them.
test-web: deps
	TRESTLE_BIN=$(CURDIR)/$(BIN) $(RECORD) $(NODE) --test Tests/WebTests/*.test.mjs

# The gateway for browsers. It is a package of its own, since its threads run Swift, and since SwiftNIO
# takes minutes to build.
GATEWAY   := .build/gateway
SERVE     := $(GATEWAY)/release/trestle-serve
# The page as it is served: trestle-serve finds it there. `trestle-serve run --web web` serves its sources as they are.
PAGE      := .build/web
web: libraries
	web/build.sh $(PAGE)

ifndef BUILT
serve: libraries web
	$(LAST) $(SWIFT) build -c release --static-swift-stdlib --package-path gateway --scratch-path $(GATEWAY) \
	    --product trestle-serve $(BARE) $(SEALED)
endif

serve-demo: build serve
	@examples/serve/demo.sh

# Each file in a process of its own, since Playwright starts once in a process. They wait for a third of their time, so
# four run side by side, and the longest begin, so that all end together. FULL=1: the figures of the documentation, on a
# machine that does nothing else, one file after the other. In short form the files that measure time hold what no load
# excuses.
SERVETESTS := Tests/ServeTests
SERVELONG  := $(patsubst %,$(SERVETESTS)/test_%.py,board_languages board_sounds board_cards board_kiosk board_truth board_form \
              board_swipe board_screen board_bar board_own board_access board_drag board_speed board_keys serve_alarms board_hands)
SERVEFILES := $(SERVELONG) $(filter-out $(SERVELONG),$(sort $(wildcard $(SERVETESTS)/test_*.py)))
test-serve: export TRESTLE_BIN := $(CURDIR)/$(BIN)
test-serve: export TRESTLE_SERVE := $(CURDIR)/$(SERVE)
test-serve: export PYTHON := $(PYTHON)
test-serve: deps build serve $(MONITORS)
	@printf '%s\n' $(SERVEFILES) | xargs -P $(if $(FULL),1,4) -n 1 sh -c \
	    'said=$$($(RECORD) Tests/retry-failed.sh -q "$$0" 2>&1); status=$$?; printf "%s\n" "$$0" "$$said"; exit $$status'

# CI fires those alarms that take neither minutes nor etcd.
test-alarms: deps build serve $(MONITORS)
	FULL=1 TRESTLE_BIN=$(CURDIR)/$(BIN) TRESTLE_SERVE=$(CURDIR)/$(SERVE) PYTHON=$(PYTHON) \
	    $(PYTHON) -m pytest -q -s $(SERVETESTS)/test_serve_alarms.py

SECONDS   ?= 3600
serve-fuzz: deps build serve
	TRESTLE_BIN=$(CURDIR)/$(BIN) TRESTLE_SERVE=$(CURDIR)/$(SERVE) \
	    $(PYTHON) $(SERVETESTS)/serve_fuzz.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# The client in Python, in an environment of its own. It needs the programs, and does not build them.
$(CLIENT)/.venv/.done: $(CLIENT)/requirements.txt $(CLIENT)/pyproject.toml | deps
	python3 -m venv $(CLIENT)/.venv
	$(CLIENT)/.venv/bin/pip install -q --disable-pip-version-check -r $< -e $(CLIENT)
	@touch $@

test-python: $(CLIENT)/.venv/.done built
	cd $(CLIENT) && .venv/bin/mypy && .venv/bin/basedpyright && \
	    TRESTLE_BIN=$(CURDIR)/$(BIN) PYTHON=.venv/bin/python $(RECORD) ../../Tests/retry-failed.sh -q -n 2 --dist load

wheel: $(CLIENT)/.venv/.done
	$(CLIENT)/.venv/bin/python -m build -q --wheel --outdir .build/python $(CLIENT)

# Three cases of `make bench-instructions`, with one command a turn: under a minute.
test-instructions: deps build
	$(RECORD) $(IDLE) $(PYTHON) bench/instructions.py --trestled $(BIN)/trestled --figures bench/instructions.json --short

test-full: deps build
	FULL=1 TRESTLE_BIN=$(CURDIR)/$(BIN) $(PYTHON) -m pytest -q Tests/IPCTests Tests/CLITests

# `make test` has short forms of these tests. Some need root, and say so when they are skipped.
faults: deps build
	FULL=1 TRESTLE_BIN=$(CURDIR)/$(BIN) $(PYTHON) -m pytest -q -rs -s Tests/IPCTests/faults

# Runs the code of the programs. A failure names its seed and the law, and prints its trace.
SEEDS     ?= 10000
simulate: deps
	$(SWIFT) build -c release --static-swift-stdlib $(FAST) --product simulate
ifdef SEED
	$(BIN)/simulate $(LATE) --seed $(SEED)
else
	$(BIN)/simulate $(SEEDS)
	$(BIN)/simulate --late $(SEEDS)
	$(BIN)/simulate --service $(SEEDS)
endif

# Messages of each sort against protobuf's library, COUNT of them. A difference names its seed and the bytes.
COUNT     ?= 1000000
oracle: deps
	$(SWIFT) build -c release --static-swift-stdlib $(FAST) --product oracle
	$(BIN)/oracle $(COUNT) $(SEED)

# Several daemons over a modelled etcd alone; and each planted mistake, until a seed finds it.
simulate-cluster: deps
	$(SWIFT) build -c release --static-swift-stdlib $(FAST) --product simulate
ifdef SEED
	$(BIN)/simulate --service --seed $(SEED)
else
	$(BIN)/simulate --service --planted 300
	$(BIN)/simulate --service $(SEEDS)
endif

fuzz: deps
	$(MAKE) -C fuzz fuzz

fuzz-smoke: deps
	$(MAKE) -C fuzz smoke

# libzmq itself is not instrumented, so only races in our own code are found.
tsan: deps
	cd tsan && $(SWIFT) test --sanitize=thread

# What a program outside sees of the library. A comment that names what is not there, or leaves a
# parameter out, is an error.
LIBRARY   := TableValues TableModel TableDecisions TableSync TableWire TableLayout TableClient TableClientAsync
DOCC      ?= docc
GRAPH     ?= swift-symbolgraph-extract
DOCS      := .build/docs
docs: libraries
	@rm -rf $(DOCS)
	$(SWIFT) build $(UNIT) --target TableClientAsync
	$(SWIFT) build $(UNIT) --target TableLayout
	@built=$$($(SWIFT) build $(UNIT) --show-bin-path); for module in $(LIBRARY); do \
	    mkdir -p $(DOCS)/$$module.graphs && \
	    $(GRAPH) -module-name $$module -target $$(uname -m)-unknown-linux-gnu -I $$built/Modules -I Sources/CZeroMQ \
	        -minimum-access-level public -skip-synthesized-members -output-dir $(DOCS)/$$module.graphs && \
	    rm -f $(DOCS)/$$module.graphs/*@* && \
	    catalog=; [ ! -d Sources/$$module/$$module.docc ] || catalog=Sources/$$module/$$module.docc; \
	    $(DOCC) convert $$catalog --additional-symbol-graph-dir $(DOCS)/$$module.graphs \
	        --fallback-display-name $$module --fallback-bundle-identifier trestle.$$module \
	        --output-dir $(DOCS)/$$module.doccarchive --warnings-as-errors || exit 1; done

# Each example is a package of its own, which `swift build` in its folder builds too. Here they share the modules of
# the tests' build: by itself each would compile all libraries once more.
examples: libraries
	$(SWIFT) build --product board-watcher $(UNIT) $(CHECK)
	$(SWIFT) build --product board-model $(UNIT) $(CHECK)
	@for one in board-watcher board-model; do $(SWIFT) package --package-path examples/$$one \
	    --scratch-path .build/examples describe > /dev/null || exit 1; done

# All but the picture of the benchmark, which `make bench-page` draws. The same programs give the
# same bytes.
pictures: deps build
	PYTHON=$(PYTHON) docs/pictures/make.sh
	$(PYTHON) docs/pictures/gallery.py

# Hand-written lines: production, tests, documents. Generated code is in none of them.
GENERATED := ':!Sources/TableTerminal/Languages/Catalogue*' ':!web/messages.d.ts' ':!Sources/TableLayout/WidthTable.swift' \
             ':!Sources/TablePictures/IconPaths.swift' ':!Sources/TableValues/Kinds/IconNames.swift' \
             $(patsubst %,':!clients/python/src/trestle/%.py',messages refusals)
COUNTED   := '*.swift' '*.c' '*.h' '*.js' '*.mjs' '*.css' '*.html' '*.py' '*.sh' '*.proto'
lines:
	@count() { printf '%-11s' $$1; shift; git ls-files -z -- "$$@" | xargs -0 sh -c 'for file; do [ -L "$$file" ] || cat "$$file"; done' _ | wc -l; }; \
	count production $(addprefix Sources/,$(COUNTED)) $(addprefix gateway/Sources/,$(COUNTED)) \
	    $(addprefix web/,$(COUNTED)) $(addprefix clients/python/src/,$(COUNTED)) $(GENERATED); \
	count tests $(addprefix Tests/,$(COUNTED)) $(addprefix clients/python/tests/,$(COUNTED)) \
	    ':!*.pb.swift'; \
	count documents '*.md'

# Swift by swift-format, JavaScript by clang-format (.clang-format). `make format-web` writes its style.
SCRIPTS   := $(shell git ls-files 'web/*.js' 'Tests/WebTests/*.mjs')
lint: $(VENV)/.done
	$(SWIFT) format lint --strict -r $(wildcard $(CHECKED))
	$(VENV)/bin/clang-format --dry-run -Werror $(SCRIPTS)

format-web: $(VENV)/.done
	$(VENV)/bin/clang-format -i $(SCRIPTS)

bench bench-smoke: deps build
	$(MAKE) -C bench $@

# Needs no build: it makes a page of the last run's figures.
bench-page:
	$(MAKE) -C bench $@

# Exact on a noisy machine, where times are not. FLAGS=--write makes what is measured the figures;
# FLAGS="--case move" measures one case.
bench-instructions: deps build
	$(PYTHON) bench/instructions.py --trestled $(BIN)/trestled --figures bench/instructions.json $(FLAGS)

# Only after a change to the schema. protoc comes with Debian's protobuf-compiler; protoc-gen-swift
# is built once from swift-protobuf: swift build -c release --product protoc-gen-swift
schema:
	protoc -I Sources/TableWire/Schema \
	    --swift_opt=UseAccessLevelOnImports=true \
	    --swift_out=Tests/TableWireTests/Generated trestle.proto

# Checks that `make build` has made the programs, which install, man and completions need.
built:
	@for program in trestle trestled; do if [ ! -x $(BIN)/$$program ]; then \
	    echo "There is no $$program in $(BIN): run make build first." >&2; exit 1; fi; done

man: built
	python3 docs/man/make-man.py --bin $(BIN) --serve $(SERVE) --out .build/man

# The documentation as a site: static pages with nothing from elsewhere. Open .build/site/index.html. Each link is
# followed.
SITE      := .build/site
site: man $(VENV)/.done
	$(PYTHON) docs/site/make-site.py --man .build/man --out $(SITE)
	$(PYTHON) docs/site/check_site.py $(SITE)

COMPLETIONS := .build/completions

# If an option occurs twice, fish's argparse fails and nothing is completed. The generator adds the
# root's --version also to a verb that has one of its own.
completions: built
	@mkdir -p $(COMPLETIONS)
	for program in $(BIN)/trestle $(BIN)/trestled $(wildcard $(SERVE)); do name=$$(basename $$program); \
	    $$program --generate-completion-script bash | sed '1{/^#!/d}' > $(COMPLETIONS)/$$name && \
	    $$program --generate-completion-script zsh > $(COMPLETIONS)/_$$name && \
	    $$program --generate-completion-script fish \
	        | sed "/'version='/s/ 'version' / /" > $(COMPLETIONS)/$$name.fish || exit 1; done

SHARE     := $(DESTDIR)$(PREFIX)/share

install: built man completions $(if $(wildcard $(SERVE)),web)
	install -D -t $(DESTDIR)$(PREFIX)/bin $(BIN)/trestle $(BIN)/trestled
	@[ -x $(SERVE) ] || echo "There is no gateway for browsers to install: make serve builds it."
	[ ! -x $(SERVE) ] || install -D -s -t $(DESTDIR)$(PREFIX)/bin $(SERVE)
	[ ! -x $(SERVE) ] || (cd $(PAGE) && find . -type f -exec install -D -m 644 {} $(abspath $(SHARE))/trestle/web/{} \;)
	for section in 1 5 7 8; do \
	    install -D -m 644 -t $(SHARE)/man/man$$section .build/man/*.$$section; done
	for name in trestle trestled $(if $(wildcard $(SERVE)),trestle-serve); do \
	    install -D -m 644 -t $(SHARE)/bash-completion/completions $(COMPLETIONS)/$$name; \
	    install -D -m 644 -t $(SHARE)/zsh/site-functions $(COMPLETIONS)/_$$name; \
	    install -D -m 644 -t $(SHARE)/fish/vendor_completions.d $(COMPLETIONS)/$$name.fish; done
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system systemd/*.service systemd/*.socket \
	    systemd/*.timer
	install -D -t $(DESTDIR)$(PREFIX)/lib/trestle systemd/trestle-backup
	install -D -m 644 systemd/trestle.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/trestle.conf
	install -D -m 644 systemd/trestle.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/trestle.conf
	[ -e $(DESTDIR)/etc/trestle/trestled.yaml ] || \
	    install -D -m 644 -t $(DESTDIR)/etc/trestle config/trestled.yaml

# Debian packages, in .build/deb, of what `make build` has built. Only this needs DEB_TOOLS, and it
# installs them. The gateway gets its package if it is built.
DEB_TOOLS := debhelper dh-python po-debconf lintian fakeroot dpkg-dev man-db
DEBS      := $(CURDIR)/.build/deb
PACKED    := $(wildcard $(SERVE))
PROFILES  := $(if $(PACKED),pkg.trestle.serve)

deb: packages
	lintian --allow-root --fail-on error,warning --suppress-tags debug-file-with-no-debug-symbols \
	    $(DEBS)/trestle.changes

packages: built deb-tools site $(if $(PACKED),web)
	rm -rf $(DEBS) && mkdir -p $(DEBS)
	debian/make-changelog.sh
	DEBS=$(DEBS) GATEWAY=$(PACKED) DEB_BUILD_PROFILES="$(PROFILES)" dpkg-buildpackage --build=binary --no-sign \
	    --post-clean --no-check-builddeps --buildinfo-option=-u$(DEBS) \
	    --buildinfo-file=$(DEBS)/trestle.buildinfo --changes-option=-u$(DEBS) \
	    --changes-file=$(DEBS)/trestle.changes

# Packages for arm64, built on a machine of another kind, and tests of what is in them under QEMU (root, Debian's
# mirror, half an hour the first time).
arm64: deb-tools site web
	debian/arm64.sh build
	debian/arm64.sh test

# RPMs of what `make build` and `make serve` have built. AGAIN=2 is the second release of the same version.
RPMS      := $(CURDIR)/.build/rpm
rpm: built
	@[ -x $(SERVE) ] || { echo "There is no gateway for browsers to pack: run make serve first." >&2; exit 1; }
	@$(INSTALL) rpm
	rm -rf $(RPMS) && mkdir -p $(RPMS)
	rpmbuild -bb --quiet --define "_topdir $(RPMS)/work" --define "_rpmdir $(RPMS)" --define "top $(CURDIR)" \
	    --define "_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
	    --define "programs $$($(BIN)/trestled --version)" --define "again $(or $(AGAIN),1)" rpm/trestle.spec

test-rpm: rpm
	@$(INSTALL) mmdebstrap
	$(MAKE) BUILT=yes RPMS=$(RPMS)/next AGAIN=2 rpm
	rpm/check.sh $(RPMS)

# Installs, upgrades and purges the packages in a Debian 12 of its own, with a booted systemd. It
# takes minutes and root, and Debian's mirror the first time: so it is not in `make test`.
RELEASES  ?= bookworm trixie noble
test-deb: $(VENV)/.done
	@$(INSTALL) debootstrap
	TRESTLE_BIN=$(CURDIR)/$(BIN) $(PYTHON) -m pytest -q Tests/SystemdTests/test_units.py -m slow
	for release in $(RELEASES); do TRESTLE_DEBIAN=/var/cache/trestle-debian/$$release \
	    $(PYTHON) -m pytest -q -x -s -rs Tests/SystemdTests/test_debian.py || exit 1; done

deb-tools:
	@$(INSTALL) $(DEB_TOOLS)

# The image is made of the packages that `make deb` has made: `podman load -i .build/deb/trestled.oci.tar`.
image:
	@$(INSTALL) debootstrap
	debian/make-image.py $(DEBS) $(DEBS)/trestled.oci.tar $(BASE)

clean:
	rm -rf .build $(VENV) debian/changelog
