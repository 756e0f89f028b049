// The subject typescript/bun: Elysia on Bun, one process for each CPU.

import { Elysia, t } from 'elysia';

import './dynoprobe.ts'; // the build puts it beside this

function argument(flag: string, otherwise: string): string {
  const at = process.argv.indexOf(flag);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}

const newUser = t.Object({
  name: t.String({ minLength: 1, maxLength: 100 }),
  email: t.String({ pattern: '@' }),
  age: t.Integer({ minimum: 0, maximum: 150 }),
  tags: t.Optional(t.Array(t.String(), { maxItems: 10 })),
  address: t.Optional(t.Object({ street: t.String(), city: t.String(), zip: t.String() })),
  bio: t.Optional(t.String()),
});

const app = new Elysia({ serve: { reusePort: true, maxRequestBodySize: 1 << 20 } })
  // Named by its field, or "body".
  .onError(({ code, error, status }) => {
    if (code === 'VALIDATION') {
      const first = error.all[0] as { path?: string; message?: string; summary?: string };
      return status(400, { error: `${first?.path?.split('/')[1] || 'body'}: ${first?.summary ?? first?.message}` });
    }
    if (code === 'PARSE') return status(400, { error: `body: ${error.message}` });
    if (code === 'NOT_FOUND') return status(404, 'not found');
  })
  .get('/plaintext', ({ set }) => {
    set.headers['content-type'] = 'text/plain';
    return 'Hello, World!';
  })
  .get('/json', () => ({ message: 'Hello, World!' }))
  .get('/users/:id/profile', ({ params: { id } }) => ({ id, name: `User ${id}`, email: `user${id}@example.com` }))
  .post(
    '/api/users',
    ({ body, set }) => {
      set.status = 201;
      set.headers['location'] = '/users/1/profile';
      return { id: '1', name: body.name, email: body.email };
    },
    { body: newUser },
  )
  .listen({ hostname: argument('-host', '127.0.0.1'), port: Number(argument('-port', '8080')) });

// Lets requests in flight finish, for at most 2 s.
function end() {
  app.stop().then(() => process.exit(0));
  setTimeout(() => process.exit(0), 2000).unref();
}
process.on('SIGTERM', end);
process.on('SIGINT', end);
