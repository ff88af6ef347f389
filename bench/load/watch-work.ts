/**
 * `node --import watch-work.ts PROGRAM`: measures for how long the program's main thread does not return to its event
 * loop. A GET at the port in WATCH_WORK returns the longest such time since the last GET as JSON, in milliseconds.
 */

import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  turns.enable();
  createServer((_request, response) => {
    response.end(JSON.stringify({ longest: turns.max / 1e6 }));
    turns.reset();
  })
    .listen(Number(process.env['WATCH_WORK']), '127.0.0.1')
    .unref();
}
