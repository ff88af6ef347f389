/** A gateway in Next: this file is `app/llm/[...path]/route.js`. */

import { createGateway } from 'fourwire';

const { fetch } = createGateway(
  { keys: [{ name: 'app', key: process.env['GATEWAY_KEY'] }] },
  { environment: process.env, basePath: '/llm' },
);

export { fetch as DELETE, fetch as GET, fetch as OPTIONS, fetch as POST };
