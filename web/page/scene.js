// Draws the engine's abstract scene (mjvScene) with three.js: the engine says what is shown and
// where, this file has shapes and materials for it.
import * as THREE from "three";
import { constants } from "../engine/sinew.js";
import { mirror, Mirrors, reflecting } from "./mirror.js";

const G = constants.mjtGeom;
const PI = Math.PI;

// Colours are used as the model gives them, as the documented renderer does.
THREE.ColorManagement.enabled = false;

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.world = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(45, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.ambient = new THREE.AmbientLight(0xffffff, 0);
    this.world.add(this.ambient);
    this.pool = [];
    this.lights = [];
    this.shapes = new Map();
    this.shadows = true;
    this.reflections = true;
    this.mirrors = new Mirrors();
    this.wire = false;
    this.background = new THREE.Color(0.93, 0.94, 0.95);
  }

  resize(width, height, ratio) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
  }

  // ---- what a model brings: shapes of meshes and height fields, textures

  use(model) {
    for (const entry of this.pool) { this.world.remove(entry.mesh); entry.mesh.material.dispose(); }
    for (const shape of this.shapes.values()) shape.dispose();
    for (const texture of this.textures ?? []) texture?.dispose?.();
    this.pool = [];
    this.shapes.clear();
    this.model = model;
    this.textures = [];
    for (const item of this.loose ?? []) { this.world.remove(item); item.geometry.dispose(); item.material.dispose(); }
    this.loose = [];
    this.mirrors.dispose();
    this.sky = null;
    for (let i = 0; i < model.ntex; i++) this.textures.push(this.texture(i));
  }

  pixels(i, skip, width, height) {
    const m = this.model, n = m.tex_nchannel[i], from = m.tex_data, at = m.tex_adr[i] + skip * n;
    const out = new Uint8Array(width * height * 4);
    for (let k = 0; k < width * height; k++) {
      for (let c = 0; c < 3; c++) out[4 * k + c] = from[at + k * n + (n >= 3 ? c : 0)];
      out[4 * k + 3] = n === 4 ? from[at + k * n + 3] : 255;
    }
    return out;
  }

  texture(i) {
    const m = this.model, width = m.tex_width[i], height = m.tex_height[i], type = m.tex_type[i];
    const plain = type === constants.mjtTexture.TEXTURE_2D;
    const rows = plain ? height : Math.min(width, height);
    const finish = (t) => {
      t.wrapS = t.wrapT = THREE.RepeatWrapping;
      t.magFilter = THREE.LinearFilter;
      t.minFilter = THREE.LinearMipmapLinearFilter;
      t.generateMipmaps = true;
      t.anisotropy = 8;
      t.needsUpdate = true;
      return t;
    };
    if (!plain) {
      // faces right, left, up, down, front, back of a box whose up is y
      const face = (k) => this.pixels(i, height > width ? k * width * width : 0, width, rows);
      const cube = new THREE.CubeTexture([0, 1, 2, 3, 4, 5].map((k) => {
        const t = new THREE.DataTexture(face(k), width, rows);
        t.needsUpdate = true;
        return t;
      }));
      cube.magFilter = cube.minFilter = THREE.LinearFilter;
      cube.needsUpdate = true;
      if (type === constants.mjtTexture.TEXTURE_SKYBOX) this.sky ??= cube;
      return cube;
    }
    return finish(new THREE.DataTexture(this.pixels(i, 0, width, rows), width, rows));
  }

  // ---- shapes

  shape(key, make) {
    if (!this.shapes.has(key)) this.shapes.set(key, make());
    return this.shapes.get(key);
  }

  meshShape(id) {
    const m = this.model, mesh = id >> 1, hull = id & 1;
    const start = m.mesh_vertadr[mesh], vert = m.mesh_vert, position = [], normal = [], uv = [];
    if (hull && m.mesh_graphadr[mesh] >= 0) {
      const g = m.mesh_graph, at = m.mesh_graphadr[mesh], nv = g[at], nf = g[at + 1];
      const faces = at + 2 + 2 * nv + nv + 3 * nf;
      for (let k = 0; k < 3 * nf; k++) for (let c = 0; c < 3; c++) position.push(vert[3 * (start + g[faces + k]) + c]);
    } else {
      const face = m.mesh_face, faceNormal = m.mesh_facenormal, faceUv = m.mesh_facetexcoord;
      const normals = m.mesh_normal, texcoords = m.mesh_texcoord;
      const nadr = m.mesh_normaladr[mesh], tadr = m.mesh_texcoordadr[mesh];
      const first = 3 * m.mesh_faceadr[mesh], n = 3 * m.mesh_facenum[mesh];
      for (let k = first; k < first + n; k++) {
        for (let c = 0; c < 3; c++) {
          position.push(vert[3 * (start + face[k]) + c]);
          normal.push(normals[3 * (nadr + faceNormal[k]) + c]);
        }
        if (tadr >= 0) uv.push(texcoords[2 * (tadr + faceUv[k])], texcoords[2 * (tadr + faceUv[k]) + 1]);
      }
    }
    return triangles(position, normal, uv);
  }

  fieldShape(id) {
    const m = this.model, rows = m.hfield_nrow[id], columns = m.hfield_ncol[id], at = m.hfield_adr[id];
    const [x, y, z, base] = m.hfield_size.subarray(4 * id, 4 * id + 4), data = m.hfield_data;
    const corner = (r, c) => [x * (2 * c / (columns - 1) - 1), y * (2 * r / (rows - 1) - 1), z * data[at + r * columns + c]];
    const position = [], quad = (a, b, c, d) => position.push(...a, ...b, ...c, ...a, ...c, ...d);
    const down = (p) => [p[0], p[1], -base];
    for (let r = 0; r + 1 < rows; r++) {
      for (let c = 0; c + 1 < columns; c++) quad(corner(r, c), corner(r, c + 1), corner(r + 1, c + 1), corner(r + 1, c));
    }
    for (let c = 0; c + 1 < columns; c++) {
      quad(down(corner(0, c)), down(corner(0, c + 1)), corner(0, c + 1), corner(0, c));
      quad(corner(rows - 1, c), corner(rows - 1, c + 1), down(corner(rows - 1, c + 1)), down(corner(rows - 1, c)));
    }
    for (let r = 0; r + 1 < rows; r++) {
      quad(corner(r, 0), corner(r + 1, 0), down(corner(r + 1, 0)), down(corner(r, 0)));
      quad(down(corner(r, columns - 1)), down(corner(r + 1, columns - 1)), corner(r + 1, columns - 1), corner(r, columns - 1));
    }
    return triangles(position, [], []);
  }

  // The shape of a scene geom and the scale it is drawn with.
  geometry(type, dataid, size) {
    const [a, b, c] = size;
    switch (type) {
      case G.GEOM_SPHERE: return [this.shape("ball", () => new THREE.SphereGeometry(1, 32, 20).rotateX(PI / 2)), a, a, a];
      case G.GEOM_ELLIPSOID: return [this.shape("ball", () => new THREE.SphereGeometry(1, 32, 20).rotateX(PI / 2)), a, b, c];
      case G.GEOM_BOX: return [this.shape("box", () => new THREE.BoxGeometry(2, 2, 2)), a, b, c];
      case G.GEOM_LINEBOX: return [this.shape("linebox", () => new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2))), a, b, c];
      case G.GEOM_CYLINDER: return [this.shape("rod", () => new THREE.CylinderGeometry(1, 1, 2, 32).rotateX(PI / 2)), a, a, c];
      case G.GEOM_CAPSULE: {
        const ratio = Math.round(1e3 * c / a) / 1e3;  // half length in radii
        return [this.shape(`capsule ${ratio}`, () => new THREE.CapsuleGeometry(1, 2 * ratio, 10, 28).rotateX(PI / 2)), a, a, a];
      }
      case G.GEOM_PLANE: return [this.shape("plane", () => new THREE.PlaneGeometry(2, 2)), a || 1, b || 1, 1];
      case G.GEOM_MESH: case G.GEOM_SDF: return [this.shape(`mesh ${dataid}`, () => this.meshShape(dataid)), 1, 1, 1];
      case G.GEOM_HFIELD: return [this.shape(`field ${dataid}`, () => this.fieldShape(dataid)), 1, 1, 1];
      case G.GEOM_ARROW: return [this.shape("arrow", () => arrow(1)), a, b, 2 * c];
      case G.GEOM_ARROW1: return [this.shape("arrow1", () => arrow(0)), a, b, 2 * c];
      case G.GEOM_ARROW2: return [this.shape("arrow2", () => arrow(2)), a, b, 2 * c];
      case G.GEOM_LINE: return [this.shape("line", () => new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, 1)])), 1, 1, 2 * c];
      case G.GEOM_TRIANGLE: return [this.shape("triangle", () => triangles([0, 0, 0, 1, 0, 0, 0, 1, 0], [], [])), a, b, 1];
      default: return [null];
    }
  }

  // ---- a frame

  update(sinew, scene, reach) {
    const f = this.offsets ??= offsets(sinew), stride = sinew.sizes.mjvGeom, n = scene.ngeom, start = scene.geoms;
    const ints = new Int32Array(sinew.memory.buffer), floats = new Float32Array(sinew.memory.buffer);
    const bytes = new Uint8Array(sinew.memory.buffer);
    this.labels = [];
    this.surfaces = []; // that reflect
    let used = 0;
    for (let i = 0; i < n; i++) {
      const at = (start + i * stride) >> 2, type = ints[at + f.type];
      const size = [floats[at + f.size], floats[at + f.size + 1], floats[at + f.size + 2]];
      const label = start + i * stride + f.label;
      if (bytes[label]) {
        this.labels.push({ text: sinew.text(label), x: floats[at + f.pos], y: floats[at + f.pos + 1], z: floats[at + f.pos + 2] });
      }
      const [shape, sx, sy, sz] = this.geometry(type, ints[at + f.dataid], size);
      if (!shape) continue;
      const line = type === G.GEOM_LINE || type === G.GEOM_LINEBOX;
      const entry = this.entry(used++, line);
      const mesh = entry.mesh;
      if (mesh.geometry !== shape) mesh.geometry = shape;
      let [wide, long] = [sx, sy];
      const infinite = type === G.GEOM_PLANE && !(size[0] > 0 && size[1] > 0);
      if (infinite) wide = long = reach;
      const R = floats.subarray(at + f.mat, at + f.mat + 9), e = mesh.matrix.elements;
      for (let r = 0; r < 3; r++) {
        e[r] = R[3 * r] * wide; e[4 + r] = R[3 * r + 1] * long; e[8 + r] = R[3 * r + 2] * sz;
        e[12 + r] = floats[at + f.pos + r];
      }
      e[3] = e[7] = e[11] = 0; e[15] = 1;
      mesh.matrixWorldNeedsUpdate = true;
      mesh.visible = true;
      const decor = ints[at + f.category] === constants.mjtCatBit.CAT_DECOR;
      mesh.castShadow = !decor && type !== G.GEOM_PLANE && floats[at + f.rgba + 3] > 0.5;
      mesh.receiveShadow = !decor;
      const reflectance = type === G.GEOM_PLANE || type === G.GEOM_BOX ? floats[at + f.reflectance] : 0;
      if (reflectance > 0) this.surfaces.push({ mesh, reflectance: Math.min(reflectance, 1), half: type === G.GEOM_BOX ? sz : 0 });
      this.paint(entry, line, floats.subarray(at + f.rgba, at + f.rgba + 8), ints[at + f.matid], type, infinite, [wide, long, sz], size[2], reflectance > 0);
      entry.object = [ints[at + f.objtype], ints[at + f.objid]];
    }
    for (let i = used; i < this.pool.length; i++) this.pool[i].mesh.visible = false;
    this.updateLoose(sinew, scene);
    this.updateLights(scene);
    this.updateCamera(scene);
  }

  entry(i, line) {
    let entry = this.pool[i];
    if (entry && entry.line === line) return entry;
    if (entry) { this.world.remove(entry.mesh); entry.mesh.material.dispose(); }
    const material = line ? new THREE.LineBasicMaterial() : new THREE.MeshPhongMaterial();
    const mesh = line ? new THREE.LineSegments(undefined, material) : new THREE.Mesh(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    this.world.add(mesh);
    return this.pool[i] = { mesh, line, look: "" };
  }

  paint(entry, line, v, matid, type, infinite, size, half, reflects) {
    const material = entry.mesh.material, [r, g, b, alpha, emission, specular, shininess] = v;
    const bare = type === G.GEOM_PLANE && matid < 0 && r === 0.5 && g === 0.5 && b === 0.5;
    material.color.setRGB(...(bare ? [0.72, 0.74, 0.77] : [r, g, b]));
    material.opacity = alpha;
    const clear = alpha < 0.999;
    if (material.transparent !== clear) { material.transparent = clear; material.depthWrite = !clear; material.needsUpdate = true; }
    if (line) return;
    material.emissive.setRGB(r * emission, g * emission, b * emission);
    material.specular.setScalar(0.16 * specular);
    material.shininess = Math.max(1, 100 * shininess);
    material.wireframe = this.wire;
    const look = ((matid >= 0 || bare) && this.textured ? `${matid} ${type} ${size}` : "") + (reflects ? " mirror" : "");
    if (look === entry.look) return;
    entry.look = look;
    material.map?.dispose();
    material.map = null;
    material.userData.mirror = reflects ? mirror() : null;
    dress(material, null);
    material.side = type === G.GEOM_PLANE || type === G.GEOM_TRIANGLE ? THREE.DoubleSide : THREE.FrontSide;
    const textured = this.textured && matid >= 0;
    if (this.textured && bare) {
      const map = this.grid().clone();
      map.repeat.set(2 * size[0], 2 * size[1]);
      map.offset.set(-map.repeat.x / 2 % 1, -map.repeat.y / 2 % 1);
      material.map = map;
    } else if (textured) {
      const m = this.model, roles = constants.mjtTextureRole.NTEXROLE ?? 10;
      let id = m.mat_texid[matid * roles + constants.mjtTextureRole.TEXROLE_RGB];
      if (id < 0) id = m.mat_texid[matid * roles + (constants.mjtTextureRole.TEXROLE_RGBA ?? 8)];
      const texture = id >= 0 && this.textures[id];
      if (texture?.isCubeTexture && type !== G.GEOM_MESH) {
        // in units of the geom's size, unless the texture is uniform; a capsule's shape is in radii
        const shape = type === G.GEOM_CAPSULE ? [1, 1, size[0] / half] : [1, 1, 1];
        dress(material, texture, m.mat_texuniform[matid] ? size : shape);
      } else if (texture && !texture.isCubeTexture) {
        const map = texture.clone();
        const uniform = m.mat_texuniform[matid] || infinite, [rx, ry] = m.mat_texrepeat.subarray(2 * matid, 2 * matid + 2);
        const flat = m.tex_type[id] === constants.mjtTexture.TEXTURE_2D;
        const across = flat && type !== G.GEOM_MESH;
        map.repeat.set(across ? rx * (uniform ? 2 * size[0] : 1) : 1, across ? ry * (uniform ? 2 * size[1] : 1) : 1);
        if (type === G.GEOM_PLANE) map.offset.set(-map.repeat.x / 2 % 1, -map.repeat.y / 2 % 1);
        map.needsUpdate = true;
        material.map = map;
      }
    }
    material.needsUpdate = true;
  }

  // Flexes and skins: triangles that the engine makes anew for every frame.
  updateLoose(sinew, scene) {
    const m = this.model, wanted = [];
    const floats = (pointer, at, n) => sinew.view("float", pointer + 4 * at, n);
    if (scene.flexskinopt || scene.flexfaceopt) {
      for (let i = 0; i < scene.nflex; i++) {
        const at = sinew.int[(scene.flexfaceadr >> 2) + i], n = sinew.int[(scene.flexfaceused >> 2) + i];
        if (n > 0) wanted.push({ position: floats(scene.flexface, 9 * at, 9 * n), normal: floats(scene.flexnormal, 9 * at, 9 * n), rgba: m.flex_rgba.subarray(4 * i, 4 * i + 4) });
      }
    }
    if (scene.nskin && this.skins !== false) {
      for (let i = 0; i < scene.nskin; i++) {
        const at = sinew.int[(scene.skinvertadr >> 2) + i], n = sinew.int[(scene.skinvertnum >> 2) + i];
        const first = 3 * m.skin_faceadr[i];
        wanted.push({ position: floats(scene.skinvert, 3 * at, 3 * n), normal: floats(scene.skinnormal, 3 * at, 3 * n), rgba: m.skin_rgba.subarray(4 * i, 4 * i + 4), index: m.skin_face.subarray(first, first + 3 * m.skin_facenum[i]) });
      }
    }
    wanted.forEach((w, i) => {
      let mesh = this.loose[i];
      if (!mesh || mesh.geometry.attributes.position.array.length !== w.position.length) {
        if (mesh) { this.world.remove(mesh); mesh.geometry.dispose(); mesh.material.dispose(); }
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", new THREE.BufferAttribute(new Float32Array(w.position.length), 3));
        g.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(w.position.length), 3));
        if (w.index) g.setIndex(Array.from(w.index));
        mesh = this.loose[i] = new THREE.Mesh(g, new THREE.MeshPhongMaterial({ side: THREE.DoubleSide, specular: 0x222222 }));
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.frustumCulled = false;
        this.world.add(mesh);
      }
      mesh.visible = true;
      mesh.geometry.attributes.position.array.set(w.position);
      mesh.geometry.attributes.normal.array.set(w.normal);
      mesh.geometry.attributes.position.needsUpdate = mesh.geometry.attributes.normal.needsUpdate = true;
      mesh.material.color.setRGB(...w.rgba.subarray(0, 3));
    });
    for (let i = wanted.length; i < this.loose.length; i++) this.loose[i].visible = false;
  }

  updateLights(scene) {
    const ambient = [0, 0, 0];
    const all = scene.lights.slice(0, Math.min(scene.nlight, 6));
    let shadowed = false;
    all.forEach((light, i) => {
      const spot = light.type === constants.mjtLightType.LIGHT_SPOT && !light.headlight;
      let item = this.lights[i];
      if (!item || item.isSpotLight !== (spot || undefined)) {
        if (item) { this.world.remove(item, item.target); item.dispose(); }
        item = spot ? new THREE.SpotLight() : new THREE.DirectionalLight();
        item.shadow.mapSize.set(2048, 2048);
        item.shadow.bias = -2e-4;
        item.shadow.normalBias = 0.01;
        this.world.add(item, item.target);
        this.lights[i] = item;
      }
      const [pos, dir] = [light.pos, light.dir];
      item.color.setRGB(...light.diffuse);
      item.intensity = light.headlight ? 1.6 * PI : PI; // lit a little brighter than by default
      item.visible = true;
      if (light.headlight) {
        item.position.copy(this.camera.position);
        item.target.position.copy(this.camera.position).add(this.camera.getWorldDirection(new THREE.Vector3()));
      } else if (spot) {
        item.position.set(...pos);
        item.angle = Math.min(light.cutoff, 89) * PI / 180;
        item.penumbra = 0.4;
        item.decay = 0;
        item.target.position.set(pos[0] + dir[0], pos[1] + dir[1], pos[2] + dir[2]);
      } else {
        const centre = this.focus ?? [0, 0, 0], far = 6 * (this.extent ?? 1);
        item.position.set(centre[0] - far * dir[0], centre[1] - far * dir[1], centre[2] - far * dir[2]);
        item.target.position.set(...centre);
        const c = item.shadow.camera, half = 2.5 * (this.extent ?? 1);
        c.left = c.bottom = -half; c.right = c.top = half; c.near = 0.01; c.far = 2.5 * far;
        c.updateProjectionMatrix();
      }
      item.castShadow = this.shadows && !light.headlight && !!light.castshadow && !shadowed;
      if (spot) { item.shadow.camera.near = 0.05; item.shadow.camera.far = 20 * (this.extent ?? 1); }
      shadowed ||= item.castShadow;
      for (let c = 0; c < 3; c++) ambient[c] += light.ambient[c];
    });
    this.updateLamp(all.every((light) => light.headlight));
    for (let i = all.length; i < this.lights.length; i++) this.lights[i].visible = this.lights[i].castShadow = false;
    this.ambient.color.setRGB(...ambient.map((a) => a + 0.12)); // a little light from everywhere, as rooms have
    this.ambient.intensity = PI;
  }

  // A model without lights gets one from above, so that things stand out from the floor.
  updateLamp(needed) {
    if (!this.lamp) {
      this.lamp = new THREE.DirectionalLight(0xffffff, 1);
      this.lamp.shadow.mapSize.set(2048, 2048);
      this.lamp.shadow.bias = -4e-4;
      this.world.add(this.lamp, this.lamp.target);
    }
    this.lamp.visible = needed;
    this.lamp.castShadow = needed && this.shadows;
    if (!needed) return;
    const [x, y, z] = this.focus ?? [0, 0, 0], e = this.extent ?? 1;
    this.lamp.intensity = 0.45 * PI;
    this.lamp.position.set(x + 1.2 * e, y - 1.6 * e, z + 4 * e);
    this.lamp.target.position.set(x, y, z);
    const c = this.lamp.shadow.camera;
    c.left = c.bottom = -2 * e; c.right = c.top = 2 * e; c.near = 0.1 * e; c.far = 9 * e;
    c.updateProjectionMatrix();
  }

  // Floors of the plain default colour get a grid: a checker of half metres.
  grid() {
    if (this.checker) return this.checker;
    const bytes = new Uint8Array(4 * 64 * 64);
    for (let y = 0; y < 64; y++) for (let x = 0; x < 64; x++) {
      const light = (x < 32) !== (y < 32) ? 236 : 255;
      bytes.set([light, light, light, 255], 4 * (64 * y + x));
    }
    this.checker = new THREE.DataTexture(bytes, 64, 64);
    Object.assign(this.checker, { wrapS: THREE.RepeatWrapping, wrapT: THREE.RepeatWrapping, magFilter: THREE.LinearFilter, minFilter: THREE.LinearMipmapLinearFilter, generateMipmaps: true, anisotropy: 8, needsUpdate: true });
    return this.checker;
  }

  updateCamera(scene) {
    const view = scene.camera[0], { camera } = this;
    const [p, d, u] = [view.pos, view.forward, view.up];
    camera.position.set(...p);
    camera.up.set(...u);
    camera.lookAt(p[0] + d[0], p[1] + d[1], p[2] + d[2]);
    const { frustum_near: near, frustum_far: far, frustum_top: top, frustum_bottom: bottom } = view;
    const half = (top - bottom) / 2 * camera.aspect;
    camera.near = near; camera.far = far;
    if (view.orthographic) camera.projectionMatrix.makeOrthographic(-half, half, top, bottom, near, far);
    else camera.projectionMatrix.makePerspective(-half, half, top, bottom, near, far);
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
    camera.updateMatrixWorld();
  }

  draw() {
    this.world.background = this.sky && this.skyOn !== false ? this.sky : this.background;
    this.world.backgroundRotation.set(PI / 2, 0, 0);
    // floors without end fade into the background
    const far = (this.extent ?? 1) + this.camera.position.distanceTo(new THREE.Vector3(...(this.focus ?? [0, 0, 0])));
    this.world.fog = this.world.background === this.background ? new THREE.Fog(this.background, 2 * far, 7 * far) : null;
    this.mirrors.draw(this.renderer, this.world, this.camera, this.surfaces ?? [], this.reflections);
    this.renderer.render(this.world, this.camera);
  }

  // Where a point of the world is on the canvas, in its share of width and height; null behind it.
  project(x, y, z) {
    const v = new THREE.Vector3(x, y, z).project(this.camera);
    return v.z < 1 ? [(v.x + 1) / 2, (1 - v.y) / 2] : null;
  }
}

function triangles(position, normal, uv) {
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  if (normal.length === position.length && normal.length) g.setAttribute("normal", new THREE.Float32BufferAttribute(normal, 3));
  else g.computeVertexNormals();
  if (uv.length) g.setAttribute("uv", new THREE.Float32BufferAttribute(uv, 2));
  return g;
}

// A shaft and heads along z, of length and width one: `heads` 0 a plain wedge, 1 one head, 2 both.
function arrow(heads) {
  const profile = heads === 0 ? [[1, 0], [0, 1]] : heads === 1 ? [[1, 0], [1, 0.75], [1.75, 0.75], [0, 1]]
    : [[0, 0], [1.75, 0.25], [1, 0.25], [1, 0.75], [1.75, 0.75], [0, 1]];
  const points = profile.map(([x, y]) => new THREE.Vector2(x, y));
  if (heads !== 2) points.unshift(new THREE.Vector2(0, 0));
  return new THREE.LatheGeometry(points, 20).rotateX(PI / 2).toNonIndexed();
}

// A cube texture as the colour of a surface, looked up in the direction of the point; null: none. What it reflects is mixed in.
function dress(material, cube, scale) {
  const { mirror } = material.userData;
  material.customProgramCacheKey = () => (cube ? "cube" : "") + (mirror ? "mirror" : "");
  material.onBeforeCompile = (shader) => {
    if (mirror) reflecting(shader, mirror);
    if (!cube) return;
    shader.uniforms.cube = { value: cube };
    shader.uniforms.cubeScale = { value: new THREE.Vector3(...scale) };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 cubeAt; uniform vec3 cubeScale;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\ncubeAt = position * cubeScale;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 cubeAt; uniform samplerCube cube;")
      .replace("#include <map_fragment>", "#include <map_fragment>\ndiffuseColor *= texture(cube, cubeAt);");
  };
}

function offsets(sinew) {
  const found = {};
  for (const field of sinew.fields.mjvGeom) found[field.name] = field.name === "label" ? field.offset : field.offset >> 2;
  return found;
}
