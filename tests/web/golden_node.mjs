// Trajectories in node against tests/golden/trajectories.txt.
//   node golden_node.mjs FOLDER    of the built engine
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { trajectory } from "./golden.mjs";

const folder = process.argv[2], root = new URL("../../", import.meta.url);
const { load } = await import(pathToFileURL(`${folder}/sinew.js`));
const sinew = await load(readFileSync(`${folder}/sinew.wasm`));
const figure = readFileSync(new URL("../figure.xml", pathToFileURL(`${folder}/`)), "utf8");
let failed = 0, compared = 0;
for (const line of readFileSync(new URL("tests/golden/trajectories.txt", root), "utf8").trim().split("\n")) {
  const [name, expected] = line.split(/\s+/), [model, how] = name.split(":");
  if (how === "maximal" || how === "derive") continue; // not among the functions of the page
  const text = model === "figure" ? figure : readFileSync(new URL(`tests/golden/models/${model}.xml`, root), "utf8");
  const begin = performance.now(), hash = trajectory(sinew, `${model}.xml`, { [`${model}.xml`]: text }, how);
  if (process.argv[3]) console.log(name, ((performance.now() - begin)).toFixed(0), "ms");
  compared++;
  if (hash !== expected) { failed++; console.log(`${name}: ${hash} in node, ${expected} expected`); }
}
console.log(`${compared - failed} of ${compared} trajectories of 1000 steps in node, the same bits`);
process.exit(failed ? 1 : 0);
