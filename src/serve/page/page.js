// SPDX-License-Identifier: Apache-2.0
// The page: which model is looked at, and what is asked how often.
import {askJson, modelPath, onTokenWanted, repeat, token} from "./api.js";
import {byId, el, tabList} from "./dom.js";
import {Live} from "./live.js";
import {facts, partsTable, placeIn, servedBy, showList, stateBadge} from "./models.js";
import {askModel, pictureForm, takesPictures} from "./pictures.js";
import {askPipeline} from "./pipelines.js";
import {tensorForm} from "./tensors.js";

const live = new Live(byId("charts"));
let served = new Map();
let shownIndex = "", shownModel = "";

function wantToken(refused) {
  const dialog = byId("token-dialog"), input = byId("token");
  byId("token-error").textContent = refused ? "The server does not take this token." : "";
  token.forget();
  wantToken.promise ??= new Promise((resolve) => {
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      token.set(input.value);
      input.value = "";
      byId("forget-token").hidden = false;
      wantToken.promise = null;
      dialog.close();
      resolve();
    }, {once: true});
    dialog.showModal();
  });
  return wantToken.promise;
}

/// What the page's address says, else what is first.
const selected = () => placeIn(location.hash) ?? served.keys().next().value ?? null;

async function showModel() {
  const chosen = selected();
  const model = served.get(chosen), name = model?.name ?? null;
  const key = JSON.stringify([chosen, model]);
  if (key === shownModel) return;
  shownModel = key;
  showList(byId("models"), served, chosen);
  document.title = name === null ? "Coracle" : name + " – Coracle";
  const place = byId("model");
  const title = el("h2", {id: "model-title"}, name ?? "Nothing is chosen");
  if (model === undefined) {
    place.replaceChildren(title, el("p", {}, chosen === null ? "The server has no models." : "The server has nothing of this name."));
    return;
  }
  const heading = el("div", {class: "heading"}, title, stateBadge(model.state));
  if (model.state !== "READY") {
    place.replaceChildren(...[heading, el("p", {class: "callout bad"}, "It cannot be asked: " + (model.reason || "it is not loaded")),
      model.parts && partsTable(model)].filter(Boolean));
    return;
  }
  if (model.parts) {
    const pipeline = model.kind === "pipelines";
    place.replaceChildren(heading, el("p", {class: "hint"}, `${pipeline ? "As PaddleX's clients ask it" : "It finds and reads text"}: POST /${model.path}`),
      partsTable(model), el("h3", {class: "try"}, "Try it"), pictureForm(pipeline ? askPipeline(model) : askModel(name, () => null, true)));
    return;
  }
  const versions = el("select", {change: () => fill()}, el("option", {value: ""}, "newest"),
    ...[...model.versions].reverse().map((version) => el("option", {value: version}, version)));
  const version = () => versions.value || null;
  if (model.versions.length > 1) heading.append(el("label", {class: "inline"}, "Version ", versions));
  const body = el("div");
  place.replaceChildren(heading, body);

  async function fill() {
    body.replaceChildren(el("p", {class: "hint"}, "Asking …"));
    try {
      const [metadata, config] = await Promise.all([askJson(modelPath(name, version())), askJson(modelPath(name, version(), "config"))]);
      const tensors = {name: "Tensors", content: tensorForm(metadata, version)};
      let form = tensors.content;
      if (takesPictures(metadata)) {
        form = tabList("How to ask", [{name: "Picture", content: pictureForm(askModel(name, version))}, tensors]);
      }
      if (key === shownModel) body.replaceChildren(facts(metadata, config), el("h3", {class: "try"}, "Try it"), form);
    } catch (error) {
      if (key === shownModel) body.replaceChildren(el("p", {class: "callout bad"}, error.message));
    }
  }
  await fill();
}

async function askModels() {
  const index = await askJson("v2/repository/index", {method: "POST"});
  const ready = index.filter(({state}) => state === "READY").length;
  const state = byId("server-state");
  const text = ready === index.length ? "ready" : `${index.length - ready} of ${index.length} not ready`;
  if (state.textContent !== text) {
    state.textContent = text;
    state.className = "state " + (ready === index.length ? "good" : "bad");
  }
  const key = JSON.stringify(index);
  if (key !== shownIndex) {
    served = servedBy(index, await askJson("page/server.json"));
    shownIndex = key;
    const of = byId("live-model"), before = of.value;
    of.replaceChildren(el("option", {value: ""}, "all models"),
      ...[...new Set(index.map(({name}) => name))].map((name) => el("option", {value: name, selected: name === before}, name)));
    showList(byId("models"), served, selected());
  }
  await showModel();
}

function answered(error) {
  const banner = byId("banner");
  banner.hidden = error === null;
  const text = error === null ? "" : error.message;
  if (banner.textContent !== text) banner.textContent = text;
  if (error === null) return;
  byId("server-state").textContent = "no answer";
  byId("server-state").className = "state bad";
}

onTokenWanted(wantToken);
// Without a token there is nothing to see: the question stays.
byId("token-dialog").addEventListener("close", () => wantToken.promise && byId("token-dialog").showModal());
byId("forget-token").hidden = token.get() === null;
byId("forget-token").addEventListener("click", () => {
  token.forget();
  location.reload();
});
byId("skip").addEventListener("click", () => byId("model").focus());
byId("live-model").addEventListener("change", (event) => live.show(event.target.value || null));
window.addEventListener("hashchange", showModel);
// Pictures that are dropped beside the form do not replace the page.
for (const event of ["dragover", "drop"]) window.addEventListener(event, (dropped) => dropped.preventDefault());

askJson("v2").then(({version}) => (byId("version").textContent = version)).catch(() => {});
repeat(3, askModels, answered);
repeat(1, async () => live.add(await askJson("v2/models/stats"), performance.now() / 1000), () => {});
