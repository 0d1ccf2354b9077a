// Pages that Python wrote, opened as files: a motion that plays and can be run on, and a notebook's cell.
//   node saved.mjs PACKAGE FOLDER    FOLDER: run.html, cell.html and last.json ({time, steps}), of test_serve.py
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, saved] = process.argv.slice(2).map((path) => resolve(path));
const puppeteer = createRequire(join(folder, "../npm/package.json"))("puppeteer-core");
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, protocolTimeout: 300000,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND"],
});
const page = await browser.newPage(), errors = [], asked = [];
page.on("pageerror", (e) => errors.push(e.message));
page.on("request", (r) => { if (!/^(file|data|blob|about):/.test(r.url())) asked.push(r.url()); });
await page.setViewport({ width: 640, height: 400 });
const last = JSON.parse(readFileSync(join(saved, "last.json"), "utf8"));

await page.goto(pathToFileURL(join(saved, "run.html")).href);
await page.waitForFunction((n) => window.sinew?.drawn > 0 && sinew.simulation.history.length === n && sinew.simulation.at === n - 1, { timeout: 60000 }, last.steps);
assert.equal(await page.evaluate(() => sinew.simulation.data.time), last.time);
await page.keyboard.press("ArrowRight"); // runs on from the last moment
assert.ok(await page.evaluate((t) => sinew.simulation.data.time > t, last.time));

await page.goto(pathToFileURL(join(saved, "cell.html")).href);
const frame = await (await page.waitForSelector("iframe")).contentFrame();
await frame.waitForFunction(() => window.sinew?.drawn > 0, { timeout: 60000 });
assert.equal(await frame.evaluate(() => sinew.error), null);

assert.deepEqual([errors, asked], [[], []]);
await browser.close();
console.log("saved pages play from files, without a network");
