// Tells dyno of V8's collections, where DYNO_PROBE_SOCKET names a socket. A process that is
// measured imports it for its effect; it neither logs nor keeps the process from ending.
// dyno/docs/add-a-language.md describes what is said.

import { connect } from 'node:net';
import { PerformanceObserver, constants, performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const { NODE_PERFORMANCE_GC_MAJOR: MAJOR, NODE_PERFORMANCE_GC_MINOR: MINOR } = constants;

if (process.env.DYNO_PROBE_SOCKET) tell(process.env.DYNO_PROBE_SOCKET);

function tell(socket) {
  const since = { cycles: 0, pause: 0, longest: 0, took: 0 };

  // V8 stops for each of these; a step of marking is no collection by itself.
  const note = (entries) => {
    for (const { duration, detail } of entries) {
      if (detail.kind === MAJOR || detail.kind === MINOR) since.cycles++;
      since.pause += duration;
      since.longest = Math.max(since.longest, duration);
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });

  const respond = () => {
    const began = performance.now();
    note(observer.takeRecords());
    conn.write(`${JSON.stringify({
      mono: Number(process.hrtime.bigint()),
      gc_cycles: since.cycles,
      gc_pause_s: since.pause / 1e3,
      gc_pause_max_s: since.longest / 1e3,
      heap: getHeapStatistics().used_heap_size,
      self_us: since.took,
    })}\n`);
    since.longest = 0;
    since.took = (performance.now() - began) * 1e3;
  };

  let asked = '';
  const conn = connect(socket).unref().setEncoding('latin1');
  conn.on('error', () => observer.disconnect());
  conn.on('close', () => observer.disconnect());
  conn.on('data', (text) => {
    const lines = (asked + text).split('\n');
    asked = lines.pop().slice(0, 64);
    for (const line of lines) {
      if (line !== 'sample') return conn.destroy();
      respond();
    }
  });
  const tells = ['gc_cycles', 'gc_pause', 'gc_pause_max', 'heap', 'helper_us'];
  conn.write(`${JSON.stringify({ dynoprobe: 1, pid: process.pid, tells })}\n`);
}
