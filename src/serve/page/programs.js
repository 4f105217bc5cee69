// SPDX-License-Identifier: Apache-2.0
// The lines of the shell and of Python that ask what the page has asked.
import {el, tabList, unique} from "./dom.js";
import {absolute, token} from "./api.js";

const LONG = 3000;
const NUMPY = {BOOL: "bool_", FP16: "float16", FP32: "float32", FP64: "float64"};
const numpyType = (datatype) => "np." + (NUMPY[datatype] ?? datatype.toLowerCase());

/// A word of the shell.
export const shell = (text) => (/^[\w./:@%~-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");

/// JSON with spaces as people write them, in one line.
export function line(value) {
  if (Array.isArray(value)) return "[" + value.map(line).join(", ") + "]";
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return "{" + Object.entries(value).map(([key, v]) => JSON.stringify(key) + ": " + line(v)).join(", ") + "}";
}

/// JSON with a line for each member, but lists of values in one.
export function lines(value, indent = "") {
  const inner = indent + "  ";
  if (Array.isArray(value) && value.some((v) => v !== null && typeof v === "object" && !Array.isArray(v)))
    return "[\n" + value.map((v) => inner + lines(v, inner)).join(",\n") + "\n" + indent + "]";
  if (value === null || typeof value !== "object" || Array.isArray(value)) return line(value);
  return "{\n" + Object.entries(value).map(([key, v]) => inner + JSON.stringify(key) + ": " + lines(v, inner))
    .join(",\n") + "\n" + indent + "}";
}

class Expression {
  constructor(text) {
    this.text = text;
  }
}

export function python(value) {
  if (value instanceof Expression) return value.text;
  if (Array.isArray(value)) return "[" + value.map(python).join(", ") + "]";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  return "{" + Object.entries(value).map(([key, v]) => JSON.stringify(key) + ": " + python(v)).join(", ") + "}";
}

const FILLED = {
  zeros: (count, bool) => (bool ? `[False] * ${count}` : `[0] * ${count}`),
  ones: (count, bool) => (bool ? `[True] * ${count}` : `[1] * ${count}`),
  random: (count, bool, whole) => (bool || whole ? `random.choices([${bool ? "False, True" : "0, 1"}], k=${count})`
    : `[random.random() for _ in range(${count})]`),
};

export const countOf = (shape) => shape.reduce((count, size) => count * size, 1);
const isWhole = (datatype) => datatype.includes("INT");

/// What a request is with lists instead of the words "zeros", "ones" and "random"; without such words it stays as it is.
export function filledRequest(request) {
  const fill = (input) => {
    if (!(input.data in FILLED) || !Array.isArray(input.shape)) return input;
    const count = countOf(input.shape);
    if (!(count <= 1 << 24)) throw new Error(`Input "${input.name}" would have ${count} values, the page makes 16777216.`);
    const random = () => (isWhole(input.datatype) ? Math.round(Math.random()) : Math.random());
    let value = {zeros: () => 0, ones: () => 1, random}[input.data];
    if (input.datatype === "BOOL") value = {zeros: () => false, ones: () => true, random: () => random() < 0.5}[input.data];
    return {...input, data: Array.from({length: count}, value)};
  };
  return {...request, inputs: request.inputs.map(fill)};
}

/// An array of numpy with the values of an input.
function array({datatype, shape, data}) {
  const dims = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  if (data === "zeros" || data === "ones") return `np.${data}(${dims}, ${numpyType(datatype)})`;
  if (data === "random" && (isWhole(datatype) || datatype === "BOOL"))
    return `np.random.default_rng().integers(0, 2, ${dims}).astype(${numpyType(datatype)})`;
  if (data === "random") return `np.random.default_rng().random(${dims}).astype(${numpyType(datatype)})`;
  return `np.array(${python(data.flat(Infinity))}, ${numpyType(datatype)}).reshape(${dims})`;
}

const withToken = () => token.get() !== null;
const curlToken = () => (withToken() ? ' -H "Authorization: Bearer $TOKEN"' : "");
const pythonToken = () => (withToken() ? '"Authorization": "Bearer " + os.environ["TOKEN"]' : "");

function tritonLines(name, version, request) {
  const address = new URL(absolute(""));
  const secure = address.protocol === "https:" ? ", ssl=True" : "";
  const port = address.port || (secure ? "443" : "80");
  const more = (version ? `, model_version=${python(version)}` : "") + (withToken() ? `, headers={${pythonToken()}}` : "");
  return `${withToken() ? "import os\n\n" : ""}import numpy as np
import tritonclient.http as triton
from tritonclient.utils import np_to_triton_dtype

arrays = {${request.inputs.map((input) => `${python(input.name)}: ${array(input)}`).join(",\n          ")}}
inputs = []
for name, array in arrays.items():
    inputs.append(triton.InferInput(name, array.shape, np_to_triton_dtype(array.dtype)))
    inputs[-1].set_data_from_numpy(array)

client = triton.InferenceServerClient(${python(`${address.hostname}:${port}${address.pathname.replace(/\/$/, "")}`)}${secure})
answer = client.infer(${python(name)}, inputs${more})
for output in answer.get_response()["outputs"]:
    print(output["name"], answer.as_numpy(output["name"]))
`;
}

/// Programs that ask for `path` with an inference request, whose data may be words. `text` is how it was written.
export function inferencePrograms(name, version, path, request, text) {
  const url = absolute(path), inputs = request.inputs;
  const words = inputs.some((input) => input.data in FILLED);
  const long = text.length > LONG;
  // What Triton's client has no argument for is sent as JSON.
  const plain = Object.keys(request).every((key) => key === "inputs") && inputs.every((input) =>
    Object.keys(input).every((key) => ["name", "datatype", "shape", "data"].includes(key)));
  const python_request = {...request, inputs: inputs.map((input) => (input.data in FILLED ? {...input,
    data: new Expression(FILLED[input.data](countOf(input.shape), input.datatype === "BOOL", isWhole(input.datatype)))}
    : input))};
  const random = inputs.some((input) => input.data === "random");
  let curl = `curl${curlToken()} ${shell(url)} -d ${shell(line(request))}`;
  if (long) curl = `# request.json is the request as it stands on the page.\ncurl${curlToken()} ${shell(url)} -d @request.json`;
  if (words) {
    const script = `import json${random ? ", random" : ""}; print(json.dumps(${python(python_request)}))`;
    curl = `python3 -c ${shell(script)} |\n  curl${curlToken()} ${shell(url)} -d @-`;
  }
  if (plain && !long) return {curl, Python: tritonLines(name, version, request)};
  const body = long && !words ? 'open("request.json", "rb").read()' : `json.dumps(${python(python_request)}).encode()`;
  return {curl, Python: pythonLines(url, "application/json", body, {imports: random ? ["random"] : []})};
}

/// Lines of Python, without packages that would have to be installed, which send the expression `body`.
function pythonLines(url, type, body, {imports = [], before = "", member = ""} = {}) {
  const modules = ["json", "urllib.request", ...imports, ...(withToken() ? ["os"] : [])].sort();
  const headers = [`"Content-Type": ${python(type)}`, pythonToken()].filter(Boolean).join(", ");
  return `${modules.map((name) => "import " + name).join("\n")}

${before}body = ${body}
request = urllib.request.Request(${python(url)}, body, {${headers}})
print(json.load(urllib.request.urlopen(request))${member})
`;
}

/// What fetches a file that the server has.
function fetchLines(name, source) {
  if (!source) return {curl: "", Python: ""};
  const url = absolute(source);
  return {curl: `curl -s -o ${shell(name)} ${shell(url)}\n`, Python: `urllib.request.urlretrieve(${python(url)}, ${python(name)})\n`};
}

/// Programs that send a file to `path`. The server has it at `source`, if that is given.
export function filePrograms(path, {name, type, source}) {
  const url = absolute(path), before = fetchLines(name, source);
  return {
    curl: `${before.curl}curl${curlToken()} ${shell(url)} -H ${shell("Content-Type: " + type)} --data-binary ${shell("@" + name)}`,
    Python: pythonLines(url, type, `open(${python(name)}, "rb").read()`, {before: before.Python}),
  };
}

/// Programs that send a file in base64 as the member `field` of a request, whose others are `more`.
export function base64Programs(path, field, more, {name, source}) {
  const url = absolute(path), before = fetchLines(name, source);
  const json = "application/json", request = line({[field]: "%s", ...more});
  return {
    curl: `${before.curl}printf ${shell(request)} "$(base64 < ${shell(name)} | tr -d '\\n')" |\n` +
      `  curl${curlToken()} ${shell(url)} -H ${shell("Content-Type: " + json)} -d @-`,
    Python: pythonLines(url, json, `json.dumps(${python({[field]: new Expression("picture"), ...more})}).encode()`, {
      imports: ["base64"], member: '["result"]',
      before: `${before.Python}picture = base64.b64encode(open(${python(name)}, "rb").read()).decode()\n`,
    }),
  };
}

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages that came without TLS from another machine have no clipboard, but may copy what is selected.
  const area = el("textarea", {class: "unseen"});
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("the browser does not allow it");
}

/// `programs` by language.
export function programsView(programs, hint = "") {
  const said = el("span", {class: "hint", role: "status"});
  const tabs = Object.entries(programs).map(([language, text]) => {
    const id = unique("program");
    const button = el("button", {type: "button", "aria-describedby": id, click: async () => {
      try {
        await copy(text);
        said.textContent = "Copied.";
      } catch (error) {
        said.textContent = "Not copied: " + error.message;
      }
      setTimeout(() => (said.textContent = ""), 3000);
    }}, "Copy");
    return {name: language, content: el("div", {class: "program"},
      el("pre", {tabindex: "0", id, "aria-label": language + " lines"}, el("code", {}, text)), button)};
  });
  return el("section", {class: "programs"}, el("div", {class: "heading"}, el("h4", {}, "The same from a program"), said),
    hint ? el("p", {class: "hint"}, hint) : null, tabList("Languages", tabs));
}
