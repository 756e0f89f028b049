// The subject node/express: one process for each CPU, by Node's cluster module.

import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  args: process.argv.slice(2).map((a) => a.replace(/^-(?=host$|port$)/, '--')),
  options: { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string', default: '8080' } },
});

if (cluster.isPrimary) {
  for (let i = 0; i < availableParallelism(); i++) cluster.fork();
  cluster.on('exit', () => {
    if (Object.keys(cluster.workers).length === 0) process.exit(0);
  });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => Object.values(cluster.workers).forEach((w) => w.process.kill('SIGTERM')));
  }
} else {
  await import('./dynoprobe.js'); // the build puts it beside this
  const { app } = await import('./app.js');
  const server = app.listen(Number(values.port), values.host);
  // Lets requests in flight finish, for at most 2 s.
  const end = () => {
    server.close(() => process.exit(0));
    setTimeout(() => process.exit(0), 2000).unref();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
