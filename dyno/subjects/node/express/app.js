// The service in Express, as its guide has it.

import express from 'express';
import { z } from 'zod';

const newUser = z.object({
  name: z.string().min(1).max(100),
  email: z.string().includes('@'),
  age: z.int().min(0).max(150),
  tags: z.array(z.string()).max(10).default([]),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string() }).partial().optional(),
  bio: z.string().default(''),
});

export const app = express();
app.use(express.json({ limit: '1mb' }));

app.get('/plaintext', (req, res) => res.type('text/plain').send('Hello, World!'));

app.get('/json', (req, res) => res.json({ message: 'Hello, World!' }));

app.get('/users/:id/profile', (req, res) => {
  const { id } = req.params;
  res.json({ id, name: `User ${id}`, email: `user${id}@example.com` });
});

app.post('/api/users', (req, res) => {
  const { success, data, error } = newUser.safeParse(req.body);
  if (!success) {
    const [first] = error.issues;
    return res.status(400).json({ error: `${first.path[0] ?? 'body'}: ${first.message}` });
  }
  res.status(201).location('/users/1/profile').json({ id: '1', name: data.name, email: data.email });
});

// What the JSON parser refuses is the client's mistake.
app.use((err, req, res, next) => {
  res.status(err.status ?? 500).json({ error: `body: ${err.message}` });
});
