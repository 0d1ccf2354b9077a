// A program elsewhere that simulates: it sends the model and states, the page draws them and sends
// back what the user does. Bits are equal, so contacts and forces are computed here from states.
//   from the program  a text (JSON), or bytes: "M" and a binary model, "S" and a state
//   to the program    texts: {pert}, {cam}, {ctrl}, {qpos}, {eq}, {key}, {run}, {reset}
export class Link {
  constructor(address, app) {
    this.app = app;
    this.address = address;
    this.keys = true;
    this.open();
  }

  open() {
    const socket = this.socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { this.app.notice("connected"); };
    socket.onmessage = ({ data }) => { try { this.take(data); } catch (reason) { this.app.fail(reason); } };
    socket.onclose = (e) => { this.app.notice(e.code === 1008 ? `refused: ${e.reason}` : "the program has closed the connection", true); };
  }

  take(data) {
    const { app } = this;
    if (typeof data === "string") { app.told(JSON.parse(data)); return; }
    const bytes = new Uint8Array(data), kind = String.fromCharCode(bytes[0]);
    if (kind === "M") {
      app.follow = true;
      app.open("model.mjb", { "model.mjb": bytes.slice(8) });
    } else if (kind === "S" && app.simulation.model) {
      this.state = new Float64Array(data.slice(8));
    }
  }

  /** Takes the newest state, once a frame. */
  frame() {
    const { state, app } = this, s = app.simulation;
    if (!state || !s.model || state.length !== s.data.stateSize) return false;
    this.state = null;
    const back = s.at < s.history.length - 1;
    s.data.state = state;
    if (state[0] < (s.history.at(-1)?.[0] ?? 0)) s.history.length = 0;
    if (back) { s.history.push(state); return false; } // the user looks at the past
    s.data.forward();
    s.note();
    return true;
  }

  send(message) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); }
}
