// Mouse, touch and keys on the picture, as the documented viewer has them: drag orbits, right drag
// (or shift) pans, the wheel zooms, a double click selects; with ctrl a drag turns the selected body,
// and a right drag pulls it.
import { constants } from "../engine/sinew.js";

const { mjtMouse, mjtPertBit } = constants;

export function listen(app) {
  const { canvas } = app.picture, points = new Map();
  let pinch = 0, tap = null;

  const place = (e) => {
    const box = canvas.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width, 1 - (e.clientY - box.top) / box.height, box.width / box.height, box.height];
  };

  canvas.addEventListener("pointerdown", (e) => {
    const s = app.simulation;
    if (!s.model) return;
    canvas.focus();
    canvas.setPointerCapture(e.pointerId);
    points.set(e.pointerId, [e.clientX, e.clientY]);
    const again = tap && e.timeStamp - tap.time < 350 && Math.hypot(e.clientX - tap.x, e.clientY - tap.y) < 20;
    tap = { time: e.timeStamp, x: e.clientX, y: e.clientY };
    if (again) {
      const [x, y, aspect] = place(e), body = s.select(x, y, aspect);
      if (e.ctrlKey && body > 0) { s.setCamera(`track ${body}`); }
      tap = null;
      app.held = e.pointerType === "touch" && body > 0; // a finger that stays pulls
      if (app.held) s.grab(mjtPertBit.PERT_TRANSLATE);
      app.refresh();
      return;
    }
    const right = e.button === 2;
    if ((e.ctrlKey || app.pulling) && s.pert.select > 0 && points.size === 1) {
      s.grab(right || app.pulling === "move" ? mjtPertBit.PERT_TRANSLATE : mjtPertBit.PERT_ROTATE);
      app.sendPert();
    }
  });

  canvas.addEventListener("pointermove", (e) => {
    const s = app.simulation, before = points.get(e.pointerId);
    if (!before || !s.model) return;
    const [, , , height] = place(e), dx = (e.clientX - before[0]) / height, dy = (e.clientY - before[1]) / height;
    points.set(e.pointerId, [e.clientX, e.clientY]);
    if (points.size === 2) {
      const [a, b] = [...points.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (pinch) s.moveCamera(mjtMouse.MOUSE_ZOOM, 0, (now - pinch) / height);
      s.moveCamera(mjtMouse.MOUSE_MOVE_V, dx / 2, dy / 2);
      pinch = now;
      return;
    }
    const right = (e.buttons & 2) !== 0, middle = (e.buttons & 4) !== 0, flat = e.shiftKey;
    if (s.pert.active) {
      const move = (s.pert.active & mjtPertBit.PERT_TRANSLATE) !== 0;
      s.drag(move ? (flat ? mjtMouse.MOUSE_MOVE_H : mjtMouse.MOUSE_MOVE_V) : flat ? mjtMouse.MOUSE_ROTATE_H : mjtMouse.MOUSE_ROTATE_V, dx, dy);
      app.sendPert();
    } else {
      s.moveCamera(middle ? mjtMouse.MOUSE_ZOOM : right ? (flat ? mjtMouse.MOUSE_MOVE_H : mjtMouse.MOUSE_MOVE_V) : flat ? mjtMouse.MOUSE_ROTATE_H : mjtMouse.MOUSE_ROTATE_V, dx, dy);
    }
    app.dirty = true;
  });

  const up = (e) => {
    points.delete(e.pointerId);
    pinch = 0;
    if (!points.size) { app.simulation.release(); app.sendPert(); }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    app.simulation.moveCamera(mjtMouse.MOUSE_ZOOM, 0, -0.05 * Math.sign(e.deltaY) * Math.min(3, Math.abs(e.deltaY) / 50));
    app.dirty = true;
  }, { passive: false });
}

export const KEYS = [
  ["Space", "run, pause"], ["→", "one step"], ["←", "one step back in the history"], ["Backspace", "reset"],
  ["+ -", "faster, slower"], ["1 … 9", "keyframe"], ["Esc", "free camera, nothing selected"], ["[ ]", "camera before, next"],
  ["C", "contact points"], ["F", "contact forces"], ["J", "joints"], ["I", "inertia"], ["M", "centre of mass"], ["T", "transparent"],
  ["H", "hide, show the panel"], ["P", "save a picture"], ["K", "keys to the program on, off (passive viewer)"], ["?", "this list"],
  ["double click", "select a body"], ["Ctrl + drag", "turn it"], ["Ctrl + right drag", "pull it"], ["drag, right drag, wheel", "orbit, pan, zoom"],
];

export function keys(app) {
  const flags = { c: "CONTACTPOINT", f: "CONTACTFORCE", j: "JOINT", i: "INERTIA", m: "COM", t: "TRANSPARENT" };
  addEventListener("keydown", (e) => {
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName) && e.target.type !== "range" && e.target.type !== "checkbox") return;
    if (e.ctrlKey || e.metaKey || e.altKey || !app.simulation.model || document.querySelector("dialog[open]")) return;
    const s = app.simulation, key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    app.sendKey(e);
    const does = {
      " ": () => app.run(!s.running), ArrowRight: () => { app.run(false); s.single(); }, ArrowLeft: () => { app.run(false); s.seek(s.at - 1); },
      Backspace: () => s.reset(), "+": () => app.faster(1), "=": () => app.faster(1), "-": () => app.faster(-1),
      Escape: () => { s.choose(0); s.setCamera("free"); }, "]": () => app.nextCamera(1), "[": () => app.nextCamera(-1),
      h: () => app.togglePanel(), p: () => app.savePicture(), "?": () => app.help(), k: () => app.toggleKeys(),
    }[key];
    if (e.target.type === "range" && key.startsWith("Arrow")) return;
    if (does) does();
    else if (flags[key]) { const i = constants.mjtVisFlag["VIS_" + flags[key]]; s.opt.flags[i] ^= 1; app.panel("draw"); }
    else if (/^[1-9]$/.test(key) && +key <= s.model.nkey) s.reset(+key - 1);
    else return;
    e.preventDefault();
    app.refresh();
  });
}
