/** A gateway in a Deno server: `deno run --allow-env --allow-net --allow-read --allow-sys deno.js`. */

import process from 'node:process';
import { createGateway } from 'fourwire';

const gateway = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env, basePath: '/llm' },
);
Deno.serve({ port: Number(process.env['PORT'] ?? 3000) }, (request) => gateway.fetch(request));
