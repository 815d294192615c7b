# SPDX-License-Identifier: MIT OR Apache-2.0
# Everything a contributor runs. Nothing but cargo is needed: `test` installs what else it uses (rustfmt, clippy, xmllint,
# a browser, MONA and ltlf2dfa, Node, the OpenTelemetry SDKs, maturin) where it is missing.

CARGO ?= cargo

.PHONY: quick test tools otel ltlf wheel python pyspark spark-example spark ui ui-test ui-real demo fmt-check lint unit doc tidy smoke book pictures fmt dist install static deb bench bench-baseline bench-curves nightly fuzz soak

# The checks to run after every change: under two minutes once everything is built.
quick: fmt-check tidy
	GNOMON_CASES=$${GNOMON_CASES:-0.02} $(CARGO) test -q -p gnomon-core -p gnomon-ir -p gnomon-lang -p gnomon-oracle -p gnomon-engine -p gnomon-test

# Every check, in the order in which they fail fastest. The command and the wheel are those of the profile in which the tests are built, so
# that nothing is compiled twice; `make smoke ui-real python` uses the README's profile.
test: PROFILE = dev
test: tools fmt-check ui lint unit doc tidy ui-test smoke ui-real python

# The profile of what is built for use; PROFILE=dist builds what is shipped.
PROFILE ?= release
GNOMON = target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/gnomon

# $(call apt,PACKAGES,INSTEAD): installs Debian packages, or says what to do on other systems.
apt = if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $(1)"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install $(2) with the package manager of this system" >&2; exit 1; fi

# Chromium opens the page of statistics and the dashboard; GNOMON_BROWSER names another one. GNOMON_LTLF names a Python that
# has ltlf2dfa, GNOMON_OTEL one that has the OpenTelemetry SDK, GNOMON_OTEL_NODE a node_modules that has it.
tools:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
	@command -v curl >/dev/null 2>&1 || { $(call apt,curl,curl); }
	@command -v xmllint >/dev/null 2>&1 || { $(call apt,libxml2-utils,xmllint (libxml2)); }
	@[ -n "$$GNOMON_BROWSER" ] || command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
		|| command -v google-chrome >/dev/null 2>&1 || command -v google-chrome-stable >/dev/null 2>&1 \
		|| { $(call apt,chromium,Chromium); }
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' >/dev/null 2>&1 || { $(call apt,nodejs npm,Node 20 or later); }
	@python3 -c 'import ensurepip' >/dev/null 2>&1 || { $(call apt,python3-venv,Python 3.10 or later); }
	@[ -n "$$GNOMON_LTLF" ] || { command -v mona && target/ltlf/bin/python -c 'import ltlf2dfa'; } >/dev/null 2>&1 \
		|| $(MAKE) --no-print-directory ltlf
	@{ { [ -n "$$GNOMON_OTEL" ] || target/otel/bin/python -c 'import opentelemetry.sdk'; } \
		&& { [ -n "$$GNOMON_OTEL_NODE" ] || [ -d target/otel-node/node_modules/@opentelemetry/sdk-trace-node ]; }; } >/dev/null 2>&1 \
		|| $(MAKE) --no-print-directory otel

# Automata of formulae, with which the verdicts on patterns are compared.
ltlf:
	@command -v mona >/dev/null 2>&1 || { $(call apt,mona,MONA); }
	@python3 -m venv target/ltlf && target/ltlf/bin/python -m pip install -q ltlf2dfa==2.0.0

# Real senders of spans, for the tests of OTLP.
otel:
	@python3 -m venv target/otel && target/otel/bin/python -m pip install -q opentelemetry-sdk==1.45.2 \
		opentelemetry-exporter-otlp-proto-http==1.45.1 opentelemetry-exporter-otlp-proto-grpc==1.45.1
	@mkdir -p target/otel-node && cd target/otel-node && npm install --no-audit --no-fund --silent --prefix . \
		@opentelemetry/sdk-trace-node@2.12.0 @opentelemetry/exporter-trace-otlp-http@0.223.1 \
		@opentelemetry/exporter-trace-otlp-proto@0.223.1 @opentelemetry/exporter-trace-otlp-grpc@0.223.1

# The wheel of the Python package, for every CPython from 3.10 on, built and tested in an environment of its own.
wheel:
	@[ -x target/python/bin/python ] || python3 -m venv target/python || { $(call apt,python3-venv,Python 3.10 or later) && python3 -m venv target/python; }
	@target/python/bin/python -m pip install -q maturin==1.16.0 pytest==9.2.0 mypy==2.4.1 pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.0
	rm -f target/wheels/gnomon-*.whl
	cd bindings/python && $(CURDIR)/target/python/bin/maturin build --profile $(PROFILE) --quiet --out $(CURDIR)/target/wheels

# The installed package, and its guide.
python: wheel
	target/python/bin/python -m pip install -q --force-reinstall --no-deps target/wheels/gnomon-*.whl
	cd bindings/python/tests && $(CURDIR)/target/python/bin/python -m pytest -q --ignore=spark .

# Spark brings its own jars; Java is added.
pyspark: python
	@java -version 2>&1 | grep -q 'version "1[7-9]\|version "2' || { $(call apt,openjdk-17-jre-headless,Java 17); }
	target/python/bin/python -m pip install -q pyspark==4.3.0 protobuf==7.36.2 nbclient==0.11.0 ipykernel==7.4.0

# The worked example on two cores of this machine: two minutes.
spark-example: pyspark
	cd bindings/python/tests/spark && $(CURDIR)/target/python/bin/python -m pytest -q test_example.py -k script

# All tests on Spark: a cluster on this machine, and Sail, against one machine. Some four minutes. Sail needs an older client, so it has
# an environment of its own.
spark: pyspark
	@[ -d target/sail ] || python3 -m venv target/sail
	target/sail/bin/python -m pip install -q pysail==0.7.2 pyspark-client==4.1.3 pyarrow==26.0.1 'pandas<3'
	target/sail/bin/python -m pip install -q --force-reinstall --no-deps target/wheels/gnomon-*.whl
	cd bindings/python/tests/spark && GNOMON_SAIL=$(CURDIR)/target/sail/bin/python $(CURDIR)/target/python/bin/python -m pytest -q .

# The dashboard that is built into the program.
ui:
	cd ui && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && npm run check && npm run build

# The dashboard in a browser, against a mock of the API.
ui-test:
	cd ui && npm test

# The dashboard in a browser, against a running watch; uses the binary that `smoke` built.
ui-real:
	cd ui && GNOMON_BIN=../$(GNOMON) node --test tests/real.test.js

# A composition of services behind the proxy, a client that makes it fail now and then, and the dashboard.
demo:
	$(CARGO) build --release -p gnomon-cli -p gnomon-demo
	@trap 'kill $$! 2>/dev/null' EXIT INT TERM; PATH="$$PWD/target/release:$$PATH"; \
	gnomon-demo & eval "$$(gnomon-demo --print)"

fmt-check:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets -- -D warnings

unit:
	$(CARGO) test --workspace

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Compares the documents with the code.
tidy:
	$(CARGO) run -q -p gnomon-xtask -- tidy

# The README's main command. Its trace violates one property, so its status must be 1. The features of the whole workspace are those
# with which the tests were built.
smoke:
	$(CARGO) build --profile $(PROFILE) $(if $(filter dev,$(PROFILE)),--workspace) --bin gnomon
	@$(GNOMON) check examples/atm/atm.rv examples/atm/b4.xml; \
	status=$$?; if [ $$status -ne 1 ]; then echo "expected exit status 1, got $$status" >&2; exit 1; fi

# The book, in target/book/html: mdBook builds it from the pages that docs/book/src/SUMMARY.md lists. `test` runs its blocks.
MDBOOK = 0.5.4
book:
	@target/tools/bin/mdbook --version 2>/dev/null | grep -q 'v$(MDBOOK)$$' \
		|| $(CARGO) install mdbook --version $(MDBOOK) --locked --debug --no-default-features --features search --root target/tools --target-dir target/tools/build
	$(CARGO) run -q -p gnomon-xtask -- book target/book
	target/tools/bin/mdbook build target/book

# The pictures of the documents, in docs/pictures, from the program itself.
pictures: ui
	$(CARGO) build --release -p gnomon-cli
	cd ui && node pictures/make.js

fmt:
	$(CARGO) fmt --all

# The binary to ship, optimised across crates: target/dist/gnomon.
dist:
	$(CARGO) build --profile dist

# The command, its manual pages and its completions for bash and fish, for this user; PREFIX=/usr/local for all users.
PREFIX ?= $(HOME)/.local
install:
	$(CARGO) install --path crates/cli --locked --root $(PREFIX)
	mkdir -p $(PREFIX)/share/man/man1 $(PREFIX)/share/bash-completion/completions $(PREFIX)/share/fish/vendor_completions.d
	$(PREFIX)/bin/gnomon man --out $(PREFIX)/share/man/man1
	$(PREFIX)/bin/gnomon completions bash > $(PREFIX)/share/bash-completion/completions/gnomon
	$(PREFIX)/bin/gnomon completions fish > $(PREFIX)/share/fish/vendor_completions.d/gnomon.fish

# A binary that needs no shared library: with musl where the target and musl-gcc are installed, else with the static glibc of this system.
MACHINE = $(shell uname -m)
static:
	@if rustup target list --installed 2>/dev/null | grep -q '^$(MACHINE)-unknown-linux-musl$$' && command -v musl-gcc >/dev/null; \
	then target=$(MACHINE)-unknown-linux-musl; else target=$(MACHINE)-unknown-linux-gnu; fi; \
	RUSTFLAGS='-C target-feature=+crt-static' $(CARGO) build --profile $(PROFILE) --target $$target --target-dir target/static \
		&& echo target/static/$$target/$(PROFILE)/gnomon

# The Debian package, in target/deb. PROFILE=dist builds the one to ship.
deb:
	$(CARGO) build --profile $(PROFILE)
	packaging/deb.sh target/$(PROFILE)/gnomon target/deb

# The table of workloads: events per second, peak memory, and the ratios to a bare scan and to other tools from PyPI (PEERS=all adds those that
# cargo builds); with valgrind also the instructions per event and their ratio to the previous release.
PEERS = python
bench:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench run --peers $(PEERS)
	@if command -v valgrind >/dev/null 2>&1; then target/release/gnomon-bench count; \
	else echo "the ratio to the previous release needs valgrind, which is not installed" >&2; fi

# Makes the instruction counts of this build those of the previous release: to be done when a release is made.
bench-baseline:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench count --save

# Measures the curves of docs/performance.md again and draws them.
bench-curves:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench curves

# A watch under load that is killed, suspended, attacked and without disk space, compared with a check of its export.
# SOAK_SECONDS=300 shortens it, SOAK_SEED repeats one. It mounts a small tmpfs if it may.
soak:
	$(CARGO) build --release -p gnomon-cli
	$(CARGO) run -q -p gnomon-xtask -- soak

# The generated tests with twenty times as many cases.
nightly:
	GNOMON_CASES=$${GNOMON_CASES:-20} $(CARGO) test --release --workspace

# Every fuzz target for FUZZ_SECONDS. Finds go to fuzz/artifacts; shrunk ones belong into fuzz/regressions.
FUZZ_TARGETS = csv ndjson json xml xes monpoly text logfmt message otlp parquet packed spec catalogue
fuzz:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz
	@cd fuzz && for target in $(FUZZ_TARGETS); do \
		mkdir -p corpus/$$target; \
		$(CARGO) fuzz run -s none --fuzz-dir . $$target corpus/$$target seeds/$$target -- \
			-max_total_time=$${FUZZ_SECONDS:-60} -max_len=4096 -timeout=10 -rss_limit_mb=512 || exit 1; \
	done
