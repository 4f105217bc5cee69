// SPDX-License-Identifier: Apache-2.0
// What a picture was found to show: drawn over it, and in tables.
import {el, number, table} from "./dom.js";

const percent = (score) => (score === null ? "–" : (100 * score).toFixed(1) + " %");
/// Dark enough for white numbers on it; classes differ.
const colour = (id) => `hsl(${(174 + id * 137) % 360} 75% 27%)`;
const corners = ([left, top, right, bottom]) => [[left, top], [right, top], [right, bottom], [left, bottom]];

/// Outlines to draw, in the order of the table's rows.
function outlines(found) {
  switch (found.task) {
    case "text-detection": return found.boxes.map((box) => ({points: box.polygon ?? box.corners, id: 0}));
    case "text-reading": return found.lines.map(({corners: points, text}) => ({points, id: 0, text}));
    case "object-detection":
    case "instance-segmentation":
      return found.objects.map((object) => ({
        points: object.corners ?? corners(object.box), id: object.id, mask: object.mask, name: object.name,
      }));
    case "layout":
      return found.blocks.map(({label, box}) => ({points: corners(box), id: found.blocks.findIndex((b) => b.label === label), name: label}));
    case "tables": return found.tables.flatMap(({cells}, i) => cells.map((box) => ({points: corners(box), id: i})));
    case "table-structure": return found.cells.map((points) => ({points, id: 0}));
    default: return [];
  }
}

/// The pixels of a mask, which COCO's tools write as the lengths of runs outside and inside, column by column.
function maskCanvas({size: [height, width], counts}, id) {
  const canvas = el("canvas", {width, height}), context = canvas.getContext("2d");
  context.fillStyle = colour(id);
  let place = 0;
  counts.forEach((count, i) => {
    const end = place + count;
    while (i % 2 === 1 && place < end) {
      const x = Math.floor(place / height), y = place % height, run = Math.min(end - place, height - y);
      context.fillRect(x, y, 1, run);
      place += run;
    }
    place = end;
  });
  return canvas;
}

/// The colours of the server's drawings of classes, those of Pascal VOC; class 0 has none.
function classColour(id) {
  const colour = [0, 0, 0];
  for (let bit = 7; id > 0 && bit >= 0; --bit, id >>= 3) colour.forEach((_, i) => (colour[i] |= ((id >> i) & 1) << bit));
  return colour;
}

/// A map of classes, of which each pixel has one.
function mapCanvas({size: [height, width], values}) {
  const canvas = el("canvas", {width, height}), context = canvas.getContext("2d");
  const pixels = context.createImageData(width, height);
  const colours = new Map();
  values.forEach((id, i) => {
    if (id === 0) return;
    if (!colours.has(id)) colours.set(id, [...classColour(id), 128]);
    pixels.data.set(colours.get(id), 4 * i);
  });
  context.putImageData(pixels, 0, 0);
  return canvas;
}

function trace(context, points) {
  context.beginPath();
  points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
  context.closePath();
}

/// A line of text within its box, along the upper edge or, in tall boxes, from top to bottom.
function write(context, [a, b, , d], text) {
  let [origin, along, across] = [a, b, d];
  if (Math.hypot(d[0] - a[0], d[1] - a[1]) > 1.5 * Math.hypot(b[0] - a[0], b[1] - a[1])) [origin, along, across] = [b, null, a];
  if (along === null) along = [b[0] + d[0] - a[0], b[1] + d[1] - a[1]];
  const width = Math.hypot(along[0] - origin[0], along[1] - origin[1]);
  const height = Math.hypot(across[0] - origin[0], across[1] - origin[1]);
  context.save();
  context.translate(...origin);
  context.rotate(Math.atan2(along[1] - origin[1], along[0] - origin[0]));
  context.font = `${Math.max(6, height * 0.72)}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.fillStyle = "#10201e";
  // As wide as what it was read from, within reason.
  const room = width - height * 0.16, stretch = Math.min(1.4, room / Math.max(1, context.measureText(text).width));
  context.translate(height * 0.08, height / 2);
  context.scale(stretch, 1);
  context.fillText(text, 0, 0);
  context.restore();
}

/// Draws the picture with what was found; `marked` is the row that is looked at, `texts` writes the lines of text.
export function draw(canvas, picture, found, {marked = -1, texts = false} = {}) {
  const width = picture.width, height = picture.height;
  const scale = Math.min(1, 1600 / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.drawImage(picture.image, 0, 0, width, height);
  const unit = Math.max(width, height) / 560;
  if (found.drawn) context.drawImage(mapCanvas(found.drawn), 0, 0, width, height);
  const shapes = outlines(found);
  shapes.forEach(({mask, id}, i) => {
    if (!mask) return;
    context.globalAlpha = i === marked ? 0.75 : 0.45;
    context.drawImage(maskCanvas(mask, id), 0, 0);
    context.globalAlpha = 1;
  });
  shapes.forEach(({points, id, text}, i) => {
    trace(context, points);
    if (i === marked || (texts && text)) {
      context.fillStyle = texts && text ? "rgb(255 255 255 / .96)" : "rgb(255 255 255 / .35)";
      context.fill();
    }
    context.lineJoin = "round";
    context.strokeStyle = "#fff";
    context.lineWidth = (i === marked ? 6 : 3.5) * unit;
    context.stroke();
    context.strokeStyle = colour(id);
    context.lineWidth = (i === marked ? 4 : 1.8) * unit;
    context.stroke();
    if (texts && text) write(context, points, text);
  });
  if (!texts) shapes.forEach(({points, id, name}, i) => tag(context, points, id, i + 1 + (name ? " " + name : ""), unit));
  if (found.task === "keypoints") {
    found.keypoints.filter(({score}) => score >= 0.1).forEach(({x, y}, i) => {
      context.beginPath();
      context.arc(x, y, (i === marked ? 7 : 4) * unit, 0, 7);
      context.fillStyle = colour(0);
      context.strokeStyle = "#fff";
      context.lineWidth = 1.5 * unit;
      context.fill();
      context.stroke();
    });
  }
}

/// The number of a row at the upper left corner of its outline.
function tag(context, points, id, text, unit) {
  const left = Math.min(...points.map(([x]) => x)), top = Math.min(...points.map(([, y]) => y));
  context.font = `bold ${11 * unit}px system-ui, sans-serif`;
  const width = context.measureText(text).width + 6 * unit;
  const y = Math.max(0, top - 14 * unit), x = Math.max(0, left);
  context.fillStyle = colour(id);
  context.fillRect(x, y, width, 14 * unit);
  context.fillStyle = "#fff";
  context.textBaseline = "middle";
  context.fillText(text, x + 3 * unit, y + 7.5 * unit);
}

/// Names with bars as long as their shares of one.
function bars(rows) {
  return el("ol", {class: "bars"}, ...rows.map(({name, share, text, colour}) => {
    const bar = el("span", {class: "bar"});
    bar.style.width = 100 * share + "%";
    if (colour) bar.style.background = `rgb(${colour.join(" ")})`;
    if (colour) bar.classList.add("class");
    return el("li", {}, el("span", {class: "name"}, name), el("span", {class: "number"}, text),
      el("span", {class: "track", "aria-hidden": "true"}, bar));
  }));
}

/// A table whose rows mark their outlines while they are pointed at or focused.
function marking(caption, head, rows, mark) {
  const all = table(caption, head, rows);
  [...all.querySelectorAll("tbody tr")].forEach((row, i) => {
    row.tabIndex = 0;
    for (const event of ["pointerenter", "focus"]) row.addEventListener(event, () => mark(i));
    for (const event of ["pointerleave", "blur"]) row.addEventListener(event, () => mark(-1));
  });
  return all;
}

const tableText = (html) => el("pre", {tabindex: "0", "aria-label": "Table as HTML"}, html.replaceAll("<tr>", "\n<tr>"));

/// Its size in a few words, for the line above it.
export function sizeOf(found) {
  const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;
  switch (found.task) {
    case "text-detection": return count(found.boxes.length, "box of text", "boxes of text");
    case "text-reading": return count(found.lines.length, "line of text", "lines of text");
    case "object-detection":
    case "instance-segmentation": return count(found.objects.length, "object", "objects");
    case "layout": return count(found.blocks.length, "region", "regions");
    case "tables": return count(found.tables.length, "table", "tables");
    case "table-structure": return count(found.cells.length, "cell", "cells");
    case "segmentation": return count(found.classes.length, "class", "classes");
    default: return found.task;
  }
}

/// What was found as a table, a list or a text; `mark(row)` is called for rows that are looked at.
export function findingsView(found, mark) {
  switch (found.task) {
    case "classification":
    case "multilabel":
      if (found.labels.length === 0) return el("p", {}, "No class has a score above the threshold.");
      return bars(found.labels.slice(0, 5).map(({name, score}) => ({name, share: score ?? 0, text: percent(score)})));
    case "text-recognition":
      return el("div", {}, el("p", {class: "recognised"}, found.text || "(no text)"),
        el("p", {class: "hint"}, "score " + percent(found.score)));
    case "text-reading":
      return marking("Lines of text", ["", "text", "score"], found.lines.map(({text, score}, i) =>
        [i + 1, text, percent(score)]), mark);
    case "text-detection":
      return marking("Boxes of text", ["", "score", "corners"], found.boxes.map((box, i) =>
        [i + 1, percent(box.score), box.corners.map((p) => `(${p.join(", ")})`).join(" ")]), mark);
    case "object-detection":
    case "instance-segmentation":
      return marking("Objects", ["", "name", "score", "left, top, right, bottom"], found.objects.map((object, i) =>
        [i + 1, object.name, percent(object.score), object.box.map((v) => Math.round(v)).join(", ")]), mark);
    case "keypoints":
      return marking("Points", ["name", "score", "x", "y"], found.keypoints.map(({name, score, x, y}) =>
        [name, percent(score), Math.round(x), Math.round(y)]), mark);
    case "segmentation": {
      const all = found.classes.reduce((sum, {pixels}) => sum + pixels, 0);
      const rows = [...found.classes].sort((a, b) => b.pixels - a.pixels);
      return bars(rows.map(({id, name, pixels}) => ({name, share: pixels / all, text: percent(pixels / all),
        colour: classColour(id)})));
    }
    case "layout":
      return el("div", {}, marking("Regions", ["", "kind", "text"], found.blocks.map(({label, content}, i) =>
        [i + 1, label, content.replace(/<[^>]*>/g, " ").trim().slice(0, 200)]), mark),
        el("details", {}, el("summary", {}, "Markdown"), el("pre", {tabindex: "0", "aria-label": "Markdown"}, found.markdown)));
    case "tables": return el("div", {}, ...found.tables.map(({html}) => tableText(html)));
    case "table-structure": return tableText(found.html);
    case "features":
      return el("p", {}, `A vector of ${found.features.length} numbers: ` +
        found.features.slice(0, 12).map(number).join(", ") + (found.features.length > 12 ? " …" : ""));
    case "anomaly":
      return el("p", {}, (found.map.greatest === undefined ? "" :
        `Greatest score ${number(found.map.greatest)}, mean ${number(found.map.mean)}, `) +
        `${found.map.marked} of ${found.map.width} × ${found.map.height} pixels are marked.`);
    case "upright":
      return el("p", {}, found.angle > 0 ? `The page was turned by ${found.angle}°.` : "The page was not turned.");
    case "unwarping": return el("p", {}, `A flat page of ${found.page.width} × ${found.page.height} pixels.`);
    default: return el("pre", {tabindex: "0", "aria-label": "Answer"}, JSON.stringify(found, null, 2).slice(0, 4000));
  }
}
