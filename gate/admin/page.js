"use strict";

// Counts of the last look, by series, so that rates can be told.
let before = new Map(), looked = 0;

function rate(now, key, count, seconds) {
  const last = before.get(key);
  now.set(key, count);
  return last === undefined || seconds <= 0 ? "" : number(Math.max(0, count - last) / seconds);
}

function number(x) {
  if (x === 0) return "0";
  return x >= 100 ? Math.round(x).toLocaleString("en") : x.toPrecision(3);
}

function total(counts) { return Object.values(counts || {}).reduce((a, b) => a + b, 0); }

function row(cells) {
  const tr = document.createElement("tr");
  for (const [text, className] of cells) {
    const td = document.createElement("td");
    td.textContent = text; // never as HTML: names come from files
    if (className) td.className = className;
    tr.append(td);
  }
  return tr;
}

function figures(now, key, f, seconds, failed) {
  const bad = (f.status || {})["5xx"] || 0;
  const cells = [
    [rate(now, key, f.requests, seconds), "n"],
    [rate(now, key + " 5xx", bad, seconds), "n"],
  ];
  if (failed) cells.push([rate(now, key + " failed", total(f.failed), seconds), "n"]);
  cells.push([f.requests ? number(f.p50_ms) : "", "n"], [f.requests ? number(f.p99_ms) : "", "n"], [f.requests.toLocaleString("en"), "n"]);
  return cells;
}

function destination(r) {
  if (r.broken) return ["can't be served", "bad"];
  if (r.redirect) return ["redirect " + r.redirect];
  if (r.respond) return ["answer " + r.respond];
  return [r.to.map((t) => r.to.length > 1 ? `${t.upstream} (${t.weight})` : t.upstream).join(", ")];
}

async function get(path) {
  const response = await fetch(path);
  return response.json();
}

async function look() {
  const state = document.getElementById("state");
  try {
    const [ready, routes, upstreams] = await Promise.all([get("ready"), get("routes"), get("upstreams")]);
    const at = performance.now(), seconds = looked ? (at - looked) / 1000 : 0, now = new Map();
    state.textContent = `${ready.draining ? "draining" : "ready"} · ${ready.listen.join(", ")} · ${ready.clients} connections${ready.config ? " · " + ready.config : ""}`;
    state.className = ready.ready ? "good" : "bad";
    const problems = document.getElementById("problems");
    problems.hidden = !ready.problems;
    problems.replaceChildren(...(ready.problems || []).map((p) => { const li = document.createElement("li"); li.textContent = p; return li; }));
    document.querySelector("#routes tbody").replaceChildren(...routes.map((r) => row([
      [r.name],
      [[(r.methods || []).join("|"), (r.hosts || []).join("|") + r.path].filter(Boolean).join(" ")],
      destination(r),
      ...figures(now, "route " + r.name, r.figures, seconds, true),
    ])));
    document.querySelector("#upstreams tbody").replaceChildren(...upstreams.flatMap((u) => u.endpoints.map((e, i) => row([
      [i ? "" : u.name + (u.panic ? " (all are doubtful)" : "")],
      [e.address],
      e.usable ? ["up", "good"] : [(e.marks || ["away"]).join(", "), "bad"],
      [String(e.active), "n"],
      ...figures(now, `endpoint ${u.name} ${e.address}`, e.figures, seconds, false),
    ]))));
    before = now;
    looked = at;
  } catch (error) {
    state.textContent = "the gateway doesn't answer";
    state.className = "bad";
  }
  setTimeout(look, 1000);
}

look();
