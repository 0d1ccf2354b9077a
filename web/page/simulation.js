// A model that runs: time, history, perturbations, and the engine's abstract view of it.
import { constants } from "../engine/sinew.js";

const { mjtCamera, mjtCatBit, mjtPertBit, mjtTimer } = constants;
const MEMORY = 96e6; // bytes of history

export class Simulation {
  constructor(sinew) {
    this.sinew = sinew;
    this.running = false;
    this.speed = 1;
    this.opt = sinew.struct("mjvOption");
    this.cam = sinew.struct("mjvCamera");
    this.pert = sinew.struct("mjvPerturb");
    sinew.call("mjv_defaultOption", this.opt);
    sinew.call("mjv_defaultPerturb", this.pert);
    sinew.call("bridge_time", 1);
    this.listeners = {};
  }

  on(event, f) { (this.listeners[event] ??= []).push(f); }
  tell(event, ...values) { for (const f of this.listeners[event] ?? []) f(...values); }

  /** Steps the model of these files from now on. Throws, and keeps the old model, when it cannot be read. */
  load(path, files, ask = {}) {
    const { sinew } = this, model = sinew.model(path, files, ask);
    let data;
    try {
      data = model.data();
      sinew.call("mj_forward", model, data);
    } catch (reason) {
      data?.free();
      model.free();
      throw reason;
    }
    this.drop();
    Object.assign(this, { model, data, path, files, ask });
    this.scene = sinew.struct("mjvScene");
    sinew.call("mjv_defaultScene", this.scene);
    sinew.call("mjv_makeScene", model, this.scene, 10000);
    sinew.call("mjv_defaultFreeCamera", model, this.cam);
    sinew.call("mjv_defaultPerturb", this.pert);
    if (model.nkey) data.reset(0);
    data.forward();
    this.begin();
    this.update();
    this.tell("model");
  }

  drop() {
    if (!this.model) return;
    this.sinew.call("mjv_freeScene", this.scene);
    this.scene.free();
    this.data.free();
    this.model.free();
    this.model = this.data = this.scene = null;
  }

  // ---- history: the state after every step, so that any moment can be taken up again exactly

  begin() {
    this.width = this.data.stateSize;
    this.most = Math.max(2, Math.floor(MEMORY / (8 * this.width)));
    this.history = [this.data.state];
    this.dropped = 0;
    this.at = 0;
    this.lag = 0;
    this.tell("history");
  }

  note() {
    if (this.at < this.history.length - 1) this.history.length = this.at + 1;
    this.history.push(this.data.state);
    if (this.history.length > this.most) { this.history.shift(); this.dropped++; }
    this.at = this.history.length - 1;
  }

  /** What was done by hand at this moment: it replaces the moment, and what came after it. */
  touch() {
    this.history.length = this.at;
    this.history.push(this.data.state);
    this.at = this.history.length - 1;
    this.update();
    this.tell("history");
  }

  seek(index) {
    this.at = Math.max(0, Math.min(this.history.length - 1, Math.round(index)));
    this.data.state = this.history[this.at];
    this.data.forward();
    this.update();
    this.tell("history");
  }

  // ---- time

  reset(key) {
    this.data.reset(key);
    this.data.forward();
    this.begin();
    this.update();
  }

  /** One step: of the record, where there is one ahead, else of the engine. */
  step() {
    const { data, model, sinew, pert } = this;
    if (this.at < this.history.length - 1 && !pert.active) {
      data.state = this.history[++this.at];
      this.replayed = true;
      return;
    }
    if (this.replayed) { data.forward(); this.replayed = false; }
    if (pert.select > 0) {
      data.xfrc_applied.fill(0);
      sinew.call("mjv_applyPerturbPose", model, data, pert, 0);
      sinew.call("mjv_applyPerturbForce", model, data, pert);
    }
    const warned = sinew.warnings.length;
    data.step();
    if (sinew.warnings.length > warned) { this.running = false; this.tell("warning", sinew.warnings.at(-1)); }
    this.note();
  }

  /** Steps for so many seconds of the clock, at most `budget` milliseconds long. */
  advance(seconds, budget = 14) {
    const { data, model, sinew, pert } = this;
    if (!this.running) {
      if (pert.active) {
        sinew.call("mjv_applyPerturbPose", model, data, pert, 1);
        data.forward();
        this.history[this.at] = data.state;
      }
      return 0;
    }
    this.lag = Math.min(this.lag + seconds * this.speed, 0.1 * Math.max(this.speed, 1));
    const begin = performance.now(), timestep = model.opt.timestep;
    let steps = 0;
    while (this.lag >= timestep && performance.now() - begin < budget && this.running) {
      this.step();
      this.lag -= timestep;
      steps++;
    }
    if (this.lag > timestep) this.lag = timestep;
    if (steps && this.replayed) { data.forward(); this.replayed = false; }
    this.busy = performance.now() - begin;
    return steps;
  }

  single() {
    this.step();
    if (this.replayed) { this.data.forward(); this.replayed = false; }
    this.update();
    this.tell("history");
  }

  // ---- view

  update() {
    const { sinew, model, data, opt, pert, cam, scene } = this;
    sinew.call("mjv_updateScene", model, data, opt, pert, cam, mjtCatBit.CAT_ALL, scene);
    if (!this.extra?.length) return;
    // geoms of the program's own, behind those of the model
    const size = sinew.sizes.mjvGeom, n = Math.min(Math.floor(this.extra.length / size), scene.maxgeom - scene.ngeom);
    sinew.view("mjtByte", scene.geoms + scene.ngeom * size, n * size).set(this.extra.subarray(0, n * size));
    scene.ngeom += n;
  }

  moveCamera(action, dx, dy) {
    if (this.cam.type === mjtCamera.CAMERA_FIXED) return;
    this.sinew.call("mjv_moveCamera", this.model, action, dx, dy, this.scene, this.cam);
  }

  setCamera(value) {
    const { cam, model } = this;
    if (value === "free") {
      this.sinew.call("mjv_defaultFreeCamera", model, cam);
    } else if (value.startsWith("track")) {
      cam.type = mjtCamera.CAMERA_TRACKING;
      cam.trackbodyid = +value.slice(6);
      cam.fixedcamid = -1;
    } else {
      cam.type = mjtCamera.CAMERA_FIXED;
      cam.fixedcamid = +value.slice(6);
      cam.trackbodyid = -1;
    }
  }

  /** The body under a point of the picture, in shares of its width and height from the lower left. */
  select(x, y, aspect) {
    const { sinew, model, data, opt, scene, pert } = this;
    const point = new Float64Array(3), ids = [new Int32Array(1), new Int32Array(1), new Int32Array(1)];
    const body = sinew.call("mjv_select", model, data, opt, aspect, x, y, scene, point, ...ids);
    const [geom, flex, skin] = ids.map((id) => id[0]);
    if (body < 0) { this.choose(0); return -1; }
    pert.select = body;
    pert.flexselect = flex;
    pert.skinselect = skin;
    pert.active = 0;
    // the point in the frame of the body
    const p = data.xpos.subarray(3 * body, 3 * body + 3), R = data.xmat.subarray(9 * body, 9 * body + 9);
    const d = [0, 1, 2].map((k) => point[k] - p[k]);
    const local = pert.localpos;
    for (let c = 0; c < 3; c++) local[c] = R[c] * d[0] + R[3 + c] * d[1] + R[6 + c] * d[2];
    this.tell("select", body, geom);
    return body;
  }

  choose(body) {
    this.pert.select = body;
    this.pert.active = 0;
    this.pert.flexselect = this.pert.skinselect = -1;
    this.pert.localpos.fill(0);
    this.data.xfrc_applied.fill(0);
    this.tell("select", body, -1);
  }

  /** Begins to pull (mjPERT_TRANSLATE) or turn (mjPERT_ROTATE) the selected body. */
  grab(kind) {
    const { pert, sinew, model, data, scene } = this;
    if (pert.select <= 0) return;
    sinew.call("mjv_initPerturb", model, data, scene, pert);
    pert.active = kind;
  }

  drag(action, dx, dy) {
    this.sinew.call("mjv_movePerturb", this.model, this.data, action, dx, dy, this.scene, this.pert);
  }

  release() {
    if (!this.pert.active) return;
    this.pert.active = 0;
    this.data.xfrc_applied.fill(0);
    if (!this.running) this.touch();
  }

  energy() {
    this.sinew.call("mj_energyPos", this.model, this.data);
    this.sinew.call("mj_energyVel", this.model, this.data);
    return [...this.data.energy];
  }
}

export { mjtPertBit, mjtTimer };
