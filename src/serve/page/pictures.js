// SPDX-License-Identifier: Apache-2.0
// A form for a picture: dropped, chosen, pasted or made here.
import {ask, askJson, modelPath} from "./api.js";
import {bytes, el, milliseconds, unique} from "./dom.js";
import {draw, findingsView, sizeOf} from "./findings.js";
import {filePrograms, programsView} from "./programs.js";

/// Tasks whose answer is a picture: the server draws it.
const DRAWN = ["segmentation", "anomaly", "unwarping"];
/// A picture with some text, for those who have none at hand.
const TEST = "page/test.png";
const TASKS = ["classification", "multilabel", "text-detection", "text-recognition", "object-detection",
  "instance-segmentation", "keypoints", "segmentation", "table-structure", "features", "anomaly", "unwarping"];

/// Whether a model may take pictures: one of its inputs has rows, channels, a height and a width.
export const takesPictures = (metadata) => metadata.inputs.some(({shape}) =>
  shape.length === 4 && [shape[1], shape[3]].some((size) => size === 1 || size === 3 || size === -1));

async function decoded(file) {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
    return {width: image.naturalWidth, height: image.naturalHeight, image};
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

/// A question to a model, or a reader of text, whose task is known. `version()` is the one to ask, or null for the newest one.
/// Questions answer what was found, the picture to show instead of the one that was sent, if there is one, and the lines of
/// programs.
export const askModel = (name, version, reader = false) => ({
  tasks: !reader, least: true,
  async ask(file, {type, source, task, least}) {
    const query = Object.entries({task, threshold: least}).filter(([, value]) => value !== "");
    const path = (more) => {
      const all = new URLSearchParams([...query, ...Object.entries(more)]).toString();
      return modelPath(name, version(), "predict") + (all && "?" + all);
    };
    const options = {method: "POST", body: file, headers: {"Content-Type": type}};
    const found = await askJson(path({}), options);
    const shown = DRAWN.includes(found.task) ? await (await ask(path({draw: "1"}), options)).blob() : null;
    return {found, shown, programs: filePrograms(path({}), {name: file.name, type, source})};
  },
});

/// A form that asks a question of pictures.
export function pictureForm(question) {
  const input = el("input", {type: "file", accept: "image/*", class: "unseen", id: unique("file")});
  const wrong = el("p", {class: "error", role: "alert"});
  const said = el("p", {class: "hint", role: "status"});
  const result = el("div", {class: "result"});
  const task = el("select", {}, el("option", {value: ""}, "as the model says"),
    ...TASKS.map((each) => el("option", {value: each}, each)));
  const least = el("input", {type: "number", min: "0", max: "1", step: "any", placeholder: "usual", size: "6"});
  const test = el("button", {type: "button"}, "Use a test picture");
  const zone = el("div", {class: "zone"}, input,
    el("label", {for: input.id, class: "button primary"}, "Choose a picture"), test,
    el("span", {class: "hint"}, "or drop one here, or paste it"));
  const choices = el("div", {class: "choices"}, question.tasks ? el("label", {class: "inline"}, "Task ", task) : null,
    question.least ? el("label", {class: "inline"}, "Least score ", least) : null);
  let number = 0, last = null;

  /// `source` is where the server has the picture.
  async function send(file, source = null) {
    last = [file, source];
    const own = ++number;
    wrong.textContent = "";
    said.textContent = "Asking …";
    try {
      const type = file.type || "application/octet-stream";
      const began = performance.now();
      const [sent, answer] = await Promise.all([decoded(file), question.ask(file, {type, source, task: task.value, least: least.value})]);
      const took = milliseconds(performance.now() - began), {found} = answer;
      const picture = answer.shown ? await decoded(answer.shown) : sent;
      if (own !== number) return;
      said.textContent = `Answered in ${took}: ${sizeOf(found)}; ${file.name}, ${bytes(file.size)}` +
        (sent ? `, ${sent.width} × ${sent.height} pixels.` : ".");
      result.replaceChildren(answerView(picture, found), programsView(answer.programs, source ? "" :
        `They take ${file.name} from the folder in which they run.`));
    } catch (error) {
      if (own !== number) return;
      said.textContent = "";
      wrong.textContent = error.message;
    }
  }

  input.addEventListener("change", () => {
    if (input.files.length > 0) send(input.files[0]);
    input.value = "";
  });
  test.addEventListener("click", async () => {
    try {
      const blob = await (await ask(TEST)).blob();
      send(new File([blob], "test.png", {type: "image/png"}), TEST);
    } catch (error) {
      wrong.textContent = error.message;
    }
  });
  for (const choice of [task, least]) choice.addEventListener("change", () => last && send(...last));
  const form = el("div", {
    dragover: (event) => {
      event.preventDefault();
      zone.classList.add("over");
    },
    dragleave: () => zone.classList.remove("over"),
    drop: (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      if (event.dataTransfer.files.length > 0) send(event.dataTransfer.files[0]);
    },
  }, zone, choices, wrong, said, result);
  // Pasted pictures are taken wherever the focus is, while the form is seen.
  document.addEventListener("paste", function paste(event) {
    if (!form.isConnected) return document.removeEventListener("paste", paste);
    const file = [...event.clipboardData.files].find(({type}) => type.startsWith("image/"));
    if (file && form.offsetParent !== null) send(file);
  });
  return form;
}

/// The picture with what was found beside it.
function answerView(picture, found) {
  if (picture === null) {
    return el("div", {}, el("p", {class: "hint"}, "The browser does not show pictures of this kind."), findingsView(found, () => {}));
  }
  const canvas = el("canvas", {role: "img", "aria-label": "The picture: " + sizeOf(found)});
  const state = {marked: -1, texts: found.task === "text-reading"};
  const show = () => draw(canvas, picture, found, state);
  const texts = el("input", {type: "checkbox", checked: state.texts, change: () => {
    state.texts = texts.checked;
    show();
  }});
  show();
  return el("div", {class: "answer"},
    el("div", {class: "picture"}, canvas, state.texts ? el("label", {class: "inline"}, texts, " Text over the picture") : null),
    el("div", {class: "found"}, findingsView(found, (row) => {
      state.marked = row;
      show();
    })));
}
