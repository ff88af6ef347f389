/** A gateway in a Hono server on Node. */

import { serve } from '@hono/node-server';
import { createGateway } from 'fourwire';
import { Hono } from 'hono';

const gateway = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env },
);
const app = new Hono();
app.mount('/llm', gateway.fetch);
serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) });
