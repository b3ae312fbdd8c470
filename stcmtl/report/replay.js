// The film: one slider, play, steps and arrow keys; tasks glide, coefficients change at once.
const film = JSON.parse(document.getElementById("film").textContent);
const find = name => document.getElementById(name);
const [slider, words, tip] = ["slider", "words", "tip"].map(find);
const [places, cells] = ["places", "cells"].map(find);
const last = film.frames.length - 1, seconds = 1.2, glide = 350;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const segment = film.corners.length === 2; // on which tasks are stacked
const many = film.corners.length > 5; // corners, whose names stand outside
const MARK = 5, FAINT = 0.33, ROOM = many ? 1.2 : 0.34;
const HIGH = segment ? 1.2 : 0.55, AWAY = segment ? 0.95 : many ? 0.3 : 0.26;
let at = 0, from = 0, begun = 0, timer = 0;

for (const frame of film.frames)
  frame.z = Int8Array.from(atob(frame.z), c => c.charCodeAt(0));

function canvas(of) { // as sharp as the screen is
  const scale = devicePixelRatio || 1, { width, height } = of.getBoundingClientRect();
  of.width = width * scale; of.height = height * scale;
  const pen = of.getContext("2d");
  pen.scale(scale, scale);
  return [pen, width, height];
}

function ground(width, height) { // from places on the simplex to pixels, as round as it is
  const xs = film.corners.map(c => c[0]), ys = film.corners.map(c => c[1]);
  const [left, right] = [Math.min(...xs) - ROOM, Math.max(...xs) + ROOM];
  const [low, high] = [Math.min(...ys) - HIGH, Math.max(...ys) + HIGH];
  const unit = Math.min(width / (right - left), height / (high - low));
  const mid = [(left + right) / 2, (low + high) / 2];
  return (x, y) => [width / 2 + unit * (x - mid[0]), height / 2 - unit * (y - mid[1])];
}

function drawPlaces(share) { // share of the way from the last frame to this one
  const [pen, width, height] = canvas(places), put = ground(width, height);
  const ink = getComputedStyle(document.body);
  pen.strokeStyle = ink.getPropertyValue("--line");
  for (const [a, b, c, d] of film.lines) {
    pen.beginPath(); pen.moveTo(...put(a, b)); pen.lineTo(...put(c, d)); pen.stroke();
  }
  const now = film.frames[at], before = film.frames[from];
  pen.strokeStyle = ink.getPropertyValue("--rim");
  now.x.forEach((x, i) => {
    if (x === null) return;
    const start = before.x[i] === null ? [x, now.y[i]] : [before.x[i], before.y[i]];
    const [px, py] = put(start[0] + share * (x - start[0]), start[1] + share * (now.y[i] - start[1]));
    pen.fillStyle = now.c[i];
    pen.beginPath();
    if (now.s[i]) pen.arc(px, py, MARK, 0, 7);
    else for (const [dx, dy] of [[0, -1], [1, 0], [0, 1], [-1, 0]])
      pen.lineTo(px + 1.25 * MARK * dx, py + 1.25 * MARK * dy);
    pen.closePath(); pen.fill(); pen.stroke();
  });
  pen.fillStyle = ink.color; pen.font = `14px ${ink.fontFamily}`; pen.textAlign = "center";
  for (const corner of film.corners) (many ? nameOutside : nameAbove)(pen, put, width, ...corner);
}

function nameAbove(pen, put, width, x, y, text) { // or below; long names stay in their halves
  const above = y > -1e-9, [px, py] = put(x, above ? y + AWAY : y - AWAY);
  const halves = x && film.corners.some(other => Math.hypot(other[0] + x, other[1] - y) < 0.01);
  const room = halves ? width / 2 - 6 : width, start = halves && x > 0 ? width - room : 0;
  const name = fit(pen, text, room), half = pen.measureText(name).width / 2;
  pen.textBaseline = above ? "bottom" : "top";
  pen.fillText(name, Math.max(start + half, Math.min(start + room - half, px)), py);
}

function nameOutside(pen, put, width, x, y, text) { // no part of it nearer to the centre
  const [px, py] = put((1 + AWAY) * x, (1 + AWAY) * y), side = Math.abs(x) < 0.3 ? 0 : Math.sign(x);
  pen.textAlign = ["right", "center", "left"][side + 1];
  pen.textBaseline = Math.abs(y) < 0.6 ? "middle" : y > 0 ? "bottom" : "top";
  pen.fillText(fit(pen, text, side ? width / 2 - Math.abs(px - width / 2) : width / 2), px, py);
}

function fit(pen, text, room) { // as much of a name as there is room for
  let name = text;
  for (let n = text.length - 1; n > 0 && pen.measureText(name).width > room; n--)
    name = `${text.slice(0, n)}…`;
  return name;
}

// Beside the cells: names of features at the left, of tasks below, as many as there is room for.
const LETTERS = 22, LINE = 13, TOP = 7; // half a line, for the first name
const tasks = brief(film.columns), features = brief(film.features);

function brief(names) { // those that begin alike keep their ends
  const cut = end => names.map(name => name.length <= LETTERS ? name
    : `${name.slice(0, LETTERS - 1 - end)}…${name.slice(name.length - end)}`);
  const first = cut(0);
  return new Set(first).size === names.length ? first : cut(LETTERS / 2);
}

function frameOf(pen, width, height) { // where cells begin, and how large all of them are
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const long = names => Math.max(...names.map(name => pen.measureText(name).width)) + 8;
  const left = Math.min(long(features), width / 3), below = Math.min(long(tasks), height / 4);
  return { left, below, wide: width - left, high: height - below - TOP };
}

function nameCells(pen, { left, below, wide, high }) {
  const n = tasks.length, m = features.length;
  pen.fillStyle = getComputedStyle(document.body).color;
  pen.textBaseline = "middle"; pen.textAlign = "right";
  for (let i = 0; i < m; i += Math.ceil(LINE * m / high))
    pen.fillText(features[i], left - 6, TOP + (i + 0.5) * high / m, left - 8);
  for (let j = 0; j < n; j += Math.ceil(LINE * n / wide)) {
    pen.save();
    pen.translate(left + (j + 0.5) * wide / n, TOP + high + 6); pen.rotate(-Math.PI / 2);
    pen.fillText(tasks[j], 0, 0, below - 8);
    pen.restore();
  }
}

function drawCells() {
  const [pen, width, height] = canvas(cells), z = film.frames[at].z;
  const frame = frameOf(pen, width, height), { left, wide, high } = frame;
  const n = tasks.length, m = features.length;
  const x = j => Math.round(left + j * wide / n), y = i => Math.round(TOP + i * high / m); // no seams
  for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) {
    const q = z[i * n + j];
    if (!q) continue;
    pen.fillStyle = shade(q / 127);
    pen.fillRect(x(j), y(i), x(j + 1) - x(j), y(i + 1) - y(i));
  }
  pen.strokeStyle = getComputedStyle(document.body).getPropertyValue("--line");
  pen.strokeRect(x(0) + 0.5, y(0) + 0.5, x(n) - x(0) - 1, y(m) - y(0) - 1);
  nameCells(pen, frame);
}

function shade(part) { // of the largest coefficient
  return `rgba(${part < 0 ? film.blue : film.orange}, ${FAINT + (1 - FAINT) * Math.abs(part)})`;
}

function drawKey() { // what the colours stand for
  const ends = [[-1, 0], [-1e-9, 50], [1e-9, 50], [1, 100]].map(([part, at]) => `${shade(part)} ${at}%`);
  find("colours").style.background = `linear-gradient(90deg, ${ends.join(", ")})`;
  [find("least").textContent, find("most").textContent] = [say(-film.limit), say(film.limit)];
}

function draw(time) {
  const share = still || from === at ? 1 : Math.min(1, (time - begun) / glide);
  drawPlaces(share);
  if (share < 1) requestAnimationFrame(draw);
}

function show(frame) {
  from = at; at = Math.max(0, Math.min(last, frame)); begun = performance.now();
  slider.value = at;
  words.textContent = film.frames[at].label;
  slider.setAttribute("aria-valuetext", film.frames[at].label);
  drawCells();
  requestAnimationFrame(draw);
}

function play(on) {
  clearInterval(timer); timer = 0;
  find("play").textContent = on ? "❚❚" : "▶";
  find("play").setAttribute("aria-label", on ? "Pause" : "Play");
  if (!on) return;
  if (at === last) show(0);
  timer = setInterval(() => at === last ? play(false) : show(at + 1), 1000 * seconds);
}

function step(by) { play(false); show(at + by); }

slider.max = last;
slider.addEventListener("input", () => { play(false); show(+slider.value); });
find("play").addEventListener("click", () => play(!timer));
find("back").addEventListener("click", () => step(-1));
find("next").addEventListener("click", () => step(1));
addEventListener("keydown", event => { // the slider has arrow keys of its own
  if (event.target === slider) return;
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
  if (event.key === "Home") { event.preventDefault(); play(false); show(0); }
  if (event.key === "End") { event.preventDefault(); play(false); show(last); }
});

function say(value) { // two digits, written out, with a true minus
  return value.toLocaleString("en", { maximumSignificantDigits: 2 }).replace("-", "\u2212");
}

function tell(event, text) {
  tip.textContent = text;
  tip.hidden = !text;
  tip.style.left = `${Math.min(event.pageX + 12, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${event.pageY + 14}px`;
}
places.addEventListener("mousemove", event => {
  const { width, height } = places.getBoundingClientRect(), put = ground(width, height);
  let nearest = -1, best = 14;
  film.frames[at].x.forEach((x, i) => {
    if (x === null) return;
    const [px, py] = put(x, film.frames[at].y[i]);
    const away = Math.hypot(px - event.offsetX, py - event.offsetY);
    if (away < best) [nearest, best] = [i, away];
  });
  tell(event, nearest < 0 ? "" : film.tasks[nearest]);
});
cells.addEventListener("mousemove", event => {
  const { width, height } = cells.getBoundingClientRect();
  const { left, wide, high } = frameOf(cells.getContext("2d"), width, height);
  const n = tasks.length, m = features.length;
  const j = Math.floor((event.offsetX - left) / wide * n);
  const i = Math.floor((event.offsetY - TOP) / high * m);
  if (j < 0 || j >= n || i < 0 || i >= m) return tell(event, "");
  const q = film.frames[at].z[i * n + j] ?? 0;
  tell(event, `feature ${film.features[i]}, ${film.columns[j]}: ${say(film.limit * q / 127)}`);
});
for (const part of [places, cells]) part.addEventListener("mouseleave", event => tell(event, ""));
addEventListener("resize", () => show(at));
drawKey();
show(+slider.dataset.start);
