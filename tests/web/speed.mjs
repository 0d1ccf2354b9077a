// Speed of the engine for browsers: processor time of a step, once the compiler of node has warmed up.
//   node speed.mjs FOLDER MODEL...    lines "MODEL microseconds"; speed.c is the same for the library
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, ...paths] = process.argv.slice(2);
const { load } = await import(pathToFileURL(join(folder, "sinew.js")));
const sinew = await load(readFileSync(join(folder, "sinew.wasm")));

function files(root, at = root, found = {}) {
  for (const name of readdirSync(at)) {
    const path = join(at, name), info = statSync(path);
    if (info.isDirectory()) files(root, path, found);
    else if (info.size < 3e7) found[relative(root, path)] = readFileSync(path);
  }
  return found;
}

for (const path of paths) {
  const model = sinew.model(basename(path), files(dirname(path))), data = model.data();
  const run = (steps) => {
    if (model.nkey) data.reset(0); else data.reset();
    const begin = process.cpuUsage().user;
    data.step(steps);
    return (process.cpuUsage().user - begin) / steps;
  };
  run(3000);
  let best = Infinity;
  for (let i = 0; i < 12; i++) best = Math.min(best, run(1000));
  console.log(`${path} ${best.toFixed(2)}`);
  data.free();
  model.free();
}
