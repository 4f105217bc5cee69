// SPDX-License-Identifier: Apache-2.0
// What the server's counters say of the last two minutes.
import {Chart} from "./chart.js";
import {bytes} from "./dom.js";

const KEPT_SECONDS = 120;
const LATENCY_SECONDS = 5;  // percentiles are of the requests of so long

/// Counters of one version of a model. They start again when it is loaded again.
const countersOf = (stats) => ({
  answered: stats.inference_stats.success.count, failed: stats.inference_stats.fail.count,
  rows: stats.inference_count, runs: stats.execution_count, waiting: stats.waiting ?? 0,
  latencies: stats.request_ms?.counts ?? [],
});

/// The value below which the part `part` of what was counted is: linear within its bucket, null where nothing was
/// counted. `counts` has one more than `bounds`, which is without a bound.
export function percentile(bounds, counts, part) {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let below = 0;
  for (let i = 0; i < bounds.length; ++i) {
    if (counts[i] > 0 && below + counts[i] >= part * all) {
      const from = i === 0 ? 0 : bounds[i - 1];
      return from + (bounds[i] - from) * ((part * all - below) / counts[i]);
    }
    below += counts[i];
  }
  return bounds.at(-1);
}

export class Live {
  constructor(place) {
    const whole = (value) => (value < 10 ? String(Number(value.toFixed(1))) : String(Math.round(value)));
    this.charts = {
      requests: new Chart("Requests/s", ["ok", "failed"], whole),
      latency: new Chart("Latency in ms", ["p50", "p99"], whole),
      batch: new Chart("Batch size", [""], whole),
      queue: new Chart("Queue length", [""], whole),
      memory: new Chart("Memory", [""], bytes, (value) => 2 ** Math.ceil(Math.log2(value)), 2 ** 20),
    };
    this.kept = [];
    this.model = null;
    this.bounds = [];
    place.append(...Object.values(this.charts).map((chart) => chart.element));
  }

  /// Of one model, or of all where `name` is null.
  show(name) {
    this.model = name;
    this.draw();
  }

  /// The answer to v2/models/stats, and when it came, in seconds.
  add(answer, time) {
    const models = new Map();
    for (const stats of answer.model_stats) {
      models.set(stats.name + "\0" + stats.version, {name: stats.name, ...countersOf(stats)});
      this.bounds = stats.request_ms?.bounds ?? this.bounds;
    }
    this.kept.push({time, models, memory: answer.memory_bytes ?? null});
    while (this.kept[0].time < time - KEPT_SECONDS - LATENCY_SECONDS) this.kept.shift();
    this.draw();
  }

  /// How much counters have grown between two samples.
  grown(before, now) {
    const sum = {answered: 0, failed: 0, rows: 0, runs: 0, waiting: 0, latencies: this.bounds.map(() => 0).concat(0)};
    for (const [key, model] of now.models) {
      if (this.model !== null && model.name !== this.model) continue;
      let old = before.models.get(key);
      if (old !== undefined && old.answered > model.answered) old = undefined;
      for (const name of ["answered", "failed", "rows", "runs"]) sum[name] += model[name] - (old?.[name] ?? 0);
      model.latencies.forEach((count, i) => (sum.latencies[i] += count - (old?.latencies[i] ?? 0)));
      sum.waiting += model.waiting;
    }
    return sum;
  }

  draw() {
    const series = {requests: [], latency: [], batch: [], queue: [], memory: []};
    for (let i = 1; i < this.kept.length; ++i) {
      const now = this.kept[i], before = this.kept[i - 1], time = now.time;
      if (time < this.kept.at(-1).time - KEPT_SECONDS) continue;
      const grown = this.grown(before, now), seconds = Math.max(0.001, now.time - before.time);
      const first = this.kept.find((sample) => sample.time >= time - LATENCY_SECONDS - 0.5);
      const latencies = this.grown(first === now ? before : first, now).latencies;
      series.requests.push({time, values: [grown.answered / seconds, grown.failed / seconds]});
      series.latency.push({time, values: [0.5, 0.99].map((part) => percentile(this.bounds, latencies, part))});
      series.batch.push({time, values: [grown.runs > 0 ? grown.rows / grown.runs : null]});
      series.queue.push({time, values: [grown.waiting]});
      series.memory.push({time, values: [now.memory]});
    }
    for (const [name, samples] of Object.entries(series)) this.charts[name].set(samples);
  }
}
