// SPDX-License-Identifier: Apache-2.0
// The list of models, and what one of them takes and gives.
import {el, table} from "./dom.js";

/// Models by name from the entries of the index, of which each version has one. Readers of text, which other models
/// make together, come first.
export function modelsOf(index, readers = []) {
  const models = new Map(readers.map(({name, models: parts}) => [name, {name, versions: [], parts}]));
  for (const entry of index) {
    const model = models.get(entry.name) ?? {name: entry.name, versions: [], state: "", reason: ""};
    if (entry.version) model.versions.push(entry.version);
    if (model.state !== "READY") {
      model.state = entry.state || "NOT LOADED";
      model.reason = entry.reason || "";
    }
    models.set(entry.name, model);
  }
  for (const model of models.values()) {
    model.versions.sort((a, b) => a - b);
    const missing = model.parts?.find((part) => models.get(part)?.state !== "READY");
    if (model.parts) model.state = missing === undefined ? "READY" : "UNAVAILABLE";
    if (missing !== undefined) model.reason = `model '${missing}' is not ready`;
  }
  return models;
}

/// A model's place in the address of the page.
export const hashOf = (name) => "#models/" + encodeURIComponent(name);

export function nameOf(hash) {
  try {
    return hash.startsWith("#models/") ? decodeURIComponent(hash.slice(8)) : null;
  } catch {
    return null;
  }
}

export function stateBadge(state) {
  return el("span", {class: "state " + (state === "READY" ? "good" : state === "LOADING" ? "busy" : "bad")},
    state.toLowerCase());
}

function summaryOf({state, parts, versions, reason}) {
  if (state !== "READY") return reason;
  return parts ? "reads text with " + parts.join(", ") : "version " + versions.join(", ");
}

export function showList(list, models, selected) {
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  list.replaceChildren(...[...models.values()].map((model) => el("li", {},
    el("a", {href: hashOf(model.name), "aria-current": model.name === selected && "true"},
      el("span", {class: "name"}, model.name), stateBadge(model.state),
      el("span", {class: "hint"}, summaryOf(model))))));
  if (models.size === 0) list.append(el("li", {class: "hint"}, "The server has no models."));
  if (focused) [...list.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
}

export const shapeText = (shape) => (shape.length === 0 ? "one value" :
  shape.map((size) => (size < 0 ? "any" : size)).join(" × "));

function tensors(title, infos) {
  return el("div", {}, el("h3", {}, title),
    table(title, ["name", "type", "shape"], infos.map((info) => [info.name, info.datatype, shapeText(info.shape)])));
}

/// What the metadata and the configuration of a model say.
export function facts(metadata, config) {
  const batches = config.max_batch_size > 0 ? `batches of up to ${config.max_batch_size} rows` : "no batches";
  const instances = config.instance_group?.[0]?.count;
  return el("div", {},
    el("p", {class: "hint"}, [metadata.platform, batches, instances && `${instances} requests at the same time`]
      .filter(Boolean).join(" · ")),
    el("div", {class: "two"}, tensors("Inputs", metadata.inputs), tensors("Outputs", metadata.outputs)),
    el("details", {}, el("summary", {}, "Configuration"),
      el("pre", {tabindex: "0", "aria-label": "Configuration"}, JSON.stringify(config, null, 2))));
}
