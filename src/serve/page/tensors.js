// SPDX-License-Identifier: Apache-2.0
// A form for an inference request as JSON, and its answer in tables.
import {ask, modelPath} from "./api.js";
import {bytes, el, milliseconds, number, table, unique} from "./dom.js";
import {countOf, filledRequest, inferencePrograms, lines, programsView} from "./programs.js";
import {shapeText} from "./models.js";

const ROWS = 8, COLUMNS = 8, LITERAL = 32;

/// Sizes that models of pictures and of texts usually take where any is possible: one row; lines of text 320 wide,
/// other pictures 64 x 64; sequences of 16.
export function exampleShape(shape) {
  const picture = shape.length === 4;
  return shape.map((size, i) => {
    if (size >= 0) return size;
    if (i === 0) return 1;
    if (picture) return i === 1 ? 3 : i === 3 && shape[2] > 0 ? 320 : 64;
    return 16;
  });
}

export function exampleRequest(metadata) {
  return {inputs: metadata.inputs.map(({name, datatype, shape: any}) => {
    const shape = exampleShape(any), count = countOf(shape);
    const zero = datatype === "BOOL" ? false : 0;
    return {name, datatype, shape, data: count <= LITERAL ? Array(count).fill(zero) : "zeros"};
  })};
}

/// The greatest rows and columns of a tensor's last two dimensions.
function values(name, shape, data) {
  const columns = shape.at(-1) ?? 1, rows = shape.at(-2) ?? 1;
  const shown = Array.from({length: Math.min(rows, ROWS)}, (_, row) =>
    [el("b", {}, row), ...data.slice(row * columns, row * columns + Math.min(columns, COLUMNS)).map((v) =>
      (typeof v === "boolean" ? String(v) : v ?? NaN)), ...(columns > COLUMNS ? ["…"] : [])]);
  if (rows > ROWS) shown.push(["…"]);
  const head = ["", ...Array.from({length: Math.min(columns, COLUMNS)}, (_, i) => i), ...(columns > COLUMNS ? ["…"] : [])];
  return table("Values of " + name, head, shown);
}

function summary(shape, data) {
  let least = Infinity, most = -Infinity, at = 0, sum = 0, finite = 0;
  data.forEach((value, i) => {
    if (typeof value === "boolean") value = Number(value);
    if (typeof value !== "number") return;
    if (value > most) [most, at] = [value, i];
    least = Math.min(least, value);
    sum += value;
    ++finite;
  });
  if (finite === 0) return "";
  const place = [];
  for (let i = shape.length - 1; i >= 0; --i) {
    place.unshift(at % shape[i]);
    at = Math.floor(at / shape[i]);
  }
  return `least ${number(least)} · mean ${number(sum / finite)} · greatest ${number(most)} at [${place.join(", ")}]` +
    (finite < data.length ? ` · ${data.length - finite} not finite` : "");
}

function outputView({name, datatype, shape, data}) {
  const flat = data.flat(Infinity);
  const before = shape.length > 2 ? `, the part [${"0, ".repeat(shape.length - 2)}:, :]` : "";
  return el("section", {class: "output"},
    el("h4", {}, name), el("p", {class: "hint"}, `${datatype}, ${shapeText(shape)}${before}`),
    flat.length > 0 ? values(name, shape, flat) : el("p", {}, "It has no values."),
    el("p", {class: "hint"}, summary(shape, flat)));
}

function rawView(text) {
  const most = 4000;
  return el("details", {}, el("summary", {}, "Answer as JSON"),
    el("pre", {tabindex: "0", "aria-label": "Answer as JSON"},
      text.length > most ? text.slice(0, most) + `\n… ${text.length - most} further characters` : text));
}

/// `version()` is the one to ask, or null for the newest one.
export function tensorForm(metadata, version) {
  const text = el("textarea", {spellcheck: "false", autocapitalize: "off", autocomplete: "off", id: unique("request")});
  const hint = unique("hint"), wrong = el("p", {class: "error", role: "alert", id: unique("error")});
  text.setAttribute("aria-describedby", `${hint} ${wrong.id}`);
  text.value = lines(exampleRequest(metadata));
  text.rows = Math.min(24, text.value.split("\n").length + 1);
  const said = el("p", {class: "hint", role: "status"});
  const result = el("div", {class: "result"});
  const button = el("button", {class: "primary"}, "Send");
  const halves = metadata.inputs.some(({datatype}) => datatype === "FP16" || datatype === "BF16");

  async function send(event) {
    event.preventDefault();
    wrong.textContent = "";
    text.removeAttribute("aria-invalid");
    button.disabled = true;
    said.textContent = "Asking …";
    try {
      let request;
      try {
        request = JSON.parse(text.value);
      } catch (error) {
        throw new Error("This is not JSON: " + error.message);
      }
      if (!Array.isArray(request?.inputs)) throw new Error('The request has no list "inputs".');
      const filled = filledRequest(request);
      const words = filled.inputs.some((input, i) => input !== request.inputs[i]);
      // What was typed is sent as it was typed: JavaScript would round large integers.
      const body = words ? JSON.stringify(filled) : text.value;
      const path = modelPath(metadata.name, version(), "infer");
      const began = performance.now();
      const response = await ask(path, {method: "POST", body, headers: {"Content-Type": "application/json"}});
      const answer = await response.text();
      const took = performance.now() - began;
      const parsed = JSON.parse(answer);
      said.textContent = `Answered in ${milliseconds(took)}, ${bytes(answer.length)}, by version ${parsed.model_version}.`;
      result.replaceChildren(...parsed.outputs.map(outputView), rawView(answer),
        programsView(inferencePrograms(metadata.name, version(), path, request, text.value)));
    } catch (error) {
      said.textContent = "";
      wrong.textContent = error.message;
      text.setAttribute("aria-invalid", "true");
    } finally {
      button.disabled = false;
    }
  }

  const form = el("form", {submit: send},
    el("label", {for: text.id}, "Request"), text,
    el("p", {class: "hint", id: hint}, 'As "data" the page takes a list, or "zeros", "ones" or "random". ' +
      (halves ? "FP16 and BF16 are binary only, which JSON cannot hold: ask from a program. " : "") +
      "Ctrl and Enter send it."),
    wrong, el("div", {class: "actions"}, button, said));
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  return el("div", {}, form, result);
}
