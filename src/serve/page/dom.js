// SPDX-License-Identifier: Apache-2.0
// Elements are made here alone. What servers and pictures say becomes text, never HTML.

/// el("p", {class: "hint"}, "text", el("b", {}, "more")). Properties are attributes; functions are listeners of events;
/// false and undefined are left out.
export function el(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") {
      element.addEventListener(name, value);
    } else if (value !== undefined && value !== false && value !== null) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

export const byId = (id) => document.getElementById(id);

/// A name that may be broken behind its dots, dashes and underscores.
export const breakable = (name) => name.split(/(?<=[._/-])/).flatMap((part, i) => (i === 0 ? [part] : [el("wbr"), part]));

/// A table in a box that scrolls by itself, also by keyboard, where it is wider than the page.
export function table(caption, head, rows) {
  const cell = (tag, value, extra) => el(tag, {class: typeof value === "number" ? "number" : undefined, ...extra},
    value instanceof Node ? value : typeof value === "number" ? number(value) : String(value));
  return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    el("table", {}, el("caption", {class: "unseen"}, caption),
      el("thead", {}, el("tr", {}, ...head.map((name) => cell("th", name, {scope: "col"})))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((value) => cell("td", value)))))));
}

/// Tabs as the ARIA practices have them: one stop, arrows change the tab. `tabs`: [{name, content}].
export function tabList(label, tabs) {
  const buttons = tabs.map(({name}, i) => el("button", {
    type: "button", role: "tab", id: unique("tab"),
    click: () => select(i),
    keydown: (event) => {
      const to = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      select((to + tabs.length) % tabs.length);
      buttons[(to + tabs.length) % tabs.length].focus();
    },
  }, name));
  const panels = tabs.map(({content}, i) => {
    const panel = el("div", {role: "tabpanel", id: unique("panel"), "aria-labelledby": buttons[i].id}, content);
    buttons[i].setAttribute("aria-controls", panel.id);
    return panel;
  });
  function select(chosen) {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", i === chosen);
      button.tabIndex = i === chosen ? 0 : -1;
      panels[i].hidden = i !== chosen;
    });
  }
  select(0);
  return el("div", {}, el("div", {role: "tablist", "aria-label": label}, ...buttons), ...panels);
}

let last = 0;
export const unique = (prefix) => prefix + "-" + ++last;

/// With about five digits.
export function number(value) {
  if (value === null || Number.isNaN(value)) return "–";
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e6 || size < 1e-4 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
}

export function bytes(count) {
  for (const unit of ["B", "KiB", "MiB"]) {
    if (count < 1000) return (count < 10 && unit !== "B" ? count.toFixed(1) : Math.round(count)) + " " + unit;
    count /= 1024;
  }
  return count.toFixed(count < 10 ? 2 : 1) + " GiB";
}

export function milliseconds(value) {
  if (value >= 10000) return (value / 1000).toFixed(1) + " s";
  return (value < 10 ? value.toFixed(1) : Math.round(value)) + " ms";
}
