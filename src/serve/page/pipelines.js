// SPDX-License-Identifier: Apache-2.0
// Questions to PaddleX's pipelines, and their answers as findings of pictures.
import {askJson} from "./api.js";
import {base64Programs} from "./programs.js";

const linesOf = ({rec_texts: texts, rec_scores: scores, rec_polys: polygons}) =>
  texts.map((text, i) => ({text, score: scores[i], corners: polygons[i]}));

/// Lengths of runs that COCO's tools have written as text: groups of five bits, the low ones first; from the fourth on less
/// the one before the last.
export function countsOf(text) {
  const counts = [];
  for (let at = 0; at < text.length;) {
    let value = 0, shift = 0, group = 32;
    for (; group & 32; shift += 5) {
      group = text.charCodeAt(at++) - 48;
      value |= (group & 31) << shift;
    }
    if (group & 16) value -= 2 ** shift;
    counts.push(value + (counts.length > 2 ? counts.at(-2) : 0));
  }
  return counts;
}

function objectOf({bbox, categoryId: id, categoryName: name, score, mask}) {
  const xs = bbox.filter((_, i) => i % 2 === 0), ys = bbox.filter((_, i) => i % 2 === 1);
  return {id, name, score, box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
    corners: bbox.length === 8 ? xs.map((x, i) => [x, ys[i]]) : undefined,
    mask: mask && {size: mask.size, counts: countsOf(mask.rleResult)}};
}

const objects = {least: "threshold", read: ({detectedObjects}) =>
  ({found: {task: "object-detection", objects: detectedObjects.map(objectOf)}})};

function mapOf({labelMap, size}) {
  const pixels = new Map();
  for (const id of labelMap) pixels.set(id, (pixels.get(id) ?? 0) + 1);
  return {found: {task: "segmentation", drawn: {size, values: labelMap},
    classes: [...pixels].map(([id, count]) => ({id, name: "class " + id, pixels: count}))}};
}

/// By path: what its least score is called, and what it has found. `page` is the picture, in base64, that has the coordinates, where
/// that is not the one that was sent.
const KINDS = {
  "ocr": {file: true, least: "textRecScoreThresh", read: ({ocrResults: [{prunedResult, docPreprocessingImage: page}]}) =>
    ({found: {task: "text-reading", lines: linesOf(prunedResult)}, page})},
  "layout-parsing": {file: true, least: "textRecScoreThresh", read: ({layoutParsingResults: [{prunedResult, markdown, outputImages}]}) =>
    ({found: {task: "layout", markdown: markdown.text, blocks: prunedResult.parsing_res_list.map((block) =>
      ({label: block.block_label, box: block.block_bbox, content: block.block_content}))}, page: outputImages?.preprocessed_img})},
  "table-recognition": {file: true, least: "textRecScoreThresh", read: ({tableRecResults: [{prunedResult, outputImages}]}) =>
    ({found: {task: "tables", tables: prunedResult.table_res_list.map((table) =>
      ({cells: table.cell_box_list, html: table.pred_html}))}, page: outputImages?.preprocessed_img})},
  "document-preprocessing": {file: true, read: ({docPreprocessingResults: [{prunedResult, outputImage: page}]}) =>
    ({found: {task: "upright", angle: prunedResult.angle}, page})},
  "image-classification": {read: ({categories: labels}) => ({found: {task: "classification", labels}})},
  "multilabel-image-classification": {least: "threshold", read: ({categories: labels}) => ({found: {task: "multilabel", labels}})},
  "object-detection": objects,
  "small-object-detection": objects,
  "rotated-object-detection": objects,
  "instance-segmentation": {least: "threshold", read: ({instances}) =>
    ({found: {task: "instance-segmentation", objects: instances.map(objectOf)}})},
  "semantic-segmentation": {read: mapOf},
  "image-anomaly-detection": {read: ({labelMap, size}) => {
    const values = labelMap.map((value) => Number(value > 0));
    return {found: {task: "anomaly", drawn: {size, values},
      map: {height: size[0], width: size[1], marked: values.reduce((sum, value) => sum + value, 0)}}};
  }},
};

async function base64Of(file) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(new Error("The file cannot be read."));
    reader.readAsDataURL(file);
  });
  return reader.result.slice(reader.result.indexOf(",") + 1);
}

const pictureOf = (base64) => new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);

/// A question to a pipeline, as pictures.js asks them.
export function askPipeline({path, parts}) {
  const kind = KINDS[path], field = kind.file ? "file" : "image";
  // Pages that were turned or made flat have other coordinates than the picture: they come with the answer.
  const turned = Boolean(kind.file) && parts.some(({stage}) => stage === "orientation" || stage === "unwarp");
  return {
    tasks: false, least: kind.least !== undefined,
    async ask(file, {source, least}) {
      const more = {...(kind.file && {fileType: 1}), ...(least !== "" && {[kind.least]: Number(least)}), visualize: turned};
      const body = JSON.stringify({[field]: await base64Of(file), ...more});
      const {result} = await askJson(path, {method: "POST", body, headers: {"Content-Type": "application/json"}});
      const {found, page} = kind.read(result);
      return {found, shown: page ? pictureOf(page) : null, programs: base64Programs(path, field, more, {name: file.name, source})};
    },
  };
}
