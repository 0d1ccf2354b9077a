// The panels: controls and joints, what is drawn, physics, the model's tree, its text.
import { check, choice, entry, fill, h, number, section, slider } from "./dom.js";

const named = (model, type, id, kind) => model.name(type, id) || `${kind} ${id}`;

// ---- controls

export function controls(app, place) {
  const { simulation: s } = app, { model, data, sinew } = s, { mjtObj, mjtJoint } = sinew.constants;
  const rows = [];
  const live = [];
  const act = [];
  for (let i = 0; i < model.nu; i++) {
    const limited = model.actuator_ctrllimited[i], range = model.actuator_ctrlrange;
    const [low, high] = limited ? [range[2 * i], range[2 * i + 1]] : [-1, 1];
    const row = slider(named(model, mjtObj.OBJ_ACTUATOR, i, "actuator"), {
      low, high, value: data.ctrl[i], home: 0, set: (x) => { s.data.ctrl[i] = x; s.touch(); app.send({ ctrl: [i, x] }); },
    });
    live.push(() => row.show(s.data.ctrl[i]));
    act.push(row);
  }
  if (act.length) rows.push(section("Controls", h("div.row", {}, h("button", { onclick: () => { data.ctrl.fill(0); s.touch(); app.refresh(); } }, "All zero")), act));
  const joints = [];
  for (let i = 0; i < model.njnt; i++) {
    const type = model.jnt_type[i];
    if (type !== mjtJoint.JNT_HINGE && type !== mjtJoint.JNT_SLIDE) continue;
    const at = model.jnt_qposadr[i], hinge = type === mjtJoint.JNT_HINGE, range = model.jnt_range;
    const [low, high] = model.jnt_limited[i] ? [range[2 * i], range[2 * i + 1]] : hinge ? [-Math.PI, Math.PI] : [-1, 1];
    const row = slider(named(model, mjtObj.OBJ_JOINT, i, "joint"), {
      low, high, value: data.qpos[at], home: model.qpos0[at], unit: hinge ? "rad" : "m",
      set: (x) => { s.data.qpos[at] = x; s.data.forward(); s.touch(); app.send({ qpos: [at, x] }); },
    });
    live.push(() => row.show(s.data.qpos[at]));
    joints.push(row);
  }
  if (joints.length) rows.push(section("Joints", joints));
  const equalities = [];
  for (let i = 0; i < model.neq; i++) {
    const row = check(named(model, mjtObj.OBJ_EQUALITY, i, "equality"), data.eq_active[i], (on) => { s.data.eq_active[i] = on ? 1 : 0; s.touch(); app.send({ eq: [i, on] }); });
    live.push(() => { row.input.checked = !!s.data.eq_active[i]; });
    equalities.push(row);
  }
  if (equalities.length) rows.push(section("Equalities", equalities));
  const keys = Array.from({ length: model.nkey }, (_, i) => h("button", { onclick: () => { s.reset(i); app.refresh(); } }, named(model, mjtObj.OBJ_KEY, i, "key")));
  if (keys.length) rows.unshift(section("Keyframes", h("div.row", {}, keys)));
  if (!rows.length) rows.push(h("p.note", {}, "Nothing to move: the model has no actuators, joints or equalities."));
  fill(place, rows);
  return () => live.forEach((f) => f());
}

// ---- what is drawn

const FLAGS = [
  ["Physics", [["CONTACTPOINT", "Contact points"], ["CONTACTFORCE", "Contact forces"], ["CONTACTSPLIT", "Split in normal and friction"], ["CONSTRAINT", "Constraint errors"], ["PERTFORCE", "Perturbation force"], ["PERTOBJ", "Perturbed object"], ["INERTIA", "Inertia"], ["SCLINERTIA", "Inertia scaled by mass"], ["COM", "Centre of mass"], ["ISLAND", "Islands"]]],
  ["Model", [["JOINT", "Joints"], ["ACTUATOR", "Actuators"], ["ACTIVATION", "Activations"], ["TENDON", "Tendons"], ["CAMERA", "Cameras"], ["LIGHT", "Lights"], ["RANGEFINDER", "Range finders"], ["AUTOCONNECT", "Lines between joints"]]],
  ["Surfaces", [["STATIC", "Static bodies"], ["TRANSPARENT", "Transparent"], ["TEXTURE", "Textures"], ["CONVEXHULL", "Convex hulls"], ["SKIN", "Skins"], ["FLEXFACE", "Flex faces"], ["FLEXSKIN", "Flex skins"], ["FLEXEDGE", "Flex edges"], ["FLEXVERT", "Flex vertices"], ["BODYBVH", "Bounding volumes"]]],
];

export function drawing(app, place) {
  const { simulation: s, picture } = app, { opt, model, sinew } = s, { mjtVisFlag, mjtLabel, mjtFrame, mjtObj } = sinew.constants;
  const redraw = () => app.refresh();
  const cameras = [["free", "Free"], ...Array.from({ length: model.nbody - 1 }, (_, i) => [`track ${i + 1}`, `Track ${named(model, mjtObj.OBJ_BODY, i + 1, "body")}`]),
    ...Array.from({ length: model.ncam }, (_, i) => [`fixed ${i}`, `Camera ${named(model, mjtObj.OBJ_CAMERA, i, "")}`])];
  const words = (list, skip) => Object.entries(list).filter(([k]) => !k.startsWith("N")).map(([k, v]) => [v, k.slice(skip).toLowerCase().replace(/^./, (c) => c.toUpperCase())]);
  const group = (label, key) => h("div.groups", {}, h("span", {}, label), [0, 1, 2, 3, 4, 5].map((g) => {
    const b = h("button", { type: "button", className: opt[key][g] ? "on" : "", "aria-pressed": String(!!opt[key][g]), title: `${label}, group ${g}`, onclick: () => {
      opt[key][g] ^= 1; b.classList.toggle("on"); b.setAttribute("aria-pressed", String(!!opt[key][g])); redraw();
    } }, String(g));
    return b;
  }));
  const camera = choice("Camera", cameras, "free", (value) => { s.setCamera(value); redraw(); });
  camera.input.id = "camera";
  fill(place,
    section("View", camera,
      choice("Labels", words(mjtLabel, 6), opt.label, (v) => { opt.label = +v; redraw(); }),
      choice("Frames", words(mjtFrame, 6), opt.frame, (v) => { opt.frame = +v; redraw(); }),
      h("div.pairs", {}, check("Shadows", picture.shadows, (on) => { picture.shadows = on; redraw(); }),
        check("Reflections", picture.reflections, (on) => { picture.reflections = on; redraw(); }),
        check("Wireframe", picture.wire, (on) => { picture.wire = on; redraw(); }),
        check("Sky", picture.skyOn !== false, (on) => { picture.skyOn = on; redraw(); }))),
    section("Groups", h("div.row", {},
      h("button", { title: "Geoms that collide: groups 3 to 5", onclick: () => { for (let g = 0; g < 6; g++) opt.geomgroup[g] = g >= 3 ? 1 : 0; drawing(app, place); redraw(); } }, "Collision"),
      h("button", { title: "Geoms that are seen: groups 0 to 2", onclick: () => { for (let g = 0; g < 6; g++) opt.geomgroup[g] = g < 3 ? 1 : 0; drawing(app, place); redraw(); } }, "Visual")),
      group("Geoms", "geomgroup"), group("Sites", "sitegroup"), group("Joints", "jointgroup"), group("Tendons", "tendongroup"), group("Actuators", "actuatorgroup")),
    FLAGS.map(([title, flags]) => section(title, h("div.pairs", {}, flags.map(([name, label]) => {
      const i = mjtVisFlag["VIS_" + name];
      const row = check(label, opt.flags[i], (on) => { opt.flags[i] = on ? 1 : 0; redraw(); });
      row.input.dataset.flag = name;
      return row;
    })))));
}

// ---- physics

const words = (text) => text.toLowerCase().replace(/^./, (c) => c.toUpperCase());

export function physics(app, place) {
  const { simulation: s } = app, { model, data, sinew } = s, { opt } = model, c = sinew.constants;
  const list = (from, skip) => Object.entries(from).filter(([k]) => !/^N/.test(k)).map(([k, v]) => [v, words(k.slice(skip))]);
  const changed = () => { s.data.forward(); s.touch(); };
  const set = (key) => (v) => { s.model.opt[key] = +v; changed(); };
  const solvers = sinew.names("sn_solverName"), hard = sinew.text(sinew.call("sn_getSolver", model, data));
  const impact = sinew.text(sinew.call("sn_getImpact", model, data));
  const ask = (name) => (value) => app.again({ ...s.ask, [name]: value });
  const flags = (from, key) => Object.entries(from).filter(([k]) => !/^N/.test(k)).map(([name, bit]) =>
    check(words(name.slice(5)), opt[key] & bit, (on) => { s.model.opt[key] = on ? s.model.opt[key] | bit : s.model.opt[key] & ~bit; changed(); }));
  const contact = choice("Contact", [["soft", "soft (as documented)"], ...solvers.map((n) => [n, `hard: ${n}`])], hard, (name) => {
    app.attempt(() => { sinew.call("sn_setSolver", s.model, s.data, name); changed(); physics(app, place); });
  });
  contact.input.id = "contact";
  fill(place,
    section("Step", entry("Timestep (s)", opt.timestep, (x) => { if (x > 0) { s.model.opt.timestep = x; changed(); } }),
      choice("Integrator", list(c.mjtIntegrator, 4), opt.integrator, set("integrator"))),
    section("Contact", contact,
      hard !== "soft" ? choice("Impacts", sinew.names("sn_impactName").map((n) => [n, n]), impact, (name) => app.attempt(() => { sinew.call("sn_setImpact", s.model, s.data, name); changed(); })) : null,
      choice("Friction", [["soft", "soft (as documented)"], ["stick", "stick: holds its place"]], s.ask.friction ?? "soft", ask("friction")),
      choice("Loops", [["soft", "soft (as documented)"], ["closed", "closed to rounding"]], s.ask.loops ?? "soft", ask("loops")),
      choice("Cone", list(c.mjtCone, 5), opt.cone, set("cone")),
      entry("Friction to normal", opt.impratio, set("impratio"), "impratio")),
    section("Solver", choice("Method", list(c.mjtSolver, 4), opt.solver, set("solver")),
      entry("Iterations", opt.iterations, set("iterations")), entry("Tolerance", opt.tolerance, set("tolerance"))),
    section("World", h("div.triple", {}, ["x", "y", "z"].map((axis, i) => entry(`Gravity ${axis}`, opt.gravity[i], (x) => { s.model.opt.gravity[i] = x; changed(); }))),
      entry("Density", opt.density, set("density")), entry("Viscosity", opt.viscosity, set("viscosity"))),
    section("Left out", h("div.pairs", {}, flags(c.mjtDisableBit, "disableflags"))),
    section("Put in", h("div.pairs", {}, flags(c.mjtEnableBit, "enableflags"))));
}

// ---- the model's tree

const KINDS = [ // mjtObj, size, prefix of fields in mjModel, title
  ["BODY", "nbody", "body", "Bodies"], ["JOINT", "njnt", "jnt", "Joints"], ["GEOM", "ngeom", "geom", "Geoms"], ["SITE", "nsite", "site", "Sites"],
  ["ACTUATOR", "nu", "actuator", "Actuators"], ["SENSOR", "nsensor", "sensor", "Sensors"], ["TENDON", "ntendon", "tendon", "Tendons"], ["EQUALITY", "neq", "eq", "Equalities"],
  ["CAMERA", "ncam", "cam", "Cameras"], ["LIGHT", "nlight", "light", "Lights"], ["MATERIAL", "nmat", "mat", "Materials"], ["TEXTURE", "ntex", "tex", "Textures"], ["MESH", "nmesh", "mesh", "Meshes"],
  ["HFIELD", "nhfield", "hfield", "Height fields"], ["FLEX", "nflex", "flex", "Flexes"], ["SKIN", "nskin", "skin", "Skins"], ["KEY", "nkey", "key", "Keyframes"], ["NUMERIC", "nnumeric", "numeric", "Numerics"], ["TEXT", "ntext", "text", "Texts"], ["PAIR", "npair", "pair", "Pairs"], ["EXCLUDE", "nexclude", "exclude", "Excludes"],
];

export function tree(app, place) {
  const { simulation: s } = app, { model, sinew } = s, { mjtObj } = sinew.constants;
  const fields = h("div.fields", {}, h("p.note", {}, "Choose an object to see its fields. Numbers in boxes can be changed while the model runs."));
  const kindOf = Object.fromEntries(KINDS.map((k) => [k[0], k]));
  const show = (kind, id) => { app.shown = [kind, id]; showFields(app, fields, kindOf[kind], id); if (kind === "BODY" && id > 0) { s.pert.select = id; app.refresh(); } };
  const leaf = (kind, id) => h("button.leaf", { onclick: () => show(kind, id) }, h("em", {}, kind.toLowerCase()), named(model, mjtObj["OBJ_" + kind], id, ""));
  const inner = Array.from({ length: model.nbody }, () => []);
  for (let i = 1; i < model.nbody; i++) inner[model.body_parentid[i]].push(i);
  const branch = (body, depth) => {
    const own = [];
    for (let k = 0; k < model.body_jntnum[body]; k++) own.push(leaf("JOINT", model.body_jntadr[body] + k));
    for (let k = 0; k < model.body_geomnum[body]; k++) own.push(leaf("GEOM", model.body_geomadr[body] + k));
    for (let k = 0; k < model.nsite; k++) if (model.site_bodyid[k] === body) own.push(leaf("SITE", k));
    return h("details", { open: depth < 1 }, h("summary", {}, leaf("BODY", body)), own, depth < 200 ? inner[body].map((b) => branch(b, depth + 1)) : null);
  };
  const rest = KINDS.filter(([kind, size]) => !["BODY", "JOINT", "GEOM", "SITE"].includes(kind) && model[size] > 0)
    .map(([kind, size, , title]) => h("details", {}, h("summary", {}, `${title} `, h("small", {}, String(model[size]))), Array.from({ length: Math.min(model[size], 500) }, (_, i) => leaf(kind, i))));
  const counts = h("p.note", {}, `${model.nbody - 1} bodies, ${model.nv} degrees of freedom, ${model.ngeom} geoms, ${model.nu} actuators, ${model.nsensor} sensors`);
  fill(place, counts, h("div.tree", {}, branch(0, 0), rest), fields);
  app.showObject = show;
  if (app.shown && model[kindOf[app.shown[0]][1]] > app.shown[1]) show(...app.shown);
}

// Index fields lead to other objects; changing them is refused by the engine.
function showFields(app, place, [kind, size, prefix], id) {
  const { simulation: s } = app, { model, data, sinew } = s;
  const table = [];
  const put = (from, f, owner, editable) => {
    const all = owner()[f.name], rows = from[f.rows] ?? model[f.rows], width = rows ? all.length / rows : 0;
    if (!width || width > 24) return;
    const values = Array.from(all.subarray(id * width, (id + 1) * width));
    const text = f.type === "mjtNum" || f.type === "float";
    const cells = values.map((v, k) => (editable && text
      ? h("input", { value: number(v), "aria-label": `${f.name} ${k}`, onchange: (e) => {
        const x = Number(e.target.value), wrong = !Number.isFinite(x) || e.target.value.trim() === "";
        e.target.classList.toggle("wrong", wrong);
        if (!wrong) { owner()[f.name][id * width + k] = x; s.data.forward(); s.touch(); app.refresh(); }
      } })
      : h("span", {}, number(v))));
    table.push(h("tr", {}, h("th", { title: f.name }, f.name.slice(f.name.startsWith(prefix + "_") ? prefix.length + 1 : 0)), h("td", {}, cells)));
  };
  for (const f of sinew.fields.mjModel) if (f.kind === "[]" && f.rows === size && f.name.startsWith(prefix + "_")) put(model, f, () => s.model, true);
  const now = table.length;
  for (const f of sinew.fields.mjData) if (f.kind === "[]" && f.rows === size && f.type !== "struct") put(data, f, () => s.data, false);
  const name = named(model, sinew.constants.mjtObj["OBJ_" + kind], id, kind.toLowerCase());
  fill(place, h("h3", {}, `${name} `, h("small", {}, `${kind.toLowerCase()} ${id}`)),
    h("table", {}, h("tbody", {}, table.slice(0, now))), table.length > now ? [h("h4", {}, "now"), h("table", {}, h("tbody", {}, table.slice(now)))] : null);
}

// ---- the model's text

export function text(app, place) {
  const { files, path } = app.source ?? { files: {}, path: "" };
  const names = Object.keys(files).filter((name) => /\.(xml|urdf|mjcf|txt)$/i.test(name));
  if (!names.length) { fill(place, h("p.note", {}, path ? `${path} is a binary model: it has no text.` : "No model yet.")); return; }
  const wrong = app.error, current = wrong?.file && names.find((n) => n === wrong.file || n.endsWith("/" + wrong.file)) || app.editing && names.includes(app.editing) && app.editing || (names.includes(path) ? path : names[0]);
  app.editing = current;
  const content = typeof files[current] === "string" ? files[current] : new TextDecoder().decode(files[current]);
  const gutter = h("pre.gutter", { "aria-hidden": "true" });
  const area = h("textarea", {
    value: content, spellcheck: false, wrap: "off", "aria-label": `text of ${current}`,
    oninput: () => { files[current] = area.value; lines(); },
    onscroll: () => { gutter.scrollTop = area.scrollTop; },
    onkeydown: (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); app.again(); } e.stopPropagation(); },
  });
  const here = wrong?.line && (!wrong.file || current === wrong.file || current.endsWith("/" + wrong.file));
  const lines = () => fill(gutter, area.value.split("\n").map((_, i) => h("span", { className: here && i + 1 === wrong.line ? "bad" : "" }, `${i + 1}\n`)));
  lines();
  const select = h("select", { "aria-label": "file", onchange: () => { app.editing = select.value; app.error = null; text(app, place); } }, names.map((n) => h("option", { value: n, selected: n === current }, n)));
  const message = wrong ? h("div.message", { role: "alert", id: "error" }, h("b", {}, wrong.line ? `line ${wrong.line}, column ${wrong.column}` : "could not be loaded"), h("span", {}, wrong.message)) : null;
  fill(place, h("div.row", {}, select, h("button.primary", { id: "reload", title: "Ctrl+Enter", onclick: () => app.again() }, "Reload")), message, h("div.editor", {}, gutter, area));
  if (here) {
    const before = content.split("\n").slice(0, wrong.line - 1).join("\n").length + (wrong.line > 1 ? 1 : 0) + Math.max(0, wrong.column - 1);
    area.setSelectionRange(before, before);
    area.scrollTop = Math.max(0, (wrong.line - 6) * 18);
    gutter.scrollTop = area.scrollTop;
  }
}
