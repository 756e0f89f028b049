"use strict";

// What was seen in the last minute, by series: counts at each look, the newest last. Rates
// and percentiles are of the last few looks, so that they say what is now.
const series = new Map(), kept = 61, span = 5, most = 200;
let looks = [], sort = "", shown = null;

// note keeps a look's counts of a series, and returns what came since a few looks before.
function note(key, f) {
  const s = series.get(key) || { counts: [], at: 0 };
  series.set(key, s);
  s.at = looks.length ? looks[looks.length - 1] : 0;
  if (s.counts.length && s.counts[s.counts.length - 1].requests > f.requests) s.counts = []; // it is another one
  s.counts.push({ requests: f.requests, bad: (f.status || {})["5xx"] || 0, failed: total(f.failed), aimed: f.aimed || 0, missed: f.missed || 0, took: f.took || {} });
  if (s.counts.length > kept) s.counts.shift();
  const n = s.counts.length, back = Math.min(span, n - 1), now = s.counts[n - 1], then = s.counts[n - 1 - back];
  const seconds = back ? (looks[looks.length - 1] - looks[looks.length - 1 - back]) / 1000 : 0;
  const since = (name) => seconds > 0 ? (now[name] - then[name]) / seconds : 0;
  const took = new Map();
  for (const [bucket, count] of Object.entries(now.took)) {
    const more = count - (then.took[bucket] || 0);
    if (back && more > 0) took.set(Number(bucket), more);
  }
  const aimed = now.aimed - then.aimed;
  return {
    rate: since("requests"), bad: since("bad"), failed: since("failed"), took, p50: quantile(took, 0.5), p99: quantile(took, 0.99),
    met: aimed > 0 ? 1 - (now.missed - then.missed) / aimed : null, total: f.requests, line: sparkline(s.counts),
  };
}

function total(counts) { return Object.values(counts || {}).reduce((a, b) => a + b, 0); }

// quantile is the end, in ms, of the bucket that a part of all lies below. There are four
// buckets to each power of two from 1024 ns on.
function quantile(took, q) {
  let left = 0;
  for (const n of took.values()) left += n;
  if (!left) return null;
  left *= q;
  for (const bucket of [...took.keys()].sort((a, b) => a - b)) {
    left -= took.get(bucket);
    if (left < 0 || left === 0) return 1024 * 2 ** Math.floor(bucket / 4) / 4 * (4 + bucket % 4) / 1e6;
  }
  return null;
}

// sparkline draws the rate from one look to the next.
function sparkline(counts) {
  const rates = counts.slice(1).map((c, i) => c.requests - counts[i].requests);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 60 20");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const top = Math.max(1, ...rates);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("points", rates.map((r, i) => `${60 - rates.length + i + 1},${19 - 18 * r / top}`).join(" "));
  svg.append(line);
  return svg;
}

function number(x) {
  if (x === null || x === undefined) return "";
  if (x === 0) return "0";
  return x >= 100 ? Math.round(x).toLocaleString("en") : x.toPrecision(3);
}

function share(x, digits) { return (100 * x).toFixed(digits) + " %"; }

// row makes a table's row. Texts are never HTML: names come from files.
function row(labels, cells, quiet) {
  const tr = document.createElement("tr");
  if (quiet) tr.className = "quiet";
  cells.forEach(([content, className, small], i) => {
    const td = document.createElement("td");
    td.className = (className || "") + (content === "" ? " empty" : "");
    if (i) td.dataset.label = labels[i];
    td.append(content);
    if (small) {
      const below = document.createElement("small");
      below.textContent = small;
      td.append(below);
    }
    tr.append(td);
  });
  return tr;
}

function destination(r) {
  if (r.broken) return ["can't be served", "wide bad"];
  if (r.redirect) return ["redirect " + r.redirect, "wide"];
  if (r.respond) return ["responds " + r.respond, "wide"];
  return [r.to.map((t) => r.to.length > 1 ? `${t.upstream} (${t.weight})` : t.upstream).join(", "), "wide"];
}

function met(x) { return x === null ? ["", "n"] : [share(x, 1), x < 0.99 ? "n bad" : "n"]; }

function labelsOf(table) { return [...table.querySelectorAll("th")].map((th) => th.textContent); }

function drawRoutes() {
  if (!shown) return;
  const table = document.getElementById("routes"), labels = labelsOf(table);
  const wanted = document.getElementById("filter").value.toLowerCase();
  let list = shown.filter(({ r }) => !wanted || (r.name + " " + matches(r) + " " + (r.to || []).map((t) => t.upstream).join(" ")).toLowerCase().includes(wanted));
  if (sort === "name") list = [...list].sort((a, b) => a.r.name.localeCompare(b.r.name));
  else if (sort === "met") list = [...list].sort((a, b) => (a.f.met ?? 2) - (b.f.met ?? 2));
  else if (sort || list.length > most) list = [...list].sort((a, b) => (b.f[sort || "rate"] ?? -1) - (a.f[sort || "rate"] ?? -1));
  table.tBodies[0].replaceChildren(...list.slice(0, most).map(({ r, f }) => row(labels, [
    [r.name, "name", matches(r)], destination(r), [number(f.rate), "n"], [f.line, "line"],
    [number(f.bad), f.bad ? "n bad" : "n"], [number(f.failed), f.failed ? "n bad" : "n"], [number(f.p50), "n"], [number(f.p99), "n"], met(f.met), [f.total.toLocaleString("en"), "n"],
  ], !f.rate)));
  const more = document.getElementById("more");
  more.hidden = list.length <= most;
  more.textContent = `${(list.length - most).toLocaleString("en")} more routes: filter, or nanogate top`;
}

function matches(r) { return [(r.methods || []).join("|"), (r.hosts || []).join("|") + r.path].filter(Boolean).join(" "); }

function drawUpstreams(upstreams) {
  const table = document.getElementById("upstreams"), labels = labelsOf(table);
  let up = 0, all = 0;
  const rows = upstreams.flatMap((u) => u.endpoints.map((e) => {
    all++;
    if (e.usable) up++;
    const f = note(`endpoint ${u.name} ${e.address}`, e.figures);
    return row(labels, [
      [u.name, "name", u.panic ? "all are doubtful, so all are asked" : u.balance], [e.address, "wide"],
      e.usable ? ["up", "good"] : [(e.marks || ["away"]).join(", "), "bad"], [String(e.active), "n"],
      [number(f.rate), "n"], [f.line, "line"], [number(f.bad), f.bad ? "n bad" : "n"], [number(f.p50), "n"], [number(f.p99), "n"], [f.total.toLocaleString("en"), "n"],
    ], !f.rate && e.usable);
  }));
  table.tBodies[0].replaceChildren(...rows.slice(0, most));
  set("up", `${up} / ${all}`, up < all);
}

// drawCanaries shows how canaries fare beside what is stable.
function drawCanaries(canaries) {
  document.getElementById("released").hidden = !canaries.length;
  const table = document.getElementById("canaries"), labels = labelsOf(table);
  const part = (n, of) => of ? share(n / of, 2) : "";
  const times = (r) => r ? [`${r.estimate === undefined ? "∞" : number(r.estimate)} (${number(r.low)}–${r.high === undefined ? "∞" : number(r.high)})`, r.low > r.allowed ? "n bad" : "n"] : ["", "n"];
  table.tBodies[0].replaceChildren(...canaries.slice(0, most).map((c) => row(labels, [
    [c.route, "name", c.why], [c.to, "wide"], c.state === "running" ? [c.steps > 1 ? `step ${c.step} of ${c.steps}` : c.state, "good"] : [c.state, "bad"],
    [share(c.weight, 1), "n"], [c.canary.requests.toLocaleString("en"), "n"],
    [part(c.canary.failed, c.canary.requests), "n"], [part(c.stable.failed, c.stable.requests), "n"], times(c.failed),
    [part(c.canary.slow, c.canary.requests), "n"], [part(c.stable.slow, c.stable.requests), "n"], times(c.slow),
  ])));
}

// drawMirrors shows how mirrored requests went, and the last that had responses
// differently, which only who knows the admin token may see.
async function drawMirrors(mirrors) {
  document.getElementById("mirrored").hidden = !mirrors.length;
  if (!mirrors.length) return;
  const table = document.getElementById("mirrors"), labels = labelsOf(table);
  table.tBodies[0].replaceChildren(...mirrors.slice(0, most).map((m) => row(labels, [
    [m.route, "name"], [m.to, "wide"], [share(m.share, 0), "n"], [m.same.toLocaleString("en"), "n"],
    [m.different.toLocaleString("en"), m.different ? "n bad" : "n"], [m.failed.toLocaleString("en"), m.failed ? "n bad" : "n"], [total(m.dropped).toLocaleString("en"), "n"],
    [m.differences.filter((d) => d.count).map((d) => `${[d.kind, d.field].filter(Boolean).join(" ")} (${d.count.toLocaleString("en")})`).join(", "), "wide"],
    [number(m.mean_ms), "n"], [number(m.shadow_mean_ms), "n"],
  ], !(m.same + m.different + m.failed))));
  const response = await fetch("mirrors/samples"), list = document.getElementById("samples");
  const samples = response.ok ? (await response.json()).flatMap((r) => r.samples).sort((a, b) => b.time.localeCompare(a.time)).slice(0, 20) : [];
  list.hidden = !samples.length;
  const names = labelsOf(list);
  list.tBodies[0].replaceChildren(...samples.flatMap((s) => (s.differences || [{ kind: s.failure }]).map((d, i) => row(names, [
    [i ? "" : new Date(s.time).toLocaleTimeString(), "name"], [i ? "" : `${s.method} ${s.host}${s.path}${s.query ? "?" + s.query : ""}`, "wide"],
    [i ? "" : String(s.status), "n"], [i ? "" : String(s.shadow_status || "–"), "n"],
    [[d.kind, d.at || d.field].filter(Boolean).join(" "), "wide"], [d.first || "", "wide"], [d.second || "", "wide"],
  ]))));
}

// drawCache shows what is stored, and what became of routes' requests there.
function drawCache(cache, routes) {
  document.getElementById("stored").hidden = !cache;
  if (!cache) return;
  document.getElementById("store").textContent = `${size(cache.bytes)} of ${size(cache.most_bytes)} · ${count(cache.urls)} URLs · ${count(cache.evicted)} evicted · ${count(cache.purged)} purged · ${count(cache.refused)} not stored`;
  const table = document.getElementById("cache"), labels = labelsOf(table);
  table.tBodies[0].replaceChildren(...routes.filter((r) => r.cache).slice(0, most).map((r) => {
    const of = (...names) => names.reduce((sum, name) => sum + (r.cache.results[name] || 0), 0), all = total(r.cache.results);
    return row(labels, [
      [r.name, "name", matches(r)], [all ? share(of("hit", "stale", "saved", "coalesced") / all, 1) : "", "n"], [count(of("hit")), "n"], [count(of("stale", "saved")), "n"],
      [count(of("coalesced")), "n"], [count(of("revalidated")), "n"], [count(of("miss", "expired")), "n"], [count(of("bypass")), "n"], [count(r.cache.stored), "n"], [size(r.cache.bytes), "n"],
    ], !all);
  }));
}

// drawIdentity shows who is asked who somebody is, and whether that goes well.
function drawIdentity(asked) {
  document.getElementById("asked").hidden = !asked.length;
  const table = document.getElementById("identity"), labels = labelsOf(table);
  table.tBodies[0].replaceChildren(...asked.slice(0, most).map((a) => row(labels, [
    [a.route, "name", a.guard], [a.where, "wide"], a.ready ? a.error ? ["goes on with what it knows", "bad"] : ["known", "good"] : [a.guard === "introspect" ? "can't be asked" : "not known yet", "bad"],
    [a.guard === "oidc" ? count(a.logouts || 0) : "", "n"], [a.error || "", "long bad"],
  ])));
}

// drawCertificates shows until when certificates are good, and how their renewal goes.
function drawCertificates(certificates) {
  document.getElementById("shown").hidden = !certificates.length;
  const table = document.getElementById("certificates"), labels = labelsOf(table);
  const day = (time) => time ? `${new Date(time).toLocaleDateString(undefined, { dateStyle: "medium" })} (${away(time)})` : "";
  table.tBodies[0].replaceChildren(...certificates.slice(0, most).map((c) => {
    const left = c.expires ? Date.parse(c.expires) - Date.now() : 0;
    const state = !c.expires ? ["none yet", "bad"] : left <= 0 ? ["expired", "bad"] : c.error ? ["can't be renewed", "bad"] : ["good", "good"];
    return row(labels, [
      [c.name || c.file, "name", c.name ? c.file : ""], state, [day(c.expires), left < 7 * 86400e3 ? "wide bad" : "wide"], [day(c.renews), "wide"],
      [c.failures ? count(c.failures) : "", "n bad"], [c.next ? new Date(c.next).toLocaleTimeString() : "", "wide"], [c.error || "", "long bad"],
    ]);
  }));
}

// away is how far a time is from now.
function away(time) {
  const hours = (Date.parse(time) - Date.now()) / 3600e3, n = Math.abs(hours);
  const text = n >= 48 ? `${Math.round(n / 24)} days` : n >= 1 ? `${Math.round(n)} h` : `${Math.round(n * 60)} min`;
  return hours < 0 ? `${text} ago` : `in ${text}`;
}

// drawPlugins shows what became of the calls of plug-ins.
function drawPlugins(plugins) {
  document.getElementById("plugged").hidden = !plugins.length;
  const table = document.getElementById("plugins"), labels = labelsOf(table);
  table.tBodies[0].replaceChildren(...plugins.slice(0, most).map((p) => row(labels, [
    [p.name, "name", p.file], p.problem ? [p.problem, "wide bad"] : ["runs", "good"], [count(p.requests), "n"], [count(p.responses), "n"], [count(p.replied), "n"],
    [count(total(p.failed)), total(p.failed) ? "n bad" : "n"], [Object.entries(p.failed || {}).map(([why, n]) => `${why} (${count(n)})`).join(", "), "wide"],
    [number(p.mean_ms), "n"], [count(p.instances), "n"], [size(p.memory_bytes), "n"],
  ], !(p.requests + p.responses))));
}

function count(n) { return n.toLocaleString("en"); }

function size(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(4, Math.floor(Math.log2(bytes) / 10));
  return `${power ? (bytes / 1024 ** power).toPrecision(3) : bytes} ${["B", "KiB", "MiB", "GiB", "TiB"][power]}`;
}

function set(id, text, bad) {
  const at = document.getElementById(id);
  at.textContent = text;
  at.className = bad ? "bad" : "";
}

function drawCards(ready) {
  let rate = 0, bad = 0;
  const took = new Map();
  for (const { f } of shown) {
    rate += f.rate;
    bad += f.bad;
    for (const [bucket, n] of f.took) took.set(bucket, (took.get(bucket) || 0) + n);
  }
  set("rate", number(rate) || "0");
  set("errors", rate ? share(bad / rate, 2) : "–", bad > 0);
  for (const [id, q] of [["p50", 0.5], ["p99", 0.99]]) {
    const ms = quantile(took, q);
    set(id, ms === null ? "–" : number(ms) + " ms");
  }
  set("clients", ready.clients.toLocaleString("en"));
}

async function get(path) {
  const response = await fetch(path);
  return response.json();
}

async function look() {
  const state = document.getElementById("state");
  try {
    const [ready, routes, upstreams, canaries, mirrors, cache, asked, certificates, plugins] = await Promise.all(
      ["ready", "routes?histograms", "upstreams?histograms", "canaries", "mirrors", "cache", "identity", "certificates", "plugins"].map(get));
    looks.push(performance.now());
    if (looks.length > kept) looks.shift();
    state.textContent = ready.draining ? "draining" : "ready";
    state.className = ready.ready ? "good" : "bad";
    document.getElementById("where").textContent = [ready.listen.join(", "), `version ${ready.version}`, ready.config].filter(Boolean).join(" · ");
    document.title = "nanogate " + ready.listen.join(" ");
    const problems = document.getElementById("problems");
    problems.hidden = !ready.problems;
    problems.replaceChildren(...(ready.problems || []).map((p) => { const li = document.createElement("li"); li.textContent = p; return li; }));
    shown = routes.map((r) => ({ r, f: note("route " + r.name, r.figures) }));
    drawRoutes();
    drawUpstreams(upstreams);
    drawCards(ready);
    drawCanaries(canaries);
    drawCache(cache, routes);
    drawIdentity(asked);
    drawCertificates(certificates);
    drawPlugins(plugins);
    await drawMirrors(mirrors);
    for (const [key, s] of series) if (s.at !== looks[looks.length - 1]) series.delete(key); // it is gone
  } catch (error) {
    state.textContent = "the gateway doesn't respond";
    state.className = "bad";
  }
  setTimeout(look, 1000);
}

document.getElementById("filter").addEventListener("input", drawRoutes);
for (const th of document.querySelectorAll("#routes th[data-sort]")) {
  th.addEventListener("click", () => {
    sort = sort === th.dataset.sort ? "" : th.dataset.sort;
    for (const other of document.querySelectorAll("#routes th")) other.removeAttribute("aria-sort");
    if (sort) th.setAttribute("aria-sort", "descending");
    drawRoutes();
  });
}
look();
