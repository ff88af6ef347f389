/** `gateway start`: serves until it is stopped. */

import cluster from 'node:cluster';
import { command } from './command.ts';

export const start = command({
  name: 'start',
  description: 'Start the gateway.',
  options: {
    config: {
      type: 'string',
      description: 'Configuration file (default: GATEWAY_CONFIG, or gateway.config.*)',
    },
    host: { type: 'string', description: 'Address to listen on (default: HOST, or 127.0.0.1)' },
    port: { type: 'string', description: 'Port to listen on (default: PORT, or 8787)' },
    workers: { type: 'string', description: 'Number of processes that serve (default: WORKERS, or 1)' },
  },
  async run(args) {
    const surroundings = {
      directory: process.cwd(),
      environment: {
        ...process.env,
        ...(args.config !== undefined && { GATEWAY_CONFIG: args.config }),
        ...(args.host !== undefined && { HOST: args.host }),
        ...(args.port !== undefined && { PORT: args.port }),
        ...(args.workers !== undefined && { WORKERS: args.workers }),
      },
    };
    if (cluster.isWorker) {
      const { serveAsWorker } = await import('./serve-as-worker.ts');
      return serveAsWorker(surroundings);
    }
    const { prepareStart } = await import('./prepare-start.ts');
    const prepared = await prepareStart(surroundings);
    if (prepared.settings.config.workers === 1) {
      const { serveAlone } = await import('./serve-alone.ts');
      return serveAlone(prepared);
    }
    const { superviseWorkers } = await import('./supervise-workers.ts');
    return superviseWorkers(prepared);
  },
});
