// The page of `sinew view` when its process is killed: it says so, goes on by itself, and two pages of one process do so alike.
//   node killed.mjs PACKAGE COMMAND MODEL
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2]), [command, model] = process.argv.slice(3);
const puppeteer = createRequire(join(folder, "../npm/package.json"))("puppeteer-core");
const server = spawn(command, ["view", model, "--no-open"], { env: { ...process.env, SSH_CONNECTION: "10.0.0.1 1 10.0.0.2 22" }, stdio: ["ignore", "pipe", "inherit"] });
let said = "";
await new Promise((done) => server.stdout.on("data", (text) => { said += text; if (said.includes("Ctrl-C")) done(); }));
const address = said.match(/http:\S+/)[0];
assert.match(said, /ssh -N -L \d+:127.0.0.1:\d+ /); // how to see it from another machine
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, protocolTimeout: 300000,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage"],
});
const errors = [], pages = [];
for (let i = 0; i < 2; i++) {
  const page = await browser.newPage();
  page.on("pageerror", (e) => errors.push(e.message));
  await page.setViewport({ width: 640, height: 400 });
  await page.goto(address);
  await page.waitForFunction(() => window.sinew?.drawn > 0 && sinew.simulation, { timeout: 60000 });
  pages.push(page);
}
const gone = once(server, "exit");
server.kill("SIGKILL");
await gone;
for (const page of pages) {
  await page.bringToFront();
  await page.waitForFunction(() => document.body.innerText.includes("sinew view has stopped"), { timeout: 30000 });
  const before = await page.evaluate(() => sinew.simulation.data.time);
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.evaluate((t) => sinew.simulation.data.time > t, before));
}
assert.deepEqual(errors, []);
await browser.close();
console.log("two pages go on when sinew view is killed, and say so");
