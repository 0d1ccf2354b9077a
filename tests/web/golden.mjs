// The same bits in JavaScript: trajectories of the golden models as tests/golden/trajectory.c has
// them, with the engine for browsers. Runs in node and in a page alike.

// random_signed of tests/random.h
function random(seed) {
  seed.value = BigInt.asUintN(64, seed.value * 6364136223846793005n + 1442695040888963407n);
  return Number(seed.value >> 11n) * 2 ** -53 * 2 - 1;
}

function wander(model, data, seed) {
  const range = model.actuator_ctrlrange, limited = model.actuator_ctrllimited, ctrl = data.ctrl;
  for (let i = 0; i < model.nu; i++) {
    const noise = random(seed), [low, high] = [range[2 * i], range[2 * i + 1]];
    const middle = limited[i] ? 0.5 * (low + high) : 0, half = limited[i] ? 0.5 * (high - low) : 1;
    ctrl[i] = 0.9 * ctrl[i] + 0.1 * (middle + half * noise);
  }
}

/** The hash of a trajectory; `how` is a solver of hard contact or undefined. */
export function trajectory(sinew, path, files, how, steps = 1000) {
  const model = sinew.model(path, files), data = model.data();
  if (how) sinew.call("sn_setSolver", model, data, how);
  let hash = "0";
  const seed = { value: 1n }, FULLPHYSICS = sinew.constants.mjtState.STATE_FULLPHYSICS;
  const state = new Float64Array(sinew.call("mj_stateSize", model, FULLPHYSICS));
  for (let i = 0; i < steps; i++) {
    wander(model, data, seed);
    data.step();
    sinew.call("mj_getState", model, data, state, FULLPHYSICS);
    hash = sinew.hash(state, hash);
    if (model.nsensordata) hash = sinew.hash(data.sensordata.slice(), hash);
  }
  data.free();
  model.free();
  return hash;
}
