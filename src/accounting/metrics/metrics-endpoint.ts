/** `GET /metrics`: on the admin's listener, and on the callers' own for whoever has the admin's key. */

import type { IncomingMessage } from 'node:http';

/** What is asked for figures: one process's, or those of several as one (`renderAll`). */
export type RenderMetrics = () => Promise<string>;

/** Prometheus's text format (exposition format 0.0.4). */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The figures, for whoever may read them: who that is has been settled before. */
export async function answerMetrics(render: RenderMetrics): Promise<Response> {
  const text = await render();
  return new Response(text, { headers: { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' } });
}

/**
 * The same where callers come too.
 * @param admit throws unless the request has the admin's key.
 * @returns undefined for anybody else: to them there is no such path.
 */
export function answerMetricsToAdmin(
  render: RenderMetrics,
  admit: (message: IncomingMessage) => void,
  message: IncomingMessage,
): Promise<Response> | undefined {
  try {
    admit(message);
  } catch {
    return undefined;
  }
  return answerMetrics(render);
}
