// Files of a model: dropped, chosen, from a zip archive, or fetched from a link.

/** {path: Uint8Array} of what was dropped: files, folders, zip archives. */
export async function dropped(transfer) {
  // all that is asked of the items is asked at once: they are gone after the first wait
  const items = [...transfer.items].filter((item) => item.kind === "file").map((item) => {
    const entry = item.webkitGetAsEntry?.(), folder = entry?.isDirectory ? entry : null;
    return { file: folder ? null : item.getAsFile(), folder, handle: folder && item.getAsFileSystemHandle?.() };
  });
  const files = {};
  for (const { file, folder, handle } of items) {
    if (file) { files[file.name] = await bytesOf(file); continue; }
    // entries of a folder cannot be read by a page that is a file itself, handles can
    const found = await handle?.catch(() => null);
    if (found) await walkHandle(found, "", files);
    else if (folder) await walkEntry(folder, "", files);
  }
  return unpack(files);
}

async function walkHandle(handle, path, files) {
  if (handle.kind === "file") files[path + handle.name] = await bytesOf(await handle.getFile());
  else for await (const inner of handle.values()) await walkHandle(inner, `${path}${handle.name}/`, files);
}

async function walkEntry(entry, path, files) {
  if (entry.isFile) {
    files[path + entry.name] = await bytesOf(await new Promise((yes, no) => entry.file(yes, no)));
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((yes, no) => reader.readEntries(yes, no));
    if (!some.length) break;
    for (const inner of some) await walkEntry(inner, `${path}${entry.name}/`, files);
  }
}

/** The same of files chosen in a dialog. */
export async function chosen(list) {
  const files = {};
  for (const file of list) files[file.webkitRelativePath || file.name] = await bytesOf(file);
  return unpack(files);
}

const bytesOf = async (file) => new Uint8Array(await file.arrayBuffer());

async function unpack(files) {
  const out = {};
  for (const [path, bytes] of Object.entries(files)) {
    if (/\.zip$/i.test(path)) Object.assign(out, await unzip(bytes));
    else out[path] = bytes;
  }
  return out;
}

const LIMIT = 1 << 30;

/** Files of a zip archive: stored or deflated. */
export async function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), files = {};
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("not a zip archive: its directory is missing");
  let at = view.getUint32(end + 16, true), total = 0;
  for (let i = view.getUint16(end + 10, true); i > 0; i--) {
    if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw new Error("zip archive: its directory is broken");
    const method = view.getUint16(at + 10, true), size = view.getUint32(at + 20, true), full = view.getUint32(at + 24, true);
    const [n, extra, comment] = [28, 30, 32].map((k) => view.getUint16(at + k, true));
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + n)), local = view.getUint32(at + 42, true);
    at += 46 + n + extra + comment;
    if (name.endsWith("/") || name.startsWith("__MACOSX/")) continue;
    if ((total += full) > LIMIT) throw new Error("zip archive: more than 1 GB when unpacked");
    const data = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const packed = bytes.subarray(data, data + size);
    if (method === 0) files[name] = packed.slice();
    else if (method === 8) files[name] = await inflate(packed, full);
    else throw new Error(`zip archive: ${name} is packed by method ${method}; expected stored or deflated`);
  }
  return files;
}

async function inflate(bytes, most) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const out = new Uint8Array(await new Response(stream).arrayBuffer());
  if (out.length !== most) throw new Error("zip archive: a file is not as long as the directory says");
  return out;
}

const folderOf = (path) => path.slice(0, path.lastIndexOf("/") + 1);
const join = (folder, name) => {
  const parts = [];
  for (const part of (name.startsWith("/") ? name : folder + name).replaceAll("\\", "/").split("/")) {
    if (part === ".." && parts.length && parts.at(-1) !== "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts.join("/");
};

const isModel = (text) => /<(mujoco|robot)[\s>]/.test(text.slice(0, 20000));

/** The models among files, the likeliest first: scenes before their parts, short paths before long. */
export function models(files) {
  const found = [];
  for (const [path, bytes] of Object.entries(files)) {
    if (/\.mjb$/i.test(path)) found.push([path, 1]);
    if (!/\.(xml|urdf|mjcf)$/i.test(path)) continue;
    const text = new TextDecoder().decode(bytes);
    if (!isModel(text) || /<mujocoinclude/.test(text)) continue;
    found.push([path, (/scene/i.test(path) ? 2 : 0) + (/<include/.test(text) ? 1 : 0) - 0.1 * path.split("/").length]);
  }
  return found.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([path]) => path);
}

/** Fetches a model and what it names, through `get(path)`, which gives bytes or null. */
export async function collect(path, get) {
  const files = {}, missing = new Set();
  const fetchOne = async (name) => {
    if (name in files || missing.has(name)) return files[name];
    const bytes = await get(name);
    if (bytes) files[name] = bytes; else missing.add(name);
    return bytes;
  };
  const main = await fetchOne(path);
  if (!main) throw new Error(`${path}: not found`);
  if (/\.mjb$/i.test(path)) return files;
  const root = folderOf(path);
  const dirs = { mesh: "", texture: "" };
  const names = [];
  const scan = async (bytes) => {
    const text = new TextDecoder().decode(bytes), page = new DOMParser().parseFromString(text, "application/xml");
    for (const c of page.querySelectorAll("compiler")) {
      const asset = c.getAttribute("assetdir");
      if (asset !== null) dirs.mesh = dirs.texture = asset;
      dirs.mesh = c.getAttribute("meshdir") ?? dirs.mesh;
      dirs.texture = c.getAttribute("texturedir") ?? dirs.texture;
    }
    for (const e of page.querySelectorAll("[file],[filename],[fileright],[fileleft],[fileup],[filedown],[filefront],[fileback]")) {
      for (const key of ["file", "filename", "fileright", "fileleft", "fileup", "filedown", "filefront", "fileback"]) {
        const name = e.getAttribute(key);
        if (name === null) continue;
        if (e.tagName === "include" || e.tagName === "model" || e.tagName === "attach") {
          const inner = await fetchOne(join(root, name));
          if (inner) await scan(inner);
        } else names.push([e.tagName === "texture" || e.tagName === "hfield" ? "texture" : "mesh", name.replace(/^package:\/\/[^/]*\//, "")]);
      }
    }
  };
  await scan(main);
  await Promise.all(names.map(async ([kind, name]) => {
    const folder = dirs[kind] ? dirs[kind].replace(/\/?$/, "/") : "";
    if (!(await fetchOne(join(root, folder + name)))) await fetchOne(join(root, name));
  }));
  return files;
}

export function save(name, content, type = "application/octet-stream") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
