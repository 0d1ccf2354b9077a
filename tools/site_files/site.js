// Search over the sections of all pages, without a server: every word must be found; headings count most, then what stands in many
// places and says much.
const box = document.getElementById("search"), list = document.getElementById("found"), up = document.body.dataset.up;
const all = SECTIONS.map(([place, page, heading, text, more, places]) => {
  const head = heading.toLowerCase();
  return { place, page, heading, text, head, bonus: places ? Math.min(places, 20) / 4 + Math.min(text.length, 200) / 100 : 0, name: head.split(" ")[0], low: (text + " " + (more || "")).toLowerCase() };
});

function score(section, words) {
  let total = 0;
  for (const word of words) {
    const head = section.head.indexOf(word), low = section.low.indexOf(word);
    if (head < 0 && low < 0 && !section.page.toLowerCase().includes(word)) return 0;
    total += (section.head === word ? 40 : section.name === word ? 30 : 0) + (head === 0 ? 12 : head > 0 ? 8 : 0) + (low >= 0 ? 2 : 0) + 1;
  }
  return total + section.bonus;
}

function show() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.hidden = !words.length;
  if (!words.length) return;
  const hits = all.map((section) => [score(section, words), section]).filter(([points]) => points);
  hits.sort((a, b) => b[0] - a[0]);
  list.replaceChildren(...hits.slice(0, 20).map(([, section], i) => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = up + section.place;
    link.textContent = section.heading;
    link.className = i ? "" : "at";
    small.textContent = section.page + (section.text ? ": " + section.text : "");
    link.append(small);
    item.append(link);
    return item;
  }));
  if (!hits.length) list.textContent = "Nothing found.";
}

box.addEventListener("input", show);
box.addEventListener("keydown", (event) => {
  const links = [...list.querySelectorAll("a")], at = links.findIndex((link) => link.className === "at");
  if (event.key === "Escape") box.value = "", show(), box.blur();
  if (event.key === "Enter" && links[at]) location.href = links[at].href, list.hidden = true;
  const next = at + (event.key === "ArrowDown") - (event.key === "ArrowUp");
  if (next !== at && links[next]) links[at].className = "", links[next].className = "at", links[next].scrollIntoView({ block: "nearest" }), event.preventDefault();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) event.preventDefault(), box.focus();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("header")) list.hidden = true;
});
const nav = document.getElementById("menu"), here = nav.querySelector(".here");
if (here) nav.scrollTop = here.offsetTop - nav.clientHeight / 2;
document.getElementById("open").addEventListener("click", () => document.getElementById("menu").classList.toggle("shown"));
