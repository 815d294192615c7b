# SPDX-License-Identifier: MIT OR Apache-2.0
# Everything a contributor runs. Nothing but cargo is needed; `test` adds rustfmt, clippy, xmllint, a
# browser, MONA and ltlf2dfa, Node for the dashboard, the OpenTelemetry SDKs and maturin,
# Java and Spark where they are missing.

CARGO ?= cargo

.PHONY: test tools xmllint browser ltlf node otel venv wheel python java pyspark spark-example spark ui ui-test ui-real demo fmt-check lint unit doc tidy smoke fmt bench bench-peers nightly fuzz

# Every check, in the order in which they fail fastest.
test: tools fmt-check ui lint unit doc tidy ui-test smoke ui-real python spark-example

tools:
	@$(CARGO) fmt --version >/dev/null 2>&1 || rustup component add rustfmt
	@$(CARGO) clippy --version >/dev/null 2>&1 || rustup component add clippy
	@command -v xmllint >/dev/null 2>&1 || $(MAKE) --no-print-directory xmllint
	@[ -n "$$GNOMON_BROWSER" ] || command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
		|| command -v google-chrome >/dev/null 2>&1 || command -v google-chrome-stable >/dev/null 2>&1 \
		|| $(MAKE) --no-print-directory browser
	@[ -n "$$GNOMON_LTLF" ] || { command -v mona && target/ltlf/bin/python -c 'import ltlf2dfa'; } >/dev/null 2>&1 \
		|| $(MAKE) --no-print-directory ltlf
	@node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' >/dev/null 2>&1 || $(MAKE) --no-print-directory node
	@{ { [ -n "$$GNOMON_OTEL" ] || target/otel/bin/python -c 'import opentelemetry.sdk'; } \
		&& { [ -n "$$GNOMON_OTEL_NODE" ] || [ -d target/otel-node/node_modules/@opentelemetry/sdk-trace-node ]; }; } >/dev/null 2>&1 \
		|| $(MAKE) --no-print-directory otel

# Judges the examples of rules in XML by their schema.
xmllint:
	@if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		$$root apt-get install -y -q libxml2-utils || { $$root apt-get update -q && $$root apt-get install -y -q libxml2-utils; }; \
	else echo "install xmllint (libxml2) with the package manager of this system" >&2; exit 1; fi

# Opens the page of statistics. GNOMON_BROWSER names another Chromium.
browser:
	@if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install Chromium with the package manager of this system, or name one in GNOMON_BROWSER" >&2; exit 1; fi

# Makes automata of formulae, beside which the engine's verdicts on patterns are laid. GNOMON_LTLF names another Python
# that has ltlf2dfa.
ltlf:
	@if command -v mona >/dev/null 2>&1 && python3 -c 'import ensurepip' >/dev/null 2>&1; then :; \
	elif command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends mona python3-venv"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install MONA and Python 3 with the package manager of this system" >&2; exit 1; fi
	@python3 -m venv target/ltlf && target/ltlf/bin/python -m pip install -q ltlf2dfa==2.0.0

# Builds the dashboard.
node:
	@if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends nodejs npm"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install Node 20 or later with the package manager of this system" >&2; exit 1; fi

# Real senders of spans, for the tests of OTLP. GNOMON_OTEL names another Python that has them, GNOMON_OTEL_NODE another
# node_modules.
otel:
	@python3 -m venv target/otel && target/otel/bin/python -m pip install -q opentelemetry-sdk==1.45.2 \
		opentelemetry-exporter-otlp-proto-http==1.45.1 opentelemetry-exporter-otlp-proto-grpc==1.45.1
	@mkdir -p target/otel-node && cd target/otel-node && npm install --no-audit --no-fund --silent --prefix . \
		@opentelemetry/sdk-trace-node@2.12.0 @opentelemetry/exporter-trace-otlp-http@0.223.1 \
		@opentelemetry/exporter-trace-otlp-proto@0.223.1 @opentelemetry/exporter-trace-otlp-grpc@0.223.1

# The wheel of the Python package, for every CPython from 3.10 on. An environment of its own has what builds and tests it.
wheel:
	@[ -x target/python/bin/python ] || python3 -m venv target/python || { $(MAKE) --no-print-directory venv && python3 -m venv target/python; }
	@target/python/bin/python -m pip install -q maturin==1.16.0 pytest==9.2.0 mypy==2.4.1 pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.0
	rm -f target/wheels/gnomon-*.whl
	cd bindings/python && $(CURDIR)/target/python/bin/maturin build --release --quiet --out $(CURDIR)/target/wheels

venv:
	@if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends python3-venv"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install Python 3.10 or later with the package manager of this system" >&2; exit 1; fi

# The package as it is installed, and its guide.
python: wheel
	target/python/bin/python -m pip install -q --force-reinstall --no-deps target/wheels/gnomon-*.whl
	cd bindings/python/tests && $(CURDIR)/target/python/bin/python -m pytest -q --ignore=spark .

# What Spark wants beside what `python` made: it brings its own jars, Java is added.
pyspark: python
	@java -version 2>&1 | grep -q 'version "1[7-9]\|version "2' || $(MAKE) --no-print-directory java
	target/python/bin/python -m pip install -q pyspark==4.3.0 protobuf==7.36.2 nbclient==0.11.0 ipykernel==7.4.0

# The worked example on two cores of this machine.
spark-example: pyspark
	cd bindings/python/tests/spark && $(CURDIR)/target/python/bin/python -m pytest -q test_example.py -k script

# A cluster on this machine, and Sail, judge what one machine judges: some four minutes. Sail speaks to an older client, so it has an
# environment of its own.
spark: pyspark
	@[ -d target/sail ] || python3 -m venv target/sail
	target/sail/bin/python -m pip install -q pysail==0.7.2 pyspark-client==4.1.3 pyarrow==26.0.1 'pandas<3'
	target/sail/bin/python -m pip install -q --force-reinstall --no-deps target/wheels/gnomon-*.whl
	cd bindings/python/tests/spark && GNOMON_SAIL=$(CURDIR)/target/sail/bin/python $(CURDIR)/target/python/bin/python -m pytest -q .

java:
	@if command -v apt-get >/dev/null 2>&1; then \
		root=; [ "$$(id -u)" = 0 ] || root=sudo; \
		get="$$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends openjdk-17-jre-headless"; \
		$$get || { $$root apt-get update -q && $$get; }; \
	else echo "install Java 17 with the package manager of this system" >&2; exit 1; fi

# The dashboard, as it is built into the program.
ui:
	cd ui && { [ -d node_modules ] || npm ci --no-audit --no-fund; } && npm run check && npm run build

# A browser drives it.
ui-test:
	cd ui && npm test

# The same of a real watch, with what `smoke` built.
ui-real:
	cd ui && GNOMON_BIN=../target/release/gnomon node --test tests/real.test.js

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

# What the documents say about the code, compared with the code.
tidy:
	$(CARGO) run -q -p gnomon-xtask -- tidy

# The README's main command. Its trace breaks one property, so its status must be 1.
smoke:
	@$(CARGO) run --release -- check examples/atm/atm.rv examples/atm/b4.xml; \
	status=$$?; if [ $$status -ne 1 ]; then echo "expected exit status 1, got $$status" >&2; exit 1; fi

fmt:
	$(CARGO) fmt --all

# The table of workloads: events per second and peak memory.
bench:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench run

# Gnomon beside other tools, from PyPI; PEERS=all adds those that cargo builds.
bench-peers:
	$(CARGO) build --release -p gnomon-cli -p gnomon-bench
	target/release/gnomon-bench run --peers $(PEERS)

# The generated tests with twenty times as many cases.
nightly:
	GNOMON_CASES=$${GNOMON_CASES:-20} $(CARGO) test --release --workspace

# Every fuzz target for FUZZ_SECONDS. Finds go to fuzz/artifacts; shrunk ones belong into fuzz/regressions.
FUZZ_TARGETS = csv ndjson json xml xes monpoly text message otlp parquet packed spec catalogue
fuzz:
	@$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz
	@cd fuzz && for target in $(FUZZ_TARGETS); do \
		mkdir -p corpus/$$target; \
		$(CARGO) fuzz run -s none --fuzz-dir . $$target corpus/$$target seeds/$$target -- \
			-max_total_time=$${FUZZ_SECONDS:-60} -max_len=4096 -timeout=10 -rss_limit_mb=512 || exit 1; \
	done
