// SPDX-License-Identifier: Apache-2.0
import {el, svg} from "./dom.js";

const WIDTH = 240, HEIGHT = 64, SECONDS = 120;

/// The next greater of 1, 2, 5 and their multiples by ten.
export function roundUp(value) {
  const step = 10 ** Math.floor(Math.log10(value));
  return step * [1, 2, 5, 10].find((factor) => factor * step >= value * 0.999);
}

/// Lines over the last two minutes. `names` are those of its lines; `format` makes text of a value, `round` the
/// end of the axis of the greatest one, which is at least `least`. A slider moves along
/// the time, by pointer and by arrow keys; without it the last values are shown.
export class Chart {
  constructor(title, names, format, round = roundUp, least = 1) {
    this.names = names;
    this.format = format;
    this.round = round;
    this.least = least;
    this.samples = [];
    this.at = null;
    this.lines = names.map((_, i) => svg("path", {class: "line line-" + i}));
    this.area = svg("path", {class: "area"});
    this.cursor = svg("path", {class: "cursor"});
    this.values = names.map(() => el("b"));
    this.when = el("span", {class: "when"});
    this.top = el("span", {class: "axis top-axis"});
    const grid = svg("path", {class: "grid", d: `M0 .5H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}M0 ${HEIGHT - 0.5}H${WIDTH}`});
    this.plot = svg("svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", tabindex: "0", role: "slider",
      "aria-label": title + ", seconds ago", "aria-valuemin": -SECONDS, "aria-valuemax": 0,
      pointermove: (event) => {
        const box = this.plot.getBoundingClientRect();
        this.move(((event.clientX - box.left) / box.width - 1) * SECONDS);
      },
      pointerleave: () => this.move(null),
      blur: () => this.move(null),
      keydown: (event) => {
        const step = {ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10}[event.key];
        if (step !== undefined) this.move((this.at ?? 0) + step);
        else if (event.key === "Home") this.move(-SECONDS);
        else if (event.key === "End" || event.key === "Escape") this.move(null);
        else return;
        event.preventDefault();
      },
    }, grid, this.area, ...this.lines, this.cursor);
    const shown = names.map((name, i) => el("span", {class: "value"},
      name ? el("span", {class: "key key-" + i, "aria-hidden": "true"}) : null, name ? name + " " : null, this.values[i]));
    this.element = el("figure", {class: "chart"},
      el("figcaption", {}, el("span", {class: "title"}, title), this.when), el("div", {class: "values"}, ...shown),
      el("div", {class: "plot"}, this.top, this.plot),
      el("div", {class: "axis times", "aria-hidden": "true"}, el("span", {}, "−2 min"), el("span", {}, "now")));
    this.draw();
  }

  /// [{time: seconds, values: a number or null for each line}], the last one being now.
  set(samples) {
    this.samples = samples;
    this.draw();
  }

  move(at) {
    this.at = at === null ? null : Math.round(Math.min(0, Math.max(-SECONDS, at)));
    this.draw();
  }

  draw() {
    const now = this.samples.at(-1)?.time ?? 0;
    const most = this.round(Math.max(this.least, ...this.samples.flatMap(({values}) => values.map((v) => v ?? 0))));
    const x = (time) => (1 + (time - now) / SECONDS) * WIDTH;
    const y = (value) => HEIGHT - 1 - (value / most) * (HEIGHT - 2);
    this.lines.forEach((line, i) => line.setAttribute("d", this.path(i, x, y)));
    this.area.setAttribute("d", this.names.length === 1 ? this.path(0, x, y, true) : "");
    this.top.textContent = this.format(most);
    const shown = this.at === null ? this.samples.at(-1) : this.nearest(now + this.at);
    this.values.forEach((value, i) => {
      const v = shown?.values[i];
      value.textContent = v === null || v === undefined ? "–" : this.format(v);
    });
    this.when.textContent = this.at === null ? "" : `${-this.at} s ago`;
    this.cursor.setAttribute("d", this.at === null ? "" : `M${x(now + this.at)} 0V${HEIGHT}`);
    this.plot.setAttribute("aria-valuenow", this.at ?? 0);
    this.plot.setAttribute("aria-valuetext", (this.at === null ? "now" : `${-this.at} seconds ago`) + ": " +
      this.names.map((name, i) => (name + " " + this.values[i].textContent).trim()).join(", "));
  }

  /// A line through the samples that have a value; an `area` goes down to the axis at both ends.
  path(i, x, y, area = false) {
    let text = "", first = null, last = null;
    const close = () => {
      if (area && first !== null) text += `V${HEIGHT}H${first.toFixed(1)}Z`;
      first = null;
    };
    for (const {time, values} of this.samples) {
      if (values[i] === null || values[i] === undefined) {
        close();
        continue;
      }
      last = x(time);
      text += `${first === null ? "M" : "L"}${last.toFixed(1)} ${y(values[i]).toFixed(1)}${first === null ? "h0" : ""}`;
      first ??= last;
    }
    close();
    return text;
  }

  nearest(time) {
    return this.samples.reduce((best, sample) =>
      best === undefined || Math.abs(sample.time - time) < Math.abs(best.time - time) ? sample : best, undefined);
  }
}
