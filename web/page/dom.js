// Elements in one line each.
export function h(tag, props = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const e = document.createElement(name);
  if (classes.length) e.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (key in e && key !== "list" && key !== "form") e[key] = value;
    else e.setAttribute(key, value);
  }
  e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

export const fill = (place, ...children) => place.replaceChildren(...children.flat(Infinity).filter(Boolean));

export function number(x) {
  if (x === 0) return "0";
  const a = Math.abs(x);
  if (!Number.isFinite(x)) return String(x);
  return a >= 1e5 || a < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4));
}

// In a column of numbers: three decimals, so that they stand below each other.
const aligned = (x) => (Math.abs(x) < 1e4 ? x.toFixed(3).replace(/^-(0\.000)$/, "$1") : number(x));

/** A labelled slider; double click sets it back to `home`. */
export function slider(label, { low, high, value, home = value, unit = "", set, title = "" }) {
  const shown = h("output", {}, aligned(value));
  const input = h("input", {
    type: "range", min: low, max: high, step: "any", value, "aria-label": label,
    oninput: () => { shown.textContent = aligned(+input.value); set(+input.value); },
    ondblclick: () => { input.value = home; input.dispatchEvent(new Event("input")); },
  });
  const row = h("label.slider", { title: title || label }, h("span", {}, label), input, shown, unit ? h("small", {}, unit) : null);
  row.show = (x) => { if (document.activeElement !== input || !input.matches(":active")) { input.value = x; shown.textContent = aligned(x); } };
  return row;
}

export function check(label, value, set, title = "") {
  const input = h("input", { type: "checkbox", checked: !!value, onchange: () => set(input.checked) });
  const row = h("label.check", { title }, input, h("span", {}, label));
  row.input = input;
  return row;
}

export function choice(label, options, value, set) {
  const input = h("select", { "aria-label": label, onchange: () => set(input.value) },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)));
  const row = h("label.field", {}, h("span", {}, label), input);
  row.input = input;
  return row;
}

export function entry(label, value, set, title = "") {
  const input = h("input", {
    type: "text", inputMode: "decimal", value: number(value), "aria-label": label, spellcheck: false,
    onchange: () => {
      const x = Number(input.value);
      const wrong = input.value.trim() === "" || !Number.isFinite(x);
      input.classList.toggle("wrong", wrong);
      input.title = wrong ? `expected a number, got "${input.value}"` : "";
      if (!wrong) set(x);
    },
  });
  return h("label.field", { title }, h("span", {}, label), input);
}

export const section = (title, ...children) => h("section", {}, h("h3", {}, title), children);
