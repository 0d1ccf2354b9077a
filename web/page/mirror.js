// Floors and box tops that reflect: the world is drawn once more, seen by the eye behind the mirror, and the surface looks its
// points up in that picture.
import * as THREE from "three";

const MOST = 3; // mirrors, each of which costs a picture
// from clip coordinates to shares of a picture
const TO_PICTURE = new THREE.Matrix4().set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1);

export class Mirrors {
  constructor() {
    this.all = [];
    this.eye = new THREE.PerspectiveCamera();
    this.eye.matrixAutoUpdate = this.eye.matrixWorldAutoUpdate = false;
  }

  /** Gives the first few surfaces ({mesh, reflectance, half}: half the size along z) that face the camera their pictures. */
  draw(renderer, world, camera, surfaces, on) {
    const p = new THREE.Vector3(), n = new THREE.Vector3(), size = renderer.getDrawingBufferSize(new THREE.Vector2());
    const seen = on ? surfaces.filter(({ mesh, half }) => {
      planeOf(mesh, half, p, n);
      return n.dot(new THREE.Vector3().subVectors(camera.position, p)) > 0;
    }).slice(0, MOST) : [];
    // no mirrors in mirrors
    for (const { mesh } of surfaces) {
      const { share, map } = mesh.material.userData.mirror;
      share.value = 0;
      map.value = null;
    }
    const shadows = renderer.shadowMap.autoUpdate;
    const shown = seen.map(({ mesh, half, reflectance }, i) => {
      const target = this.all[i] ??= new THREE.WebGLRenderTarget(4, 4, { samples: 4 }), { mirror } = mesh.material.userData;
      target.setSize(size.x, size.y);
      planeOf(mesh, half, p, n);
      this.behind(camera, p, n);
      mesh.visible = false;
      renderer.shadowMap.autoUpdate = i === 0 && shadows; // they are the same for all
      renderer.setRenderTarget(target);
      renderer.render(world, this.eye);
      mesh.visible = true;
      mirror.matrix.value.multiplyMatrices(TO_PICTURE, this.eye.projectionMatrix).multiply(this.eye.matrixWorldInverse);
      return [mirror, target.texture, reflectance];
    });
    renderer.setRenderTarget(null);
    renderer.shadowMap.autoUpdate = shadows;
    for (const [mirror, picture, reflectance] of shown) {
      mirror.map.value = picture;
      mirror.share.value = reflectance;
    }
  }

  // The eye seen in the mirror through p with normal n: x' = x - 2 n (n.(x - p)). A reflection turns right into left, so the
  // eye's own x is turned back. What lies behind the mirror is cut off by a near plane that is the mirror itself.
  behind(camera, p, n) {
    const { eye } = this, [a, b, c] = n.toArray(), d = 2 * n.dot(p);
    const reflection = new THREE.Matrix4().set(1 - 2 * a * a, -2 * a * b, -2 * a * c, d * a, -2 * a * b, 1 - 2 * b * b, -2 * b * c, d * b,
      -2 * a * c, -2 * b * c, 1 - 2 * c * c, d * c, 0, 0, 0, 1);
    eye.matrixWorld.multiplyMatrices(reflection, camera.matrixWorld).scale(new THREE.Vector3(-1, 1, 1));
    eye.matrixWorldInverse.copy(eye.matrixWorld).invert();
    eye.projectionMatrix.copy(camera.projectionMatrix);
    const near = new THREE.Plane().setFromNormalAndCoplanarPoint(n, p).applyMatrix4(eye.matrixWorldInverse);
    const plane = new THREE.Vector4(near.normal.x, near.normal.y, near.normal.z, near.constant), e = eye.projectionMatrix.elements;
    // Lengyel: the third row becomes the plane, scaled so that the far corner of the view stays inside; the fourth is subtracted
    const corner = new THREE.Vector4(Math.sign(plane.x), Math.sign(plane.y), 1, 1).applyMatrix4(camera.projectionMatrixInverse);
    plane.multiplyScalar(2 / plane.dot(corner));
    [plane.x, plane.y, plane.z, plane.w].forEach((v, k) => { e[2 + 4 * k] = v - e[3 + 4 * k]; });
    eye.projectionMatrixInverse.copy(eye.projectionMatrix).invert();
  }

  dispose() { for (const target of this.all.splice(0)) target.dispose(); }
}

// A point of the surface that reflects, the upper one along z of the geom, and its normal.
function planeOf(mesh, half, p, n) {
  const e = mesh.matrix.elements;
  n.set(e[8], e[9], e[10]).normalize();
  p.set(e[12], e[13], e[14]).addScaledVector(n, half);
}

/** Parts of a shader for a surface that reflects: the picture is mixed in where the surface faces along z. */
export function reflecting(shader, mirror) {
  Object.assign(shader.uniforms, { mirrorMap: mirror.map, mirrorMatrix: mirror.matrix, mirrorShare: mirror.share });
  shader.vertexShader = shader.vertexShader
    .replace("#include <common>", "#include <common>\nvarying vec4 mirrorAt; varying float mirrorTop; uniform mat4 mirrorMatrix;")
    .replace("#include <begin_vertex>", "#include <begin_vertex>\nmirrorAt = mirrorMatrix * modelMatrix * vec4(position, 1.0); mirrorTop = step(0.5, normal.z);");
  shader.fragmentShader = shader.fragmentShader
    .replace("#include <common>", "#include <common>\nvarying vec4 mirrorAt; varying float mirrorTop; uniform sampler2D mirrorMap; uniform float mirrorShare;")
    .replace("#include <fog_fragment>", "gl_FragColor.rgb = mix(gl_FragColor.rgb, texture2DProj(mirrorMap, mirrorAt).rgb, mirrorShare * step(0.5, mirrorTop));\n#include <fog_fragment>");
}

export const mirror = () => ({ map: { value: null }, matrix: { value: new THREE.Matrix4() }, share: { value: 0 } });
