// Sinew in JavaScript: the engine as WebAssembly, models and data as typed arrays by the names of
// the documented structs.
//
//   import { load } from "sinew";
//   const sinew = await load();
//   const model = sinew.model("pendulum.xml", { "pendulum.xml": text });
//   const data = model.data();
//   data.step(100);
//   data.qpos;                            // Float64Array over the engine's memory
//   sinew.call("mj_energyPos", model, data);
//
// Views are taken afresh at every access: the engine's memory moves when it grows, so programs keep
// the model and the data, not their arrays. What is no longer needed is given back with `free()`.
import * as constants from "./constants.js";

export { constants };

const ARRAY = {
  mjtNum: Float64Array, float: Float32Array, int: Int32Array, mjtByte: Uint8Array, char: Uint8Array,
  size_t: Uint32Array, uintptr_t: Uint32Array, uint64_t: BigUint64Array,
};
// structs inside of others, by struct and name
const INSIDE = {
  "mjModel.opt": "mjOption", "mjModel.vis": "mjVisual", "mjModel.stat": "mjStatistic",
  "mjData.contact": "mjContact", "mjData.warning": "mjWarningStat", "mjData.timer": "mjTimerStat",
  "mjData.solver": "mjSolverStat", "mjvScene.lights": "mjvLight", "mjvScene.camera": "mjvGLCamera",
  "mjvScene.geoms": "mjvGeom",
};

/** An error of the engine; of a model, with file, line and column where the engine knows them. */
export class SinewError extends Error {
  constructor(text) {
    super(text);
    this.name = "SinewError";
    const place = /(?:^|\s)([^\s:']+\.\w+):(\d+):(\d+)/.exec(text);
    if (place) [this.file, this.line, this.column] = [place[1], +place[2], +place[3]];
  }
}

// Thrown by longjmp (qhull and libpng use it) and caught where setjmp was called.
class LongJump {}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  source ??= new URL("./sinew.wasm", import.meta.url);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (source instanceof URL && source.protocol === "file:" && typeof process !== "undefined") {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
    return WebAssembly.compile(await readFile(source));
  }
  const answer = source instanceof Response ? source : await fetch(source);
  if (!answer.ok) throw new SinewError(`${answer.url}: ${answer.status} ${answer.statusText}`);
  return WebAssembly.compile(await answer.arrayBuffer());
}

/** Loads the engine: from its file beside this module, or from a URL, a Response, bytes or a module. */
export async function load(source) {
  const module = await compile(source);
  const engine = new Sinew();
  const instance = await WebAssembly.instantiate(module, engine.host(module));
  engine.begin(instance);
  return engine;
}

export class Sinew {
  constants = constants;
  // What the engine asks of its host. It has no files but those a model is given, no environment,
  // no threads: what is not here answers "not there".
  host(module) {
    let high = 0;
    const text = (pointer) => this.text(pointer);
    const now = () => globalThis.performance.now();
    const known = {
      bridge_error: (pointer) => { throw new SinewError(text(pointer)); },
      bridge_warning: (pointer) => { this.warn(text(pointer)); },
      bridge_now: now,
      clock_time_get: (id, precision, ...rest) => {
        const at = rest[rest.length - 1];
        new DataView(this.memory.buffer).setBigUint64(at, BigInt(Math.round(now() * 1e6)), true);
        return 0;
      },
      environ_sizes_get: (count, size) => { this.int[count >> 2] = this.int[size >> 2] = 0; return 0; },
      environ_get: () => 0,
      fd_write: (file, pieces, count, written) => {
        let all = "", bytes = 0;
        for (let i = 0; i < count; i++) {
          const [at, n] = [this.int[(pieces >> 2) + 2 * i], this.int[(pieces >> 2) + 2 * i + 1]];
          all += this.text(at, n);
          bytes += n;
        }
        if (all.trim()) this.warn(all.trim());
        this.int[written >> 2] = bytes;
        return 0;
      },
      proc_exit: (code) => { throw new SinewError(`the engine stopped with code ${code}`); },
      emscripten_notify_memory_growth: () => {},
      getTempRet0: () => high,
      setTempRet0: (value) => { high = value; },
      _emscripten_throw_longjmp: () => { throw new LongJump(); },
    };
    const invoke = (index, ...values) => {
      const top = this.exports.stackSave();
      try {
        return this.exports.__indirect_function_table.get(index)(...values);
      } catch (reason) {
        if (!(reason instanceof LongJump)) throw reason;
        this.exports.stackRestore(top);
        this.exports.setThrew(1, 0);
        return 0;
      }
    };
    const NOT_THERE = -44;
    const imports = {};
    for (const { module: room, name } of WebAssembly.Module.imports(module)) {
      imports[room] ??= {};
      imports[room][name] = known[name] ?? (name.startsWith("invoke_") ? invoke : () => NOT_THERE);
    }
    return imports;
  }

  begin(instance) {
    this.exports = instance.exports;
    this.memory = instance.exports.memory;
    this.exports._initialize?.();
    /** Called with every warning of the engine. */
    this.onwarning = null;
    /** The warnings since it was emptied, the last hundred. */
    this.warnings = [];
    this.#fields();
    this.exports.bridge_start();
    this.version = this.text(this.exports.bridge_version());
  }

  warn(text) {
    this.warnings.push(text);
    if (this.warnings.length > 100) this.warnings.shift();
    this.onwarning?.(text);
  }

  get int() {
    if (this.heap?.buffer !== this.memory.buffer) this.heap = new Int32Array(this.memory.buffer);
    return this.heap;
  }

  // ---- memory

  /** The text at an address: up to its end, or so many bytes. */
  text(pointer, bytes) {
    if (!pointer) return null;
    const all = new Uint8Array(this.memory.buffer);
    const end = bytes === undefined ? all.indexOf(0, pointer) : pointer + bytes;
    return new TextDecoder().decode(all.slice(pointer, end));
  }

  /** A view of the engine's memory; `type` as in C: mjtNum, float, int, mjtByte. */
  view(type, pointer, count) { return new ARRAY[type](this.memory.buffer, pointer, count); }

  alloc(bytes) {
    const pointer = this.exports.malloc(bytes);
    if (!pointer) throw new SinewError(`no memory for ${bytes} bytes`);
    return pointer;
  }

  free(pointer) { this.exports.free(pointer); }

  /** Runs `use` with the address of a copy of bytes, text or numbers, which is freed afterwards. */
  with(value, use) {
    const bytes = typeof value === "string" ? new TextEncoder().encode(value + "\0")
      : new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
    const pointer = this.alloc(Math.max(bytes.length, 1));
    try {
      new Uint8Array(this.memory.buffer).set(bytes, pointer);
      return use(pointer);
    } finally {
      this.free(pointer);
    }
  }

  /** Calls a function of the engine by its documented name. Models, data and other structs of the
   *  engine stand for their addresses, texts and typed arrays for copies (results of the call are
   *  copied back into typed arrays). */
  call(name, ...values) {
    const f = this.exports[name];
    if (!f) throw new SinewError(`${name}: not among the functions of the engine for browsers`);
    const top = this.exports.stackSave(), copies = [];
    try {
      const args = values.map((value) => {
        if (value instanceof Struct) return value.address;
        if (typeof value === "string" || ArrayBuffer.isView(value)) {
          const bytes = typeof value === "string" ? new TextEncoder().encode(value + "\0") : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
          const pointer = this.alloc(Math.max(bytes.length, 1));
          copies.push([pointer, bytes, typeof value !== "string"]);
          new Uint8Array(this.memory.buffer).set(bytes, pointer);
          return pointer;
        }
        return value ?? 0;
      });
      return f(...args);
    } catch (reason) {
      this.exports.stackRestore(top);
      if (reason instanceof WebAssembly.RuntimeError) throw new SinewError(`${name}: ${reason.message}`);
      throw reason;
    } finally {
      for (const [pointer, bytes, back] of copies) {
        if (back) bytes.set(new Uint8Array(this.memory.buffer, pointer, bytes.length));
        this.free(pointer);
      }
    }
  }

  // ---- structs

  #fields() {
    const place = this.alloc(4), start = this.exports.bridge_fields(place), count = this.int[place >> 2];
    this.free(place);
    this.sizes = {};
    this.fields = {};
    for (let i = 0; i < count; i++) {
      const at = (start >> 2) + 3 * i;
      const [struct, kind, type, name, rows, columns] = this.text(this.int[at]).split(" ");
      const [offset, number] = [this.int[at + 1], this.int[at + 2]];
      if (kind === "sizeof") { this.sizes[struct] = offset; continue; }
      (this.fields[struct] ??= []).push({ name, kind, type, offset, count: number, rows, columns });
    }
    this.classes = {};
    for (const struct in this.fields) this.classes[struct] = makeClass(this, struct);
  }

  /** A struct of the engine at an address, or a new one, zeroed (given back with `free`). */
  struct(name, address) {
    if (address === undefined) {
      address = this.alloc(this.sizes[name]);
      new Uint8Array(this.memory.buffer, address, this.sizes[name]).fill(0);
    }
    return new this.classes[name](address);
  }

  /** Reads a model: MJCF, URDF or a binary model at `path` among `files`, {path: text or bytes}.
   *  `ask` names what goes beyond the documented interface: {solver: "admm-ncp", friction: "stick"}.
   *  Throws SinewError, with file, line and column of a mistake. */
  model(path, files, ask = {}) {
    const vfs = this.alloc(this.sizes.mjVFS), room = 2000, error = this.alloc(room);
    let m = 0;
    const warned = this.warnings.length;
    this.call("mj_defaultVFS", vfs);
    try {
      for (const [name, content] of Object.entries(files)) {
        const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content.buffer ?? content, content.byteOffset ?? 0, content.byteLength);
        const code = this.call("mj_addBufferVFS", vfs, name, bytes, bytes.length);
        if (code) throw new SinewError(`${name}: not taken into the files of the model`);
      }
      const wishes = Object.entries(ask).map(([name, value]) => `${name}=${value}`).join("\n");
      m = this.call("bridge_load", path, vfs, wishes, error, room);
      const said = this.text(error);
      if (!m) throw new SinewError(said || this.warnings.slice(warned).join("; ") || `${path}: could not be read`);
      if (said) this.warn(said);
    } finally {
      this.call("mj_deleteVFS", vfs);
      this.free(vfs);
      this.free(error);
    }
    return new Model(this, m);
  }

  /** Names in a list of the engine, such as sn_solverName. */
  names(list) {
    const found = [];
    for (let i = 0, name; (name = this.text(this.call(list, i))); i++) found.push(name);
    return found;
  }

  /** 64 bits of hash, as hexadecimal, of numbers by their bits; `before` chains hashes. */
  hash(numbers, before = "0") {
    const place = this.alloc(8);
    try {
      new DataView(this.memory.buffer).setBigUint64(place, BigInt("0x" + before), true);
      this.call("bridge_hash", numbers, numbers.length, place);
      return new DataView(this.memory.buffer).getBigUint64(place, true).toString(16).padStart(16, "0");
    } finally {
      this.free(place);
    }
  }
}

/** A struct of the engine: its members as numbers, its arrays as typed arrays. */
export class Struct {
  constructor(address) { this.address = address; }
  free() { this.engine.free(this.address); this.address = 0; }
}

// One class for each struct, with a property for each field.
function makeClass(engine, struct) {
  class Made extends Struct {}
  Made.prototype.engine = engine;
  const groups = {};
  for (const f of engine.fields[struct]) {
    const inside = INSIDE[`${struct}.${f.name}`], size = inside && engine.sizes[inside];
    const type = ARRAY[f.type], width = type?.BYTES_PER_ELEMENT;
    const extent = (self, text) => text.split("*").reduce((n, part) => n * (/^\d/.test(part) ? +part : engine.extents[part] ?? self[part] ?? self.model?.[part]), 1);
    const list = (start, n) => Array.from({ length: n }, (_, i) => new engine.classes[inside](start + i * size));
    let property;
    if (f.kind === "[]") {
      const length = (self) => extent(self, f.rows) * extent(self, f.columns);
      property = inside ? { get() { return list(engine.int[(this.address + f.offset) >> 2], length(this)); } }
        : { get() { const n = length(this); return n ? new type(engine.memory.buffer, engine.int[(this.address + f.offset) >> 2], n) : new type(0); } };
    } else if (f.kind === "*") {
      property = { get() { return engine.int[(this.address + f.offset) >> 2]; } };
    } else if (inside) {
      property = { get() { return f.count === 1 ? new engine.classes[inside](this.address + f.offset) : list(this.address + f.offset, f.count); } };
    } else if (!type) {
      continue;
    } else if (f.count === 1) {
      property = {
        get() { return new type(engine.memory.buffer, this.address + f.offset, 1)[0]; },
        set(value) { new type(engine.memory.buffer, this.address + f.offset, 1)[0] = value; },
      };
    } else {
      property = { get() { return new type(engine.memory.buffer, this.address + f.offset, f.count); } };
    }
    property.enumerable = true;
    const [group, member] = f.name.split(".");
    if (!member) Object.defineProperty(Made.prototype, f.name, property);
    else (groups[group] ??= {})[member] = property;
  }
  for (const [group, properties] of Object.entries(groups)) {
    Object.defineProperty(Made.prototype, group, {
      get() { return Object.defineProperties({ address: this.address }, properties); },
    });
  }
  return Made;
}

// Factors of columns that the headers name by constants.
Sinew.prototype.extents = {
  mjNEQDATA: 11, mjNREF: 2, mjNIMP: 5, mjNFLUID: 12, mjNTEXROLE: 10, mjNTEXMAT: 10, mjNDYN: 10, mjNGAIN: 10, mjNBIAS: 10, mjNTRN: 6,
};

export class Model extends Struct {
  constructor(engine, address) {
    super(address);
    Object.defineProperty(this, "engine", { value: engine });
    fieldsOf(this, engine, "mjModel");
  }

  /** Makes data for this model. */
  data() { return new Data(this, this.engine.call("mj_makeData", this)); }

  /** The name of an object, "" without one; `type` of mjtObj. */
  name(type, id) { return this.engine.text(this.engine.call("mj_id2name", this, type, id)) ?? ""; }
  id(type, name) { return this.engine.call("mj_name2id", this, type, name); }

  /** The model as the bytes of a binary model. */
  save() {
    const bytes = new Uint8Array(this.engine.call("mj_sizeModel", this));
    this.engine.call("mj_saveModel", this, 0, bytes, bytes.length);
    return bytes;
  }

  free() { if (this.address) this.engine.call("mj_deleteModel", this.address); this.address = 0; }
}

export class Data extends Struct {
  constructor(model, address) {
    super(address);
    Object.defineProperty(this, "model", { value: model });
    Object.defineProperty(this, "engine", { value: model.engine });
    fieldsOf(this, model.engine, "mjData");
    this.STATE = constants.mjtState.STATE_INTEGRATION;
    this.stateSize = model.engine.call("mj_stateSize", model, this.STATE);
    this.statePlace = model.engine.alloc(8 * this.stateSize);
  }

  step(count = 1) {
    const f = this.engine.exports.mj_step, top = this.engine.exports.stackSave();
    try {
      for (let i = 0; i < count; i++) f(this.model.address, this.address);
    } catch (reason) {
      this.engine.exports.stackRestore(top);
      throw reason instanceof WebAssembly.RuntimeError ? new SinewError(`mj_step: ${reason.message}`) : reason;
    }
  }
  forward() { this.engine.call("mj_forward", this.model, this); }
  /** To the model's start, or to a keyframe. */
  reset(key) {
    if (key === undefined) this.engine.call("mj_resetData", this.model, this);
    else this.engine.call("mj_resetDataKeyframe", this.model, this, key);
  }

  /** All that the next step depends on, as a copy: the same state steps to the same bits. */
  get state() {
    this.engine.exports.mj_getState(this.model.address, this.address, this.statePlace, this.STATE);
    return this.engine.view("mjtNum", this.statePlace, this.stateSize).slice();
  }
  set state(values) {
    this.engine.view("mjtNum", this.statePlace, this.stateSize).set(values);
    this.engine.call("mj_setState", this.model, this, this.statePlace, this.STATE);
  }
  /** A hash of time, positions, velocities and activations: the same on every processor. */
  hash() {
    const spec = constants.mjtState.STATE_FULLPHYSICS, size = this.engine.call("mj_stateSize", this.model, spec);
    const numbers = new Float64Array(size);
    this.engine.call("mj_getState", this.model, this, numbers, spec);
    return this.engine.hash(numbers);
  }

  free() {
    if (!this.address) return;
    this.engine.call("mj_deleteData", this.address);
    this.engine.free(this.statePlace);
    this.address = 0;
  }
}

// The properties of a struct's class on an object of another.
function fieldsOf(target, engine, struct) {
  const from = engine.classes[struct].prototype;
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(from))) {
    if (name !== "constructor" && name !== "engine") Object.defineProperty(target, name, property);
  }
}
