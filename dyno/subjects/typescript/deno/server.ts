// The subject typescript/deno: Hono on Deno. deno serve runs it on each CPU.

import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { validator } from 'hono/validator';
import { z } from 'zod';

const newUser = z.object({
  name: z.string().min(1).max(100),
  email: z.string().includes('@'),
  age: z.int().min(0).max(150),
  tags: z.array(z.string()).max(10).default([]),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string() }).partial().optional(),
  bio: z.string().default(''),
});

const app = new Hono();

app.get('/plaintext', (c) => c.text('Hello, World!'));

app.get('/json', (c) => c.json({ message: 'Hello, World!' }));

app.get('/users/:id/profile', (c) => {
  const id = c.req.param('id');
  return c.json({ id, name: `User ${id}`, email: `user${id}@example.com` });
});

const checked = validator('json', (value, c) => {
  const { success, data, error } = newUser.safeParse(value);
  if (success) return data;
  const [first] = error.issues;
  return c.json({ error: `${String(first.path[0] ?? 'body')}: ${first.message}` }, 400);
});

app.post('/api/users', checked, (c) => {
  const { name, email } = c.req.valid('json');
  c.header('Location', '/users/1/profile');
  return c.json({ id: '1', name, email }, 201);
});

// What the JSON parser refuses is the client's mistake.
app.onError((err, c) => {
  const status = err instanceof HTTPException ? err.status : 500;
  return c.json({ error: `body: ${err.message}` }, status);
});

// Deno ends by SIGTERM itself, but with --parallel misses one in ten. Handlers don't wait, so
// what has come in has its response.
Deno.addSignalListener('SIGTERM', () => setTimeout(() => Deno.exit(0), 100));

export default { fetch: app.fetch };
