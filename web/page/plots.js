// Curves over the last seconds: one canvas a plot, its numbers kept in rings.
import { fill, h, number } from "./dom.js";

const LENGTH = 600;
const COLORS = ["#2f6fde", "#d9562b", "#1e9a6c", "#a457c9", "#c79a12", "#168fa8", "#cc3d6d", "#6d7a3a"];

export class Plot {
  constructor(title, names, unit = "") {
    this.names = names;
    this.unit = unit;
    this.rows = [];
    this.canvas = h("canvas", { className: "plot" });
    this.legend = h("div.legend", {}, names.slice(0, 8).map((name, i) => h("span", {}, h("i", { style: `background:${COLORS[i % COLORS.length]}` }), name, h("b", {}))),
      names.length > 8 ? h("span", {}, `and ${names.length - 8} more`) : null);
    this.element = h("figure", {}, h("figcaption", {}, title, unit ? h("small", {}, unit) : null), this.canvas, this.legend);
  }

  add(time, values) {
    const last = this.rows.at(-1);
    if (last && time <= last[0]) this.rows = this.rows.filter((row) => row[0] < time);
    this.rows.push([time, ...values]);
    if (this.rows.length > LENGTH) this.rows.shift();
  }

  clear() { this.rows = []; }

  draw() {
    const { canvas, rows } = this, ratio = devicePixelRatio, w = canvas.clientWidth, height = canvas.clientHeight;
    if (!w) return;
    canvas.width = w * ratio; canvas.height = height * ratio;
    const c = canvas.getContext("2d"), style = getComputedStyle(canvas);
    c.scale(ratio, ratio);
    c.font = "10px " + style.fontFamily;
    const ink = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
    if (rows.length < 2) { c.fillStyle = ink; c.fillText("runs with the model", 6, height / 2); return; }
    let low = Infinity, high = -Infinity;
    for (const row of rows) for (let i = 1; i < row.length; i++) { const v = row[i]; if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; } }
    if (!(low <= high)) return;
    if (low === high) { low -= 0.5; high += 0.5; }
    const [t0, t1] = [rows[0][0], rows.at(-1)[0]], left = 44, right = w - 6, top = 6, bottom = height - 14;
    const X = (t) => left + (right - left) * (t - t0) / (t1 - t0 || 1), Y = (v) => bottom - (bottom - top) * (v - low) / (high - low);
    c.strokeStyle = line; c.fillStyle = ink; c.lineWidth = 1; c.textAlign = "right";
    for (let k = 0; k <= 2; k++) {
      const v = low + (high - low) * k / 2, y = Math.round(Y(v)) + 0.5;
      c.beginPath(); c.moveTo(left, y); c.lineTo(right, y); c.stroke();
      c.fillText(number(v), left - 5, y + 3);
    }
    c.textAlign = "left"; c.fillText(`${number(t0)} s`, left, height - 2);
    c.textAlign = "right"; c.fillText(`${number(t1)} s`, right, height - 2);
    c.lineWidth = 1.25; c.lineJoin = "round";
    for (let i = 1; i < rows[0].length; i++) {
      c.strokeStyle = COLORS[(i - 1) % COLORS.length];
      c.beginPath();
      rows.forEach((row, k) => (k ? c.lineTo(X(row[0]), Y(row[i])) : c.moveTo(X(row[0]), Y(row[i]))));
      c.stroke();
    }
    [...this.legend.querySelectorAll("b")].forEach((b, i) => { b.textContent = number(rows.at(-1)[i + 1] ?? 0); });
  }
}

export class Plots {
  constructor(simulation, place) {
    this.simulation = simulation;
    this.place = place;
  }

  begin() {
    const { model, sinew } = this.simulation, obj = sinew.constants.mjtObj;
    this.plots = {
      energy: new Plot("Energy", ["potential", "kinetic", "sum"], "J"),
      counts: new Plot("Contacts and rows", ["contacts", "rows"]),
      solver: new Plot("Solver", ["iterations"]),
      stages: new Plot("Time per stage", ["position", "velocity", "actuation", "constraint", "advance"], "µs"),
    };
    this.sensors = [];
    for (let i = 0; i < model.nsensor; i++) {
      const n = model.sensor_dim[i], name = model.name(obj.OBJ_SENSOR, i) || `sensor ${i}`;
      if (n < 1 || n > 32 || i >= 24) continue;
      const plot = new Plot(name, n === 1 ? [name] : Array.from({ length: n }, (_, k) => (n === 3 ? "xyz"[k] : String(k))));
      this.sensors.push([plot, model.sensor_adr[i], n]);
    }
    this.timers = null;
    fill(this.place, Object.values(this.plots).map((p) => p.element), this.sensors.map(([p]) => p.element),
      model.nsensor ? null : h("p.note", {}, "The model has no sensors."));
  }

  clear() { for (const plot of [...Object.values(this.plots), ...this.sensors.map(([p]) => p)]) plot.clear(); this.timers = null; }

  sample() {
    const { simulation: s, plots } = this, { data } = s, time = data.time;
    if (this.last === time) return;
    this.last = time;
    const [potential, kinetic] = s.energy();
    plots.energy.add(time, [potential, kinetic, potential + kinetic]);
    plots.counts.add(time, [data.ncon, data.nefc]);
    plots.solver.add(time, [data.solver_niter.reduce((a, b) => Math.max(a, b), 0)]);
    const T = s.sinew.constants.mjtTimer, all = data.timer;
    const now = ["POSITION", "VELOCITY", "ACTUATION", "CONSTRAINT", "ADVANCE"].map((name) => { const t = all[T["TIMER_" + name]]; return [t.duration, t.number]; });
    if (this.timers) plots.stages.add(time, now.map(([d, n], i) => (n > this.timers[i][1] ? 1e3 * (d - this.timers[i][0]) / (n - this.timers[i][1]) : 0)));
    this.timers = now;
    const values = data.sensordata;
    for (const [plot, at, n] of this.sensors) plot.add(time, Array.from(values.subarray(at, at + n)));
  }

  draw() {
    if (!this.place.offsetParent) return;
    for (const plot of [...Object.values(this.plots), ...this.sensors.map(([p]) => p)]) plot.draw();
  }
}
