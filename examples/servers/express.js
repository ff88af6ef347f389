/** A gateway in an Express server, by srvx's adapter. It stands before everything that reads bodies. */

import express from 'express';
import { createGateway } from 'fourwire';
import { toNodeHandler } from 'srvx/node';

const gateway = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env, basePath: '/llm' },
);
const app = express();
app.use('/llm', toNodeHandler(gateway.fetch));
app.listen(Number(process.env['PORT'] ?? 3000));
