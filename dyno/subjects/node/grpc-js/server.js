// The subject node/grpc-js: gRPC's own implementation for Node, as its guide has it.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';

import { serviceFor, settingsOf } from './echo.js';

const { values } = parseArgs({
  args: process.argv.slice(2).map((a) => a.replace(/^-(?=host$|port$)/, '--')),
  options: { host: { type: 'string', default: '127.0.0.1' }, port: { type: 'string', default: '8080' } },
});
const settings = settingsOf(process.env);

const definition = protoLoader.loadSync(fileURLToPath(new URL('echo.proto', import.meta.url)), { longs: Number });
const { Echo } = grpc.loadPackageDefinition(definition).dyno.echo.v1;

const options = settings.streams ? { 'grpc.max_concurrent_streams': settings.streams } : {};
const server = new grpc.Server(options);
server.addService(Echo.service, serviceFor(settings));
new HealthImplementation({ '': 'SERVING' }).addToServer(server);
new ReflectionService(definition).addToServer(server);

server.bindAsync(`${values.host}:${values.port}`, credentials(), (err) => {
  if (err) {
    console.error(err.message);
    process.exit(1);
  }
});

// credentials give TLS where the environment names a certificate and its key.
function credentials() {
  const { DYNO_TLS_CERT: cert, DYNO_TLS_KEY: key } = process.env;
  if (!cert || !key) return grpc.ServerCredentials.createInsecure();
  return grpc.ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(cert), private_key: readFileSync(key) }]);
}

// end lets calls in flight finish, for at most 2 s.
function end() {
  server.tryShutdown(() => process.exit(0));
  setTimeout(() => {
    server.forceShutdown();
    process.exit(0);
  }, 2000).unref();
}
process.on('SIGTERM', end);
process.on('SIGINT', end);
