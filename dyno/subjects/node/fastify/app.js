// The service in Fastify, as its guide has it: schemas validate what comes and compile
// how what goes is written.

import Fastify from 'fastify';

const text = { type: 'string' };
const profile = { type: 'object', properties: { id: text, name: text, email: text } };

const newUser = {
  type: 'object',
  required: ['name', 'email', 'age'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    email: { type: 'string', pattern: '@' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: { type: 'array', items: text, maxItems: 10 },
    address: { type: 'object', properties: { street: text, city: text, zip: text } },
    bio: text,
  },
};

export const app = Fastify({ bodyLimit: 1 << 20 });

app.get('/plaintext', (req, reply) => reply.type('text/plain').send('Hello, World!'));

app.get(
  '/json',
  { schema: { response: { 200: { type: 'object', properties: { message: text } } } } },
  async () => ({ message: 'Hello, World!' }),
);

app.get('/users/:id/profile', { schema: { response: { 200: profile } } }, async (req) => {
  const { id } = req.params;
  return { id, name: `User ${id}`, email: `user${id}@example.com` };
});

app.post('/api/users', { schema: { body: newUser, response: { 201: profile } } }, async (req, reply) => {
  reply.code(201).header('Location', '/users/1/profile');
  return { id: '1', name: req.body.name, email: req.body.email };
});

// What the schema or the parser refuses is named by its field, or "body".
app.setErrorHandler((err, req, reply) => {
  const field = err.validation?.[0]?.instancePath.split('/')[1] || err.validation?.[0]?.params.missingProperty || 'body';
  // Fastify closes after what its parser refuses; this body was read to its end.
  if (err.code === 'FST_ERR_CTP_INVALID_JSON_BODY') reply.header('connection', 'keep-alive');
  reply.code(err.statusCode ?? 500).send({ error: `${field}: ${err.message}` });
});
