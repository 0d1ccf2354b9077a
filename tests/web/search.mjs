// The search of the site (tools/site), without a browser: what stands first for words that people type.
//   node tests/web/search.mjs build/site
import fs from "node:fs";
import vm from "node:vm";
import assert from "node:assert";

const folder = process.argv[2];
const element = () => ({
  children: [], dataset: { up: "" }, hidden: true, value: "", listeners: {},
  addEventListener(kind, act) { this.listeners[kind] = act; },
  replaceChildren(...items) { this.children = items; },
  append(child) { this.children.push(child); },
  querySelector() { return null; },
  classList: { toggle() {} },
});
const byId = {};
const document = {
  getElementById: (id) => (byId[id] ??= element()), createElement: element, body: element(), addEventListener() {}, activeElement: null,
};
const context = vm.createContext({ document, location: {} });
for (const file of ["index.js", "site.js"]) vm.runInContext(fs.readFileSync(`${folder}/${file}`, "utf8"), context, { filename: file });

// places that the search shows for the words, the best first
function found(words) {
  byId.search.value = words;
  byId.search.listeners.input();
  return byId.found.children.map((item) => item.children[0].href);
}

const expected = [
  ["solref", "mjcf.html#body--geom.solref"],
  ["rotor inertia", "mjcf.html#body--joint.armature"],
  ["gear ratio", "mjcf.html#actuator--general.gear"],
  ["collision filter", "mjcf.html#body--geom.contype"],
  ["young's modulus", "mjcf.html#body--flexcomp--elasticity.young"],
  ["gyro", "mjcf.html#sensor--gyro"],
  ["body_mass", "fields.html#mjmodel.body_mass"],
  ["mj_inverse", "functions.html#mj_inverse"],
  ["sinew:loops", "mjcf.html#sinew-texts.sinewloops"],
  ["friction that holds", "holding.html#friction-that-holds"],
];
for (const [words, place] of expected) {
  const places = found(words);
  assert(places.slice(0, 3).includes(place), `'${words}' finds ${places.slice(0, 3).join(", ") || "nothing"}, expected ${place}`);
  const [page, anchor] = place.split("#");
  assert(fs.readFileSync(`${folder}/${page}`, "utf8").includes(`id="${anchor}"`), `${place} is not there`);
}
assert.deepEqual(found("qwertyuiop"), []);
console.log(`search: ${expected.length} questions answered`);
