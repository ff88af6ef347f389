/**
 * `node bare-proxy.ts PORT UPSTREAM`: node:http and undici and nothing else: no keys, no models, no errors,
 * no limits. The floor for any gateway on Node.
 */

import { createServer } from 'node:http';
import { Agent, request } from 'undici';

const [, , port, upstream = ''] = process.argv;
const dispatcher = new Agent({ keepAliveTimeout: 4_000 });

createServer((incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (data: Buffer) => chunks.push(data));
  incoming.on('end', async () => {
    const answer = await request(`${upstream}${incoming.url}`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer sk-bench' },
      body: Buffer.concat(chunks),
    });
    const { 'content-type': type, 'content-length': length } = answer.headers;
    response.writeHead(answer.statusCode, {
      ...(type !== undefined && { 'content-type': String(type) }),
      ...(length !== undefined && { 'content-length': String(length) }),
    });
    answer.body.pipe(response);
  });
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
