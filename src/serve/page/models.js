// SPDX-License-Identifier: Apache-2.0
// The list of models, and what one of them takes and gives.
import {breakable, el, table} from "./dom.js";

/// What is served, by its place in the page's address: pipelines and readers, which models make together, then models,
/// of whose versions each has an entry in the index.
export function servedBy(index, {pipelines, readers}) {
  const models = new Map();
  for (const entry of index) {
    const model = models.get(entry.name) ?? {kind: "models", name: entry.name, versions: [], state: "", reason: ""};
    if (entry.version) model.versions.push(entry.version);
    if (model.state !== "READY") {
      model.state = entry.state || "NOT LOADED";
      model.reason = entry.reason || "";
    }
    models.set(entry.name, model);
  }
  for (const model of models.values()) model.versions.sort((a, b) => a - b);
  const tool = (kind) => ({name, path, stages}) => {
    const parts = stages.map(({name: stage, model}) => ({stage, model, state: models.get(model)?.state ?? "NOT LOADED"}));
    const missing = parts.find(({state}) => state !== "READY");
    return {kind, name, path, parts, state: missing ? "UNAVAILABLE" : "READY",
      reason: missing ? `model '${missing.model}' is not ready` : ""};
  };
  const tools = [...pipelines.map(tool("pipelines")), ...readers.map(tool("readers"))];
  // A repository's readers are in the index, too.
  for (const {name} of readers) models.delete(name);
  const all = [...tools, ...models.values()];
  return new Map(all.map((each) => [placeOf(each), each]));
}

const KINDS = {pipelines: "Pipelines", readers: "Readers of text", models: "Models"};
const placeOf = ({kind, name}) => "#" + kind + "/" + encodeURIComponent(name);

/// The place that the page's address names, as this page would write it; null where it names none.
export function placeIn(hash) {
  const [, kind, name] = hash.match(/^#(pipelines|readers|models)\/(.+)$/) ?? [];
  try {
    return kind === undefined ? null : placeOf({kind, name: decodeURIComponent(name)});
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
  return parts ? parts.map(({stage}) => stage).join(", ") : "version " + versions.join(", ");
}

export function showList(list, served, selected) {
  const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const item = ([place, each]) => el("li", {}, el("a", {href: place, "aria-current": place === selected && "true"},
    el("span", {class: "name"}, ...breakable(each.name)), stateBadge(each.state), el("span", {class: "hint"}, summaryOf(each))));
  list.replaceChildren(...Object.entries(KINDS).flatMap(([kind, title]) => {
    const items = [...served].filter(([, each]) => each.kind === kind).map(item);
    return items.length === 0 ? [] : [el("li", {}, el("h3", {}, title), el("ul", {"aria-label": title}, ...items))];
  }));
  if (served.size === 0) list.append(el("li", {class: "hint"}, "The server has no models."));
  if (focused) [...list.querySelectorAll("a")].find((a) => a.getAttribute("href") === focused)?.focus();
}

/// The models that a pipeline or a reader works with.
export const partsTable = ({parts}) => table("Its models", ["stage", "model", "state"], parts.map(({stage, model, state}) =>
  [stage, el("a", {href: placeOf({kind: "models", name: model})}, model), stateBadge(state)]));

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
