// The service of echo.proto, and what studies vary.

import grpc from '@grpc/grpc-js';

const maxCount = 100_000;

// settingsOf reads what studies vary by environment variables: wait is how long a unary
// call waits before its response, in ms, streams how many calls a connection may have
// under way (0: grpc-js' default).
export function settingsOf(env) {
  const settings = { wait: 0, streams: 0 };
  if (env.ECHO_WAIT) {
    const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?)(us|µs|ms|s)$/.exec(env.ECHO_WAIT) ?? [];
    settings.wait = Number(number) * { us: 1e-3, 'µs': 1e-3, ms: 1, s: 1e3 }[unit];
    if (!(settings.wait <= 60_000)) {
      throw new Error(`ECHO_WAIT is "${env.ECHO_WAIT}": set it to a duration such as 10ms or 1s, or not at all`);
    }
  }
  if (env.ECHO_STREAMS) {
    settings.streams = Number(env.ECHO_STREAMS);
    if (!Number.isInteger(settings.streams) || settings.streams < 1 || settings.streams > 1 << 20) {
      throw new Error(`ECHO_STREAMS is "${env.ECHO_STREAMS}": set it to a number from 1 to 1048576, or not at all`);
    }
  }
  return settings;
}

const invalid = (details) => ({ code: grpc.status.INVALID_ARGUMENT, details });

// serviceFor implements the service.
export function serviceFor({ wait }) {
  return {
    unary({ request: { text } }, callback) {
      if (text === undefined || text === '') {
        callback(invalid('text: must not be empty'));
      } else if (wait > 0) {
        setTimeout(callback, wait, null, { text });
      } else {
        callback(null, { text });
      }
    },

    serverStream(call) {
      const { text, count = 0 } = call.request;
      if (count < 1 || count > maxCount) {
        call.emit('error', invalid(`count: must be 1 to ${maxCount}, is ${count}`));
        return;
      }
      let left = count;
      const more = () => {
        while (left > 0) {
          left--;
          if (!call.write({ text })) {
            call.once('drain', more);
            return;
          }
        }
        call.end();
      };
      more();
    },

    clientStream(call, callback) {
      const sum = { messages: 0, bytes: 0 };
      call.on('data', ({ text = '' }) => {
        sum.messages++;
        sum.bytes += Buffer.byteLength(text);
      });
      call.on('end', () => callback(null, sum));
    },

    bidiStream(call) {
      call.on('data', ({ text }) => {
        if (!call.write({ text })) {
          call.pause();
          call.once('drain', () => call.resume());
        }
      });
      call.on('end', () => call.end());
    },
  };
}
