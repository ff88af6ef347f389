/** A gateway in an h3 server. OpenAI's SDKs take `http://localhost:3000/llm/v1` as their base URL. */

import { createGateway } from 'fourwire';
import { H3, serve } from 'h3';

const gateway = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env },
);
const app = new H3();
app.mount('/llm', gateway.fetch);
serve(app, { port: Number(process.env['PORT'] ?? 3000) });
