// Bundles the page into one file that needs nothing else: script, style, engine, examples.
//   node build.mjs OUT SOURCE EXAMPLES...    OUT has sinew.wasm and npm/node_modules
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync, copyFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";

const [out, source, ...examples] = process.argv.slice(2);
const { buildSync, transformSync } = createRequire(resolve(out, "npm/package.json"))("esbuild");
const bundle = buildSync({
  entryPoints: [join(source, "page/main.js")], bundle: true, minify: true, write: false, format: "iife", target: "es2022",
  nodePaths: [resolve(out, "npm/node_modules")], legalComments: "eof", logLevel: "warning", define: { "import.meta.url": '"file:"' }, external: ["node:fs/promises"],
});
const script = bundle.outputFiles[0].text.replaceAll("</script", "<\\/script");
const style = transformSync(readFileSync(join(source, "page/style.css"), "utf8"), { loader: "css", minify: true }).code;
const engine = gzipSync(readFileSync(join(out, "sinew.wasm")), { level: 9 }).toString("base64");
const titles = { figure: "Figure", walkers: "Walkers", pile: "Pile", gripper: "Gripper", chain: "Chain", cloth: "Cloth", fourbar: "Four-bar linkage", muscles: "Muscles", fish: "Fish", terrain: "Terrain" };
const start = { examples: examples.map((path) => { const name = basename(path, ".xml"); return { path: `${name}.xml`, title: titles[name] ?? name, text: readFileSync(path, "utf8") }; }) };
const json = JSON.stringify(start).replaceAll("<", "\\u003c");
const page = readFileSync(join(source, "page/index.html"), "utf8")
  .replace("/*STYLE*/", () => style)
  .replace("<!--START-->", () => `<script type="application/json" id="start">${json}</script>\n<script type="application/gzip" id="engine">${engine}</script>`)
  .replace("/*SCRIPT*/", () => script);
mkdirSync(join(out, "package"), { recursive: true });
writeFileSync(join(out, "package/page.html"), page);
for (const name of ["sinew.js", "sinew.d.ts", "fields.d.ts", "constants.js"]) { try { copyFileSync(join(source, "engine", name), join(out, "package", name)); } catch { /* written later */ } }
copyFileSync(join(out, "sinew.wasm"), join(out, "package/sinew.wasm"));
// engine and page by themselves, and as the one file that holds both and the examples
const size = (content) => gzipSync(content, { level: 9 }).length, kilo = (bytes) => Math.round(bytes / 1000);
const [engineSize, pageSize, whole] = [size(readFileSync(join(out, "sinew.wasm"))), size(script + style), size(page)];
console.log(`engine ${kilo(engineSize)} kB and page ${kilo(pageSize)} kB gzipped: ${kilo(engineSize + pageSize)} kB; page.html ${kilo(whole)} kB of 1000`);
if (Math.max(engineSize + pageSize, whole) > 1e6) { console.error("more than 1 MB"); process.exit(1); }
