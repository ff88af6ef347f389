/**
 * `node crowd.ts PORT KIND PATH MODEL`: sends heavy requests until it gets SIGTERM, and then prints how many were
 * answered. It is a process of its own, because it would otherwise hold up those that measure.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { type Connection, connect, requestBytes } from './client.ts';
import { HEAVY, heavyRequest } from './heavy.ts';
import { KEY } from './processes.ts';

const [, , port, kind = '', path = '', model = ''] = process.argv;
const address = { host: '127.0.0.1', port: Number(port), secure: false };
const request = requestBytes(
  address,
  heavyRequest(kind, path, model, { 'content-type': 'application/json', authorization: `Bearer ${KEY}` }),
);
const every = HEAVY[kind]?.every;

let answered = 0;
const free: Connection[] = [];

async function ask(): Promise<void> {
  const connection = free.pop() ?? (await connect(address));
  let said = '';
  const { status } = await connection.ask(request, (bytes) => {
    if (said.length < 1_000) said += bytes.toString('utf8');
  });
  if (status !== 200) throw new Error(`A heavy request was answered with ${status}: ${said}`);
  answered += 1;
  if (connection.usable()) free.push(connection);
}

process.once('SIGTERM', () => {
  console.log(answered);
  process.exit();
});

for (;;) {
  const asked = ask();
  if (every === undefined) await asked;
  else await wait(every);
}
