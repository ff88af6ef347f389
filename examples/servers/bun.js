/** A gateway in a Bun server. */

import { createGateway } from 'fourwire';

const gateway = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env, basePath: '/llm' },
);
Bun.serve({
  port: Number(process.env['PORT'] ?? 3000),
  // A vendor may think for longer than the 10 seconds after which Bun closes a silent connection.
  idleTimeout: 255,
  routes: { '/llm/*': (request) => gateway.fetch(request) },
});
