// The page: a bar, a picture, a timeline, panels.
import { constants, load, SinewError } from "../engine/sinew.js";
import { fill, h, number } from "./dom.js";
import { chosen, collect, dropped, models, save } from "./files.js";
import { Link } from "./link.js";
import { KEYS, keys, listen } from "./mouse.js";
import * as panels from "./panels.js";
import { Plots } from "./plots.js";
import { Picture } from "./scene.js";
import { Simulation } from "./simulation.js";

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];
const icon = (d) => { const t = document.createElement("template"); t.innerHTML = `<svg viewBox="0 0 16 16">${d}</svg>`; return t.content.firstChild; };
const ICONS = {
  play: '<path d="M5 3.5v9l7-4.5z" fill="currentColor"/>', pause: '<path d="M5.5 3.5v9M10.5 3.5v9" stroke-width="2.4"/>',
  step: '<path d="M4 3.5v9l6-4.5zM12.5 3.5v9"/>', back: '<path d="M12 3.5v9L6 8zM3.5 3.5v9"/>', reset: '<path d="M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3"/>',
  sun: '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M3.4 12.6l1.1-1.1M11.5 4.5l1.1-1.1"/>',
  save: '<path d="M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.5h10"/>', open: '<path d="M4 2h5l3 3v9H4zM9 2v3h3"/>', folder: '<path d="M2 12.5v-9h4l1.5 1.8H14v7.2z"/>', hand: '<path d="M8 13.5V3M8 3L5.5 5.5M8 3l2.5 2.5M3 8h10"/>', panel: '<path d="M2.5 3h11v10h-11zM10 3v10"/>',
};

class App {
  constructor(start) {
    this.start = start;
    this.tab = "control";
    this.dirty = true;
    this.pulling = null;
    // for tests and for the console
    window.sinew = this;
  }

  async begin() {
    this.theme(localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    this.engine = await load(await wasm());
    this.picture = new Picture($("view"));
    this.simulation = new Simulation(this.engine);
    this.engine.onwarning = (text) => this.notice(text, true);
    this.plots = new Plots(this.simulation, h("div"));
    this.bar();
    this.timeline();
    this.tabs();
    this.simulation.on("model", () => this.loaded());
    this.simulation.on("warning", (text) => { this.run(false); this.notice(`${text} The simulation is paused.`, true); });
    this.simulation.on("select", (body) => { if (body > 0 && this.tab === "model") this.showObject?.("BODY", body); });
    listen(this);
    keys(this);
    this.drops();
    new ResizeObserver(() => this.resize()).observe($("stage"));
    this.resize();
    this.theme(document.documentElement.dataset.theme);
    await this.first();
    const frame = (time) => { this.frame(time); requestAnimationFrame(frame); };
    requestAnimationFrame(frame);
  }

  // ---- models

  async first() {
    const asked = new URLSearchParams(location.search), { start } = this;
    try {
      if (start.connect) this.link = new Link(new URL(start.connect, location.href.replace(/^http/, "ws")), this);
      else if (start.model) { this.open(start.model.path, unbase(start.model.files)); if (start.states) await this.recorded(start.states); }
      else if (start.served) await this.served();
      else if (asked.get("model")) await this.fetched(new URL(asked.get("model"), location.href));
      else this.open(start.examples[0].path, { [start.examples[0].path]: start.examples[0].text });
    } catch (reason) {
      this.fail(reason);
    }
  }

  open(path, files, ask = {}) {
    this.source = { path, files };
    try {
      this.simulation.load(path, files, ask);
      this.error = null;
      document.title = `${path.split("/").pop()} · Sinew`;
      return true;
    } catch (reason) {
      this.fail(reason);
      return false;
    }
  }

  /** Reads the model again, with its text as it is now. */
  again(ask = this.simulation.ask ?? {}) {
    const same = this.simulation.path === this.source.path;
    const cam = this.simulation.model && this.cameraState();
    if (this.open(this.source.path, this.source.files, ask)) {
      if (cam && same) Object.assign(this.simulation.cam, cam);
      this.notice("loaded");
      if (this.tab === "text") this.panel("text");
      if (this.tab === "physics") this.panel("physics");
    }
  }

  cameraState() { const { type, fixedcamid, trackbodyid, distance, azimuth, elevation } = this.simulation.cam; return type ? {} : { type, fixedcamid, trackbodyid, distance, azimuth, elevation }; }

  openFiles(files) {
    const found = models(files);
    if (!found.length) { this.notice("no model among these files: expected MJCF, URDF or a binary model (.mjb)", true); return; }
    this.found = found;
    this.open(found[0], files);
    this.list();
  }

  /** From the web: what the model names is fetched beside it. */
  async fetched(url) {
    const folder = new URL(".", url), name = decodeURIComponent(url.pathname.split("/").pop());
    const files = await collect(name, async (path) => { const answer = await fetch(new URL(path, folder)); return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null; });
    this.open(name, files);
  }

  /** From `sinew view`: the model's folder, and a word when a file in it changes. */
  async served() {
    const path = this.start.served;
    const read = async () => {
      const files = await collect(path, async (name) => { const answer = await fetch("file/" + name.split("/").map(encodeURIComponent).join("/")); return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null; });
      const cam = this.simulation.model && this.cameraState();
      if (this.open(path, files) && cam) Object.assign(this.simulation.cam, cam);
    };
    await read();
    const socket = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws")));
    socket.onmessage = async () => { this.notice("the model has changed on disk: loaded again"); try { await read(); } catch (reason) { this.fail(reason); } };
    socket.onclose = () => this.notice("sinew view has stopped; the page goes on by itself", true);
  }

  /** A recorded trajectory to play. */
  async recorded(states) {
    const s = this.simulation, numbers = new Float64Array(await unpacked(states)), n = s.data.stateSize;
    s.history = Array.from({ length: numbers.length / n }, (_, i) => numbers.slice(i * n, (i + 1) * n));
    s.recorded = true;
    s.seek(0);
    this.run(true);
  }

  loaded() {
    const s = this.simulation, { model } = s;
    this.camera = null;
    this.picture.use(model);
    this.picture.textured = true;
    this.picture.extent = model.stat.extent;
    this.picture.focus = [...model.stat.center];
    this.plots.begin();
    this.run(this.follow ? false : s.running);
    this.panel(this.tab);
    this.list();
    this.dirty = true;
  }

  fail(reason) {
    this.error = reason instanceof SinewError ? reason : Object.assign(new SinewError(String(reason.message ?? reason)), { stack: reason.stack });
    if (!(reason instanceof SinewError)) console.error(reason);
    if (this.source) this.panel("text");
    this.notice(this.error.message, true);
  }

  attempt(f) { try { f(); } catch (reason) { this.notice(reason.message, true); } }

  // ---- the frame

  resize() {
    const { width, height } = $("stage").getBoundingClientRect();
    if (!width || !height) return;
    this.picture.resize(width, height, Math.min(devicePixelRatio, 2));
    const labels = $("labels");
    labels.width = width * devicePixelRatio; labels.height = height * devicePixelRatio;
    this.dirty = true;
  }

  frame(time) {
    const s = this.simulation, seconds = Math.min(0.1, (time - (this.before ?? time)) / 1000);
    this.before = time;
    if (!s.model) return;
    let moved = false;
    try {
      moved = this.follow ? this.link.frame() : s.advance(seconds) > 0;
      if (s.pert.active) moved = true;
    } catch (reason) {
      this.run(false);
      this.notice(reason.message, true);
    }
    this.sendCamera();
    this.rate = 0.95 * (this.rate ?? 0) + 0.05 * (seconds ? (s.data.time - (this.was ?? s.data.time)) / seconds : 0);
    this.was = s.data.time;
    if (s.recorded && s.running && s.at >= s.history.length - 1) this.run(false);
    if (moved || this.dirty) {
      s.update();
      this.picture.textured = !!s.opt.flags[constants.mjtVisFlag.VIS_TEXTURE];
      this.picture.skins = !!s.opt.flags[constants.mjtVisFlag.VIS_SKIN];
      this.picture.update(this.engine, s.scene, Math.max(20 * s.model.stat.extent, 10));
      this.picture.draw();
      this.labels();
      this.dirty = false;
      this.drawn = (this.drawn ?? 0) + 1;
    }
    if (moved) this.plots.sample();
    if ((this.count = (this.count ?? 0) + 1) % 6 === 0) { this.status(); this.live?.(); this.mark(); if (this.tab === "plots") this.plots.draw(); }
  }

  refresh() { this.dirty = true; this.live?.(); this.mark(); this.status(); }

  labels() {
    const canvas = $("labels"), c = canvas.getContext("2d");
    if (!this.picture.labels.length && !this.labelled) return;
    c.clearRect(0, 0, canvas.width, canvas.height);
    c.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
    const style = getComputedStyle(document.documentElement);
    for (const { text, x, y, z } of this.picture.labels) {
      const at = this.picture.project(x, y, z);
      if (!at) continue;
      c.lineWidth = 3 * devicePixelRatio; c.strokeStyle = style.getPropertyValue("--panel"); c.fillStyle = style.getPropertyValue("--ink");
      c.strokeText(text, at[0] * canvas.width, at[1] * canvas.height);
      c.fillText(text, at[0] * canvas.width, at[1] * canvas.height);
    }
    this.labelled = this.picture.labels.length;
  }

  status() {
    const { data, model } = this.simulation;
    if (!model) return;
    const rows = { Time: `${data.time.toFixed(3)} s`, Speed: this.simulation.running || this.follow ? `${number(Math.max(0, this.rate))} ×` : "paused", Contacts: data.ncon, Hash: data.hash().slice(0, 8) };
    fill($("status"), Object.entries(rows).flatMap(([k, v]) => [h("span", {}, k), h("b", { id: "status-" + k.toLowerCase() }, String(v))]));
  }

  notice(text, bad = false) {
    const place = $("notice");
    place.textContent = text;
    place.className = bad ? "seen bad" : "seen";
    clearTimeout(this.quiet);
    this.quiet = setTimeout(() => { place.className = ""; }, bad ? 6000 : 1800);
  }

  // ---- bar and timeline

  bar() {
    const button = (id, title, picture, f, wide = "") => h(`button.icon${wide}`, { id, title, "aria-label": title, onclick: f }, icon(ICONS[picture]));
    const s = this.simulation;
    this.model = h("select", { id: "model", "aria-label": "model", onchange: () => this.choose(this.model.value) });
    this.speed = h("select", { id: "speed", "aria-label": "speed", onchange: () => { s.speed = +this.speed.value; } }, SPEEDS.map((v) => h("option", { value: v, selected: v === 1 }, `${v} ×`)));
    const files = h("input", { type: "file", multiple: true, hidden: true, id: "files", onchange: async () => { await this.took(chosen(files.files)); files.value = ""; } });
    const folder = h("input", { type: "file", webkitdirectory: true, hidden: true, id: "folder", onchange: async () => { await this.took(chosen(folder.files)); folder.value = ""; } });
    const menu = h("div", { hidden: true },
      h("button", { id: "save-picture", onclick: () => this.savePicture() }, "Picture (PNG)"), h("button", { id: "save-video", onclick: (e) => this.video(e.target) }, "Record video"),
      h("button", { id: "save-state", onclick: () => this.saveState() }, "State (JSON)"), h("button", { id: "save-trajectory", onclick: () => this.saveTrajectory() }, "Trajectory (CSV)"),
      h("button", { id: "save-model", onclick: () => save("model.mjb", this.simulation.model.save()) }, "Model (binary)"));
    const saver = button("save", "Save", "save", (e) => { e.stopPropagation(); menu.hidden = !menu.hidden; });
    document.addEventListener("click", () => { menu.hidden = true; });
    fill($("bar"),
      h("span.brand", {}, "Sinew"), this.model, button("open", "Open files", "open", () => files.click()), files,
      button("open-folder", "Open a folder", "folder", () => folder.click(), ".wide"), folder, h("span.sep"),
      button("reset", "Reset (Backspace)", "reset", () => { s.reset(); this.plots.clear(); this.send({ reset: 1 }); this.refresh(); }),
      button("back", "Step back (←)", "back", () => { this.run(false); s.seek(s.at - 1); this.refresh(); }, ".wide"),
      this.play = button("play", "Run (Space)", "play", () => this.run(!s.running)),
      button("step", "Step (→)", "step", () => { this.run(false); s.single(); this.plots.sample(); this.refresh(); }),
      this.speed, h("span.sep"),
      this.puller = button("pull", "Drag pulls the selected body", "hand", () => { this.pulling = this.pulling ? null : "move"; this.puller.classList.toggle("on", !!this.pulling); }),
      h("span.gap"),
      h("div.menu", {}, saver, menu), button("theme", "Light, dark", "sun", () => this.theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark")),
      button("toggle", "Panel (H)", "panel", () => this.togglePanel(), ".wide"),
      h("button.icon.wide", { id: "keys", title: "Keys (?)", onclick: () => this.help() }, "?"));
    this.list();
  }

  list() {
    if (!this.model) return;
    const own = this.source && !this.start.examples?.some((e) => e.path === this.source.path) ? this.found?.includes(this.source.path) ? this.found : [this.source.path] : [];
    fill(this.model, own.length ? h("optgroup", { label: "Open" }, own.map((p) => h("option", { value: "file " + p, selected: p === this.source.path }, p.split("/").pop()))) : null,
      this.start.examples?.length ? h("optgroup", { label: "Examples" }, this.start.examples.map((e) => h("option", { value: "example " + e.path, selected: e.path === this.source?.path }, e.title))) : null);
  }

  choose(value) {
    const [kind, path] = [value.slice(0, value.indexOf(" ")), value.slice(value.indexOf(" ") + 1)];
    this.follow = false;
    if (kind === "file") { this.open(path, this.source.files); return; }
    const example = this.start.examples.find((e) => e.path === path);
    this.open(path, { [path]: example.text });
    this.simulation.setCamera("free");
  }

  timeline() {
    const s = this.simulation;
    this.scrub = h("input", { type: "range", id: "scrub", min: 0, max: 0, value: 0, step: 1, "aria-label": "history", oninput: () => { const at = +this.scrub.value; this.run(false); s.seek(at); this.dirty = true; this.mark(); this.status(); this.live?.(); } });
    this.moment = h("output", { id: "moment" }, "0");
    fill($("timeline"), h("span", {}, "History"), this.scrub, this.moment);
    s.on("history", () => this.mark());
  }

  mark() {
    const s = this.simulation;
    if (!s.history) return;
    this.scrub.max = s.history.length - 1;
    this.scrub.value = s.at;
    this.moment.textContent = `${s.at} / ${s.history.length - 1}`;
  }

  run(on) {
    this.simulation.running = on && !this.follow;
    if (this.follow) this.send({ run: on });
    fill(this.play, icon(ICONS[on ? "pause" : "play"]));
    this.play.title = on ? "Pause (Space)" : "Run (Space)";
    this.refresh();
  }

  faster(by) {
    const i = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(this.simulation.speed) + by));
    this.simulation.speed = SPEEDS[i];
    this.speed.value = SPEEDS[i];
  }

  nextCamera(by) {
    const s = this.simulation, n = s.model.ncam;
    this.view = ((this.view ?? -1) + 1 + by + n + 1) % (n + 1) - 1;
    s.setCamera(this.view < 0 ? "free" : `fixed ${this.view}`);
    const select = $("camera");
    if (select) select.value = this.view < 0 ? "free" : `fixed ${this.view}`;
  }

  togglePanel() { $("side").hidden = !$("side").hidden; }

  theme(name) {
    document.documentElement.dataset.theme = name;
    try { localStorage.setItem("theme", name); } catch { /* a page from a file may not store */ }
    this.picture?.background.set(name === "dark" ? 0x1d2126 : 0xe9ecef);
    this.dirty = true;
  }

  help() {
    const d = $("help");
    fill(d, h("h2", {}, "Keys and mouse"), h("dl", {}, KEYS.flatMap(([k, v]) => [h("dt", {}, h("kbd", {}, k)), h("dd", {}, v)])), h("p.note", {}, `Sinew ${this.engine.version}`), h("form", { method: "dialog" }, h("button", {}, "Close")));
    d.showModal();
  }

  // ---- panels

  tabs() {
    this.panes = {};
    const names = { control: "Control", draw: "View", physics: "Physics", plots: "Plots", model: "Model", text: "Text" };
    fill($("tabs"), Object.entries(names).map(([key, label]) => h("button", { role: "tab", id: "tab-" + key, onclick: () => this.panel(key) }, label)));
    for (const key in names) this.panes[key] = h(`div.${key}`, { hidden: true });
    this.panes.plots.append(this.plots.place);
    fill($("panel"), Object.values(this.panes));
  }

  panel(key) {
    this.tab = key;
    for (const [name, pane] of Object.entries(this.panes)) {
      pane.hidden = name !== key;
      $("tab-" + name).setAttribute("aria-selected", String(name === key));
    }
    if (key === "text") { panels.text(this, this.panes.text); return; }
    if (!this.simulation.model) return;
    if (key === "control") this.live = panels.controls(this, this.panes.control);
    else this.live = null;
    if (key === "draw") panels.drawing(this, this.panes.draw);
    if (key === "physics") panels.physics(this, this.panes.physics);
    if (key === "model") panels.tree(this, this.panes.model);
    if (key === "plots") this.plots.draw();
  }

  // ---- saving

  savePicture() {
    this.dirty = true;
    this.picture.draw();
    this.picture.canvas.toBlob((blob) => save("sinew.png", blob), "image/png");
  }

  video(button) {
    if (this.recorder) { this.recorder.stop(); return; }
    if (!window.MediaRecorder) { this.notice("this browser records no video", true); return; }
    const pieces = [], recorder = this.recorder = new MediaRecorder(this.picture.canvas.captureStream(60), { videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = (e) => pieces.push(e.data);
    recorder.onstop = () => { this.recorder = null; button.textContent = "Record video"; save("sinew.webm", new Blob(pieces, { type: recorder.mimeType })); };
    recorder.start();
    button.textContent = "Stop recording";
    this.notice("recording; Save, Stop recording ends it");
  }

  saveState() {
    const { data } = this.simulation, pick = ["time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat"];
    const state = Object.fromEntries(pick.map((name) => [name, typeof data[name] === "number" ? data[name] : [...data[name]]]));
    save("state.json", JSON.stringify({ ...state, hash: data.hash() }, null, 1), "application/json");
  }

  // The columns of `sinew run --save`: one row a step.
  saveTrajectory() {
    const s = this.simulation, { model } = s, { nq, nv, na } = model;
    const head = ["time", ...["qpos", "qvel", "act"].flatMap((name, k) => Array.from({ length: [nq, nv, na][k] }, (_, i) => `${name}[${i}]`))];
    const lines = s.history.map((state) => Array.from(state.subarray(0, 1 + nq + nv + na)).join(","));
    save("trajectory.csv", head.join(",") + "\n" + lines.join("\n") + "\n", "text/csv");
  }

  // ---- files

  async took(promise) { try { this.openFiles(await promise); } catch (reason) { this.notice(reason.message, true); } }

  drops() {
    let depth = 0;
    addEventListener("dragenter", (e) => { e.preventDefault(); depth++; $("veil").hidden = false; });
    addEventListener("dragleave", () => { if (--depth <= 0) { depth = 0; $("veil").hidden = true; } });
    addEventListener("dragover", (e) => e.preventDefault());
    addEventListener("drop", (e) => { e.preventDefault(); depth = 0; $("veil").hidden = true; this.took(dropped(e.dataTransfer)); });
  }

  // ---- a program elsewhere

  send(message) { if (this.follow) this.link.send(message); }
  sendPert() {
    if (!this.follow) return;
    const { select, active, active2, localmass, scale, refpos, refquat, refselpos, localpos } = this.simulation.pert;
    this.link.send({ pert: { select, active, active2, localmass, scale, refpos: [...refpos], refquat: [...refquat], refselpos: [...refselpos], localpos: [...localpos] } });
  }
  /** The camera, when it was moved here. */
  sendCamera() {
    if (!this.follow || !this.simulation.model) return;
    const { type, fixedcamid, trackbodyid, lookat, distance, azimuth, elevation } = this.simulation.cam;
    const cam = { type, fixedcamid, trackbodyid, lookat: [...lookat], distance, azimuth, elevation }, text = JSON.stringify(cam);
    if (this.camera && text !== this.camera) this.link.send({ cam });
    this.camera = text;
  }
  sendKey(e) { if (this.follow && this.link.keys) this.link.send({ key: glfw(e) }); }
  toggleKeys() { if (this.link) { this.link.keys = !this.link.keys; this.notice(this.link.keys ? "keys go to the program" : "keys stay here"); } }

  told(message) {
    const s = this.simulation;
    if (message.texts) fill($("texts"), message.texts.map((text) => h("div", {}, text)));
    if (message.overlays) fill($("overlays"), message.overlays.map(({ box: [left, bottom, width, height], png }) => h("img", {
      alt: "", src: `data:image/png;base64,${png}`, style: `left:${left / 12.8}%;bottom:${bottom / 8}%;width:${width / 12.8}%;height:${height / 8}%`,
    })));
    if (message.say) this.notice(message.say, message.bad);
    if (!s.model) return;
    for (const [key, value] of Object.entries(message.cam ?? {})) { if (Array.isArray(value)) s.cam[key].set(value); else s.cam[key] = value; }
    if (message.cam) this.camera = null;
    for (const [key, value] of Object.entries(message.opt ?? {})) { if (Array.isArray(value)) s.opt[key].set(value); else s.opt[key] = value; }
    if (message.geoms) s.extra = unbase64(message.geoms);
    this.dirty = true;
  }
}

// key codes as programs for the documented viewer expect them
function glfw(e) {
  const named = { Enter: 257, Tab: 258, Backspace: 259, Delete: 261, ArrowRight: 262, ArrowLeft: 263, ArrowDown: 264, ArrowUp: 265, Escape: 256, " ": 32 };
  return named[e.key] ?? (e.key.length === 1 ? e.key.toUpperCase().charCodeAt(0) : 0);
}

const unbase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const unbase = (files) => Object.fromEntries(Object.entries(files).map(([name, content]) => [name, unbase64(content)]));

// The engine's bytes, which the page carries, gzipped.
const wasm = () => unpacked(document.getElementById("engine").textContent.trim());

async function unpacked(text) {
  const packed = await fetch("data:application/gzip;base64," + text);
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// What to show: of this page, or as the program that serves it says. Its address has a token.
async function beginning() {
  const start = JSON.parse(document.getElementById("start").textContent);
  if (!/^\/[0-9a-f]{32}\//.test(location.pathname)) return start;
  const answer = await fetch("start.json");
  return answer.ok ? { ...start, ...(await answer.json()) } : start;
}

beginning().then((start) => new App(start).begin()).catch((reason) => { document.getElementById("notice").textContent = reason.message; document.getElementById("notice").className = "seen bad"; console.error(reason); });
