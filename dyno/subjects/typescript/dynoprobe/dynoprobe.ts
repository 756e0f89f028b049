// Tells dyno of Bun's heap, where DYNO_PROBE_SOCKET names a socket: of its collections
// JavaScriptCore tells nothing to programs. A process that is measured imports it for its
// effect; it neither logs nor keeps the process from ending. dyno/docs/add-a-language.md
// describes what is said.

import { connect } from 'node:net';

const socket = process.env.DYNO_PROBE_SOCKET;
if (socket) tell(socket);

function tell(path: string): void {
  let took = 0; // µs, of the previous response

  const answer = () => {
    const began = performance.now();
    conn.write(`${JSON.stringify({ mono: Number(process.hrtime.bigint()), heap: process.memoryUsage().heapUsed, self_us: took })}\n`);
    took = (performance.now() - began) * 1e3;
  };

  let asked = '';
  const conn = connect(path).unref().setEncoding('latin1');
  conn.on('error', () => {}); // dyno has gone
  conn.on('data', (text: string) => {
    const lines = (asked + text).split('\n');
    asked = lines.pop()!.slice(0, 64);
    for (const line of lines) {
      if (line !== 'sample') return conn.destroy();
      answer();
    }
  });
  conn.write(`${JSON.stringify({ dynoprobe: 1, pid: process.pid, tells: ['heap', 'helper_us'] })}\n`);
}
