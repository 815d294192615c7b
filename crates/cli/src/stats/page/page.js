"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const rows = data.properties.length ? data.properties[0].series : [];
  const SVG = "http://www.w3.org/2000/svg";
  // More lines than these are a solid block: an even choice of them is drawn, the latest always.
  const MOST_LINES = 600;
  // More than these at once would keep the reader waiting: further views are drawn when they come into sight.
  const MOST_AT_ONCE = 6000;
  const NARROW = 560;
  // Space that a character of an axis label takes, and between two labels.
  const LETTER = 6.4;
  const GAP = 8;
  const STEP = 0.05;
  const BEYOND = 8;

  // What stands on the page is set as text, never as markup: names come from strangers.
  const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const drawn = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }
  const amount = (value) => (value === null || value === undefined ? null : Number(value));
  // Three significant digits, as in the table of the command. Digits before the point are never dropped.
  const rounded = (number) => String(Math.abs(number) < 1000 ? Number(number.toPrecision(3)) : Math.round(number));
  function short(value) {
    if (value === null || value === undefined) return "–";
    const text = String(value);
    return /^-?\d+\.\d{4,}$/.test(text) ? rounded(Number(text)) : text;
  }
  const round = (number) => Number(number.toFixed(3));
  const unit = data.unit ? " " + data.unit : "";
  const time = (value) => (value === null ? null : short(value) + unit);
  const percent = (value) => (value === null ? null : short(value) + " %");
  const counted = (number, noun) => number + " " + noun + (number === 1 ? "" : "s");
  const cut = (text, width) => {
    const most = Math.max(3, Math.floor(width / LETTER));
    return text.length > most ? text.slice(0, most - 1) + "…" : text;
  };
  // On an axis a date-time loses its date if the whole trace has the same one. The reading below the drawing has it in full.
  const day = (value) => (typeof value === "string" ? value.split("T")[0] : null);
  const oneDay = rows.length > 0 && day(rows[0].from) === day(rows[rows.length - 1].to);
  function brief(value) {
    const parts = typeof value === "string" ? /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?/.exec(value) : null;
    if (!parts) return short(value) + unit;
    return oneDay ? parts[2] + (parts[3] ?? "").slice(0, 4) : `${parts[1].slice(5)} ${parts[2].slice(0, 5)}`;
  }

  const of = (name) => (row) => row[name];
  const took = (name) => (row) => (row.duration ? row.duration[name] : null);
  const added = (name) => (row) => row.within[name];
  const INTERVAL = { name: "interval", of: (row, index) => index, show: (value) => brief(rows[value].from) };
  const AXES = {
    sum: [
      INTERVAL,
      { name: "activated", of: of("activated"), show: short },
      { name: "satisfied", of: of("satisfied"), show: short },
      { name: "violated", of: of("violated"), show: short, bad: true },
      { name: "failure", of: of("failure_percent"), show: percent, bad: true },
      { name: "shortest", of: took("min"), show: time },
      { name: "longest", of: took("max"), show: time },
      { name: "mean", of: took("mean"), show: time },
    ],
    within: [
      INTERVAL,
      { name: "events", of: of("events"), show: short },
      { name: "activated", of: added("activated"), show: short },
      { name: "satisfied", of: added("satisfied"), show: short },
      { name: "violated", of: added("violated"), show: short, bad: true },
      { name: "mean", of: added("mean"), show: time },
    ],
  };

  // The charts over time. Each shows what an interval adds.
  const CHARTS = [
    { title: "Activations", kind: "bars", of: added("activated"), show: short },
    { title: "Violations", kind: "bars", of: added("violated"), show: short, bad: true },
    { title: "Mean time to satisfaction", kind: "line", of: added("mean"), show: time },
  ];
  const CHART = { height: 120, top: 18, bottom: 20 };

  const state = { mode: "sum", first: 0, last: Math.max(0, rows.length - 1) };
  const views = [];

  /** The view of one property. */
  class View {
    constructor(property, number) {
      this.property = property;
      this.kept = new Map();
      this.chosen = null;
      const title = property.title ? " " + property.title : "";
      this.charts = element("div", { class: "charts" });
      this.lines = element("div", { class: "lines" });
      this.reading = element("p", { class: "reading", "aria-live": "polite" });
      this.table = element("table");
      this.count = element("summary");
      const scroll = element("div", { class: "scroll", tabindex: "0", role: "region" }, this.table);
      scroll.setAttribute("aria-label", "Table of " + property.name);
      this.details = element("details", {}, this.count, scroll);
      const heading = element("h2", { id: "name-" + number }, property.name, element("small", {}, title));
      this.node = element(
        "section", { class: "view", id: "view-" + number, "aria-labelledby": "name-" + number },
        heading, element("p", { class: "figures" }, figures(property)),
        this.charts, this.lines, this.reading, this.details,
      );
      this.details.addEventListener("toggle", () => this.tabulate());
      this.lines.addEventListener("pointermove", (event) => this.point(event));
      this.lines.addEventListener("pointerleave", () => this.choose(null));
    }

    get axes() { return AXES[state.mode]; }

    value(axis, index) { return amount(axis.of(this.property.series[index], index)); }

    /** Whether an interval is among those that are shown. */
    passes(index) {
      if (index < state.first || index > state.last) return false;
      for (const [name, [least, most]] of this.kept) {
        const axis = this.axes.find((axis) => axis.name === name);
        const value = axis ? this.value(axis, index) : null;
        if (axis && (value === null || value < least || value > most)) return false;
      }
      return true;
    }

    /** The intervals that have a line. */
    sample() {
      const all = rows.length;
      const inside = state.last - state.first + 1;
      const step = Math.max(1, Math.ceil(inside / MOST_LINES));
      const chosen = [];
      for (let index = 0; index < all; index += 1) {
        const within = index >= state.first && index <= state.last;
        if (all <= MOST_LINES || (within && ((state.last - index) % step === 0))) chosen.push(index);
      }
      return chosen;
    }

    /** Draws the charts over time, for the intervals between the two handles. */
    drawCharts() {
      this.cursors = [];
      const columns = this.charts.clientWidth >= NARROW ? CHARTS.length : 1;
      this.charts.classList.toggle("single", columns === 1);
      const width = Math.max(150, Math.floor((this.charts.clientWidth - 16 * (columns - 1)) / columns));
      this.charts.replaceChildren(...CHARTS.map((chart) => {
        const svg = this.chart(chart, width);
        return element("figure", {}, element("figcaption", {}, chart.title), svg);
      }));
    }

    /** Combines intervals that would be narrower than three pixels. */
    bins(chart, width) {
      const shown = state.last - state.first + 1;
      const size = Math.max(1, Math.ceil((shown * 3) / width));
      const bins = [];
      for (let begin = state.first; begin <= state.last; begin += size) {
        const end = Math.min(begin + size, state.last + 1);
        const values = this.property.series.slice(begin, end).map((row) => amount(chart.of(row))).filter((value) => value !== null);
        const sum = values.reduce((left, right) => left + right, 0);
        const value = chart.kind === "bars" ? Math.max(0, sum) : values.length ? sum / values.length : null;
        bins.push({ begin, end, value });
      }
      return bins;
    }

    chart(chart, width) {
      const shown = state.last - state.first + 1;
      const bins = this.bins(chart, width);
      const most = Math.max(0, ...bins.map((bin) => bin.value ?? 0));
      const base = CHART.height - CHART.bottom;
      const x = (index) => ((index - state.first) / shown) * width;
      const y = (value) => base - (most === 0 ? 0 : (value / most) * (base - CHART.top));
      const parts = [];
      let open = false;
      for (const { begin, end, value } of bins) {
        if (chart.kind === "bars") {
          const [left, right] = [x(begin), x(end)];
          const gap = Math.min(1, (right - left) / 4);
          if (value > 0) parts.push(`M${left.toFixed(1)},${base}V${y(value).toFixed(1)}H${(right - gap).toFixed(1)}V${base}z`);
        } else if (value === null) {
          open = false;
        } else {
          const middle = (x(begin) + x(end)) / 2;
          parts.push(`${open ? "L" : "M"}${middle.toFixed(1)},${y(value).toFixed(1)}`);
          if (!open) parts.push("h0.01");
          open = true;
        }
      }
      const cursor = drawn("rect", { class: "cursor", y: CHART.top, height: base - CHART.top, width: Math.max(2, width / shown) });
      cursor.style.display = "none";
      this.cursors.push({ cursor, x });
      const isEmpty = bins.every((bin) => bin.value === null);
      const nothing = chart.kind === "bars" ? "0" : isEmpty ? "none in this range" : "always immediately";
      const upper = most > 0 ? String(chart.show(round(most))) : nothing;
      const half = width / 2 - GAP;
      const svg = drawn(
        "svg", { viewBox: `0 0 ${width} ${CHART.height}`, height: CHART.height, role: "img" },
        cursor,
        drawn("line", { class: "base", x1: 0, x2: width, y1: base, y2: base }),
        drawn("line", { class: "top", x1: 0, x2: width, y1: CHART.top, y2: CHART.top }),
        drawn("path", { class: [chart.kind, chart.bad ? "bad" : ""].join(" ").trim(), d: parts.join("") }),
        drawn("text", { x: 0, y: CHART.top - 5 }, cut(upper, width)),
        drawn("text", { x: 0, y: CHART.height - 5 }, cut(brief(rows[state.first].from), half)),
        drawn("text", { x: width, y: CHART.height - 5, "text-anchor": "end" }, cut(brief(rows[state.last].to), half)),
      );
      const name = `${chart.title} of ${this.property.name} over time, at most ${upper} in ${bins.some((bin) => bin.end - bin.begin > 1) ? "a bar" : "an interval"}`;
      svg.setAttribute("aria-label", name);
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const share = (event.clientX - box.left) / box.width;
        this.choose(Math.min(state.last, Math.max(state.first, state.first + Math.floor(share * shown))));
      });
      svg.addEventListener("pointerleave", () => this.choose(null));
      return svg;
    }

    /** Draws anew: another size, mode or range. */
    draw() {
      if (!rows.length) return;
      this.isDrawn = true;
      this.drawCharts();
      const width = Math.max(240, this.lines.clientWidth);
      const narrow = width < NARROW;
      const axes = this.axes;
      const frame = narrow
        ? { left: 26, right: 10, top: 30, step: 58, height: 30 + 58 * (axes.length - 1) + 30 }
        : { left: 44, right: 44, top: 40, height: 300, bottom: 44 };
      const along = (place) => narrow
        ? frame.top + place * frame.step
        : frame.left + (place * (width - frame.left - frame.right)) / (axes.length - 1);
      const low = narrow ? frame.left : frame.height - frame.bottom;
      const high = narrow ? width - frame.right : frame.top;
      this.scales = axes.map((axis) => {
        let [least, most] = [0, 0];
        rows.forEach((_, index) => {
          const value = this.value(axis, index);
          if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)];
        });
        const span = most - least;
        const share = (value) => (span === 0 ? 0 : (value - least) / span);
        return {
          least, most, share,
          // What has no value stands a little beyond the low end.
          place: (value) => (value === null ? low + (narrow ? -14 : 18) : low + share(value) * (high - low)),
          from: (place) => least + Math.min(1, Math.max(0, (place - low) / (high - low))) * span,
        };
      });
      this.at = (place, value) => {
        const across = this.scales[place].place(value);
        return narrow ? [across, along(place)] : [along(place), across];
      };
      this.frame = { narrow, low, high, along, width };
      this.polylines = new Map();
      const group = drawn("g", {
        class: "walk", tabindex: "0", role: "slider", "aria-label": "Intervals of " + this.property.name,
        "aria-valuemin": 1, "aria-valuemax": rows.length,
      });
      group.addEventListener("keydown", (event) => this.walk(event));
      group.addEventListener("blur", () => this.choose(null));
      const range = Math.max(1, state.last - state.first);
      for (const index of this.sample()) {
        const points = axes.map((axis, place) => this.at(place, this.value(axis, index)));
        const faded = 0.18 + 0.5 * ((index - state.first) / range);
        const line = drawn("polyline", {
          points: points.map((point) => point.map((part) => part.toFixed(1)).join(",")).join(" "),
          "stroke-opacity": faded.toFixed(3), "data-row": index,
        });
        this.polylines.set(index, { line, points });
        group.append(line);
      }
      this.marks = axes.map((axis, place) => this.axis(axis, place));
      const label = "Parallel coordinates of " + this.property.name + ": one line for each interval";
      this.svg = drawn(
        "svg", { viewBox: `0 0 ${width} ${frame.height}`, height: frame.height, role: "group", "aria-label": label },
        group, ...this.marks.map((mark) => mark.node),
      );
      this.group = group;
      this.lines.replaceChildren(this.svg);
      this.update();
    }

    /** One axis, with the place where lines are kept. */
    axis(axis, place) {
      const { narrow, low, high, along } = this.frame;
      const scale = this.scales[place];
      const at = along(place);
      const line = narrow
        ? drawn("line", { x1: low, x2: high, y1: at, y2: at })
        : drawn("line", { x1: at, x2: at, y1: low, y2: high });
      // The labels of the outer axes end at the edges of the drawing, the others at half the way to the next axis.
      const isLast = place === this.axes.length - 1;
      const anchor = narrow || place === 0 ? "start" : isLast ? "end" : "middle";
      const middle = place === 0 ? 0 : isLast ? this.frame.width : at;
      const room = narrow ? high - low : this.frame.along(1) - this.frame.along(0) - GAP;
      const name = drawn("text", narrow ? { x: low, y: at - 12 } : { x: middle, y: high - 24, "text-anchor": anchor }, axis.name);
      const most = scale.most === scale.least && axis !== INTERVAL ? "" : String(axis.show(scale.most) ?? "");
      const upper = drawn("text", narrow
        ? { class: "end", x: high, y: at - 12, "text-anchor": "end" }
        : { class: "end", x: middle, y: high - 9, "text-anchor": anchor }, cut(most, room));
      const lower = drawn("text", narrow
        ? { class: "end", x: low, y: at + 16 }
        : { class: "end", x: middle, y: low + 36, "text-anchor": anchor }, cut(String(axis.show(scale.least) ?? ""), room));
      const kept = drawn("rect", { class: "kept", rx: 3 });
      // A drag may begin a little beyond either end, so that the end itself can be kept.
      const [start, length] = [Math.min(low, high) - BEYOND, Math.abs(high - low) + 2 * BEYOND];
      const hit = drawn("rect", narrow
        ? { class: "hit", x: start, y: at - 14, width: length, height: 28 }
        : { class: "hit", x: at - 16, y: start, width: 32, height: length });
      const node = drawn("g", { class: "axis", tabindex: "0", role: "slider" }, line, kept, name, upper, lower, hit);
      node.addEventListener("keydown", (event) => this.keep(event, axis, scale));
      hit.addEventListener("pointerdown", (event) => this.brush(event, axis, scale, hit));
      return { node, kept, axis, scale, at };
    }

    /** Where a pointer is along the axes, in the units of the drawing. */
    across(event) {
      const box = this.svg.getBoundingClientRect();
      const scale = this.svg.viewBox.baseVal.width / box.width;
      return this.frame.narrow ? (event.clientX - box.left) * scale : (event.clientY - box.top) * scale;
    }

    /** Drags over an axis; a click lets go of what was kept. */
    brush(event, axis, scale, hit) {
      event.preventDefault();
      const start = this.across(event);
      hit.setPointerCapture(event.pointerId);
      const move = (event) => {
        const end = this.across(event);
        if (Math.abs(end - start) < 3) this.kept.delete(axis.name);
        else this.kept.set(axis.name, [scale.from(start), scale.from(end)].sort((left, right) => left - right));
        this.update();
      };
      const stop = (event) => {
        move(event);
        hit.removeEventListener("pointermove", move);
        hit.removeEventListener("pointerup", stop);
        hit.removeEventListener("pointercancel", stop);
      };
      hit.addEventListener("pointermove", move);
      hit.addEventListener("pointerup", stop);
      hit.addEventListener("pointercancel", stop);
    }

    /** The same by keyboard. */
    keep(event, axis, scale) {
      const up = event.key === "ArrowUp" || event.key === "ArrowRight";
      if (event.key === "Escape" || event.key === "Delete") this.kept.delete(axis.name);
      else if (up || event.key === "ArrowDown" || event.key === "ArrowLeft") {
        let [least, most] = this.kept.get(axis.name) ?? [scale.least, scale.most];
        const step = (up ? 1 : -1) * STEP * (scale.most - scale.least);
        const inside = (value) => Math.min(scale.most, Math.max(scale.least, value));
        if (event.shiftKey) most = Math.max(least, inside(most + step));
        else least = Math.min(most, inside(least + step));
        this.kept.set(axis.name, [least, most]);
      } else return;
      event.preventDefault();
      event.stopPropagation();
      this.update();
    }

    /** Goes from line to line. */
    walk(event) {
      const shown = [...this.polylines.keys()].filter((index) => this.passes(index));
      if (!shown.length) return;
      const place = shown.indexOf(this.chosen);
      const last = shown.length - 1;
      let next;
      if (event.key === "ArrowLeft" || event.key === "ArrowDown") next = place < 0 ? last : Math.max(0, place - 1);
      else if (event.key === "ArrowRight" || event.key === "ArrowUp") next = place < 0 ? 0 : Math.min(last, place + 1);
      else if (event.key === "Home") next = 0;
      else if (event.key === "End") next = last;
      else if (event.key === "Escape") next = null;
      else return;
      event.preventDefault();
      this.choose(next === null ? null : shown[next]);
    }

    /** The nearest line under the pointer. */
    point(event) {
      if (!this.svg) return;
      const box = this.svg.getBoundingClientRect();
      const scale = this.svg.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      const [main, side] = this.frame.narrow ? [1, 0] : [0, 1];
      const pointer = [x, y];
      let [best, nearest] = [null, 24];
      for (const [index, { points }] of this.polylines) {
        if (!this.passes(index)) continue;
        for (let part = 1; part < points.length; part += 1) {
          const [from, to] = [points[part - 1], points[part]];
          if (pointer[main] < from[main] || pointer[main] > to[main]) continue;
          const share = (pointer[main] - from[main]) / (to[main] - from[main] || 1);
          const distance = Math.abs(from[side] + share * (to[side] - from[side]) - pointer[side]);
          if (distance <= nearest) [best, nearest] = [index, distance];
        }
      }
      this.choose(best);
    }

    choose(index) {
      if (index === this.chosen) return;
      this.chosen = index;
      this.highlight();
    }

    /** What is kept has changed. */
    update() {
      if (!this.isDrawn) return;
      const { narrow } = this.frame;
      this.latest = null;
      for (const [index, { line }] of this.polylines) {
        const passes = this.passes(index);
        line.classList.toggle("out", !passes);
        if (passes) this.latest = index;
      }
      for (const { node, kept, axis, scale, at } of this.marks) {
        const range = this.kept.get(axis.name);
        const text = range ? `kept: ${axis === INTERVAL ? "intervals " : ""}${round(range[0])} to ${round(range[1])}` : "all kept";
        node.setAttribute("aria-label", axis.name + " of " + this.property.name);
        node.setAttribute("aria-valuemin", scale.least);
        node.setAttribute("aria-valuemax", scale.most);
        node.setAttribute("aria-valuenow", range ? range[0] : scale.least);
        node.setAttribute("aria-valuetext", text);
        kept.toggleAttribute("hidden", !range);
        kept.style.display = range ? "" : "none";
        if (range) {
          const [from, to] = range.map((value) => scale.place(value)).sort((left, right) => left - right);
          const box = narrow
            ? { x: from - 2, y: at - 9, width: to - from + 4, height: 18 }
            : { x: at - 9, y: from - 2, width: 18, height: to - from + 4 };
          fill(kept, box, []);
        }
      }
      this.highlight();
      if (this.details.open) this.tabulate();
      this.count.textContent = this.summary();
      offer();
    }

    summary() {
      let shown = 0;
      for (let index = 0; index < rows.length; index += 1) shown += this.passes(index) ? 1 : 0;
      const all = counted(rows.length, "interval");
      const thinned = this.polylines.size < rows.length ? `; ${this.polylines.size} lines are drawn` : "";
      return (shown === rows.length ? "Table of " + all : `Table of ${shown} of ${all}`) + thinned;
    }

    highlight() {
      if (!this.isDrawn) return;
      for (const [index, { line }] of this.polylines) {
        line.classList.toggle("latest", index === this.latest);
        line.classList.toggle("chosen", index === this.chosen);
      }
      // What is bright lies on top.
      for (const index of [this.latest, this.chosen]) {
        if (this.polylines.has(index)) this.group.append(this.polylines.get(index).line);
      }
      for (const { cursor, x } of this.cursors) {
        cursor.style.display = this.chosen === null ? "none" : "";
        if (this.chosen !== null) cursor.setAttribute("x", x(this.chosen).toFixed(1));
      }
      for (const row of this.table.rows) row.classList.toggle("chosen", row.dataset.row === String(this.chosen));
      this.read(this.chosen ?? this.latest);
    }

    /** The values of a line, in words. */
    read(index) {
      if (index === null || index === undefined) {
        this.reading.textContent = "No interval matches. Choose “Show all”, or select a larger part of an axis.";
        return;
      }
      const row = this.property.series[index];
      const name = index === this.latest && this.chosen === null ? "Latest, " : "";
      const parts = [element("b", {}, `${name}${short(row.from)} to ${short(row.to)}${unit && typeof row.to === "number" ? unit : ""}: `)];
      const values = this.axes.slice(1).map((axis) => `${axis.name} ${axis.show(axis.of(row, index)) ?? "–"}`);
      this.reading.replaceChildren(...parts, values.join(", "));
      this.group.setAttribute("aria-valuenow", index + 1);
      this.group.setAttribute("aria-valuetext", this.reading.textContent);
    }

    tabulate() {
      if (!this.details.open) return;
      const heads = ["from", "to", "events", ...this.axes.slice(1).map((axis) => axis.name).filter((name) => name !== "events"), "pending"];
      const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
      const body = element("tbody");
      this.property.series.forEach((row, index) => {
        if (!this.passes(index)) return;
        const values = this.axes.slice(1).filter((axis) => axis.name !== "events");
        const cells = [short(row.from), short(row.to), row.events, ...values.map((axis) => axis.show(axis.of(row, index)) ?? "–"), row.pending];
        const line = element("tr", { "data-row": index }, ...cells.map((cell) => element("td", {}, String(cell))));
        line.addEventListener("pointerenter", () => this.choose(index));
        line.addEventListener("pointerleave", () => this.choose(null));
        body.append(line);
      });
      this.table.replaceChildren(element("thead", {}, head), body);
    }
  }

  function figures(property) {
    const parts = [counted(property.activated, "activation"), property.satisfied + " satisfied", property.violated + " violated"];
    if (property.pending) parts.push(property.pending + " pending");
    if (property.failure_percent !== null) parts.push(percent(property.failure_percent) + " failed");
    if (property.duration && amount(property.duration.max) > 0) {
      const { min, max, mean } = property.duration;
      parts.push(`satisfied after ${short(min)} to ${short(max)}${unit}, ${short(mean)} on average`);
    }
    return parts.join(" · ");
  }

  /** The table at the top. */
  function overview() {
    const heads = ["property", "verdict", "activated", "satisfied", "violated", "pending", "failure", "mean"];
    const body = element("tbody");
    data.properties.forEach((property, number) => {
      const link = element("a", { href: "#view-" + number, title: property.name }, property.name);
      const bar = element("i");
      bar.style.width = (amount(property.failure_percent) ?? 0) + "%";
      const failure = element("td", {}, element("span", { class: "bar", "aria-hidden": "true" }, bar), element("span", { class: "share" }, percent(property.failure_percent) ?? "–"));
      const tone = property.verdict === "violated" ? "bad" : property.verdict === "holds" ? "good" : null;
      const cell = (text, tone = null) => element("td", { class: tone }, String(text));
      body.append(element(
        "tr", {}, element("th", { scope: "row" }, link), cell(property.verdict, tone), cell(property.activated),
        cell(property.satisfied), cell(property.violated, property.violated ? "bad" : null), cell(property.pending), failure,
        cell(property.duration ? time(property.duration.mean) : "–"),
      ));
    });
    const head = element("tr", {}, ...heads.map((name) => element("th", { scope: "col" }, name)));
    document.getElementById("overview").replaceChildren(element("thead", {}, head), body);
  }

  /** How many events each interval has, and where something was violated. */
  function histogram() {
    const most = Math.max(1, ...rows.map((row) => row.events));
    const bars = rows.map((row, index) => {
      const broken = data.properties.some((property) => property.series[index].within.violated > 0);
      const height = row.events ? 4 + (20 * row.events) / most : 0;
      const bar = drawn("rect", { x: index + 0.1, width: 0.8, y: 28 - height, height });
      const mark = broken ? [drawn("rect", { class: "bad", x: index + 0.1, width: 0.8, y: 0, height: 3 })] : [];
      return [bar, ...mark];
    });
    const shown = bars.slice(0, 2000).flat();
    const svg = drawn("svg", { viewBox: `0 0 ${Math.max(1, Math.min(rows.length, 2000))} 28`, preserveAspectRatio: "none" }, ...shown);
    document.getElementById("events").replaceChildren(svg);
    return bars;
  }

  const first = document.getElementById("first");
  const last = document.getElementById("last");
  const clear = document.getElementById("clear");
  const offer = () => {
    const all = state.first === 0 && state.last === Math.max(0, rows.length - 1);
    clear.disabled = all && views.every((view) => view.kept.size === 0);
  };

  function showRange(bars) {
    const share = (index) => (rows.length > 1 ? (100 * index) / (rows.length - 1) : 0) + "%";
    const range = first.parentElement;
    range.style.setProperty("--from", share(state.first));
    range.style.setProperty("--to", rows.length > 1 ? share(state.last) : "100%");
    [first.value, last.value] = [state.first, state.last];
    const [from, to] = [rows[state.first].from, rows[state.last].to];
    const shown = document.getElementById("times-shown");
    shown.textContent = `from ${short(from)} to ${short(to)}, ${counted(state.last - state.first + 1, "interval")}`;
    first.setAttribute("aria-valuetext", "from " + short(from));
    last.setAttribute("aria-valuetext", "to " + short(to));
    bars.forEach((parts, index) => {
      parts.forEach((part) => part.classList.toggle("out", index < state.first || index > state.last));
    });
  }

  function begin() {
    document.getElementById("source").textContent = data.source;
    const extent = [counted(data.events, "event")];
    if (rows.length) {
      extent.push(`from ${short(data.first_time)} to ${short(data.last_time)}`, `${counted(rows.length, "interval")} of ${short(data.every)}${unit}`);
    }
    if (data.cases) extent.push(counted(data.cases.total, "case"));
    document.getElementById("extent").textContent = `Statistics of ${data.spec}: ${extent.join(", ")}`;
    overview();
    if (!rows.length) {
      document.getElementById("controls").hidden = true;
      document.getElementById("controls").style.display = "none";
      return;
    }
    const bars = histogram();
    [first.max, last.max] = [rows.length - 1, rows.length - 1];
    if (rows.length === 1) first.parentElement.style.display = "none";
    const place = document.getElementById("views");
    data.properties.forEach((property, number) => {
      const view = new View(property, number);
      views.push(view);
      place.append(view.node);
    });
    const redraw = () => {
      showRange(bars);
      views.filter((view) => view.isDrawn).forEach((view) => view.draw());
      offer();
    };
    first.addEventListener("input", () => {
      state.first = Math.min(Number(first.value), state.last);
      redraw();
    });
    last.addEventListener("input", () => {
      state.last = Math.max(Number(last.value), state.first);
      redraw();
    });
    for (const radio of document.querySelectorAll("input[name=mode]")) {
      radio.addEventListener("change", () => {
        state.mode = radio.value;
        views.forEach((view) => view.kept.clear());
        redraw();
      });
    }
    clear.addEventListener("click", () => {
      [state.first, state.last] = [0, rows.length - 1];
      views.forEach((view) => view.kept.clear());
      redraw();
    });
    showRange(bars);
    if (views.length * Math.min(rows.length, MOST_LINES) <= MOST_AT_ONCE) {
      views.forEach((view) => view.draw());
    } else {
      const near = new IntersectionObserver((entries) => {
        for (const entry of entries.filter((entry) => entry.isIntersecting)) {
          near.unobserve(entry.target);
          views.find((view) => view.node === entry.target).draw();
        }
      }, { rootMargin: "600px" });
      views.forEach((view) => near.observe(view.node));
    }
    let width = place.clientWidth;
    new ResizeObserver(() => {
      if (place.clientWidth === width) return;
      width = place.clientWidth;
      views.filter((view) => view.isDrawn).forEach((view) => view.draw());
    }).observe(place);
  }

  begin();
})();
