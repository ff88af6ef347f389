/** `GET /metrics`: on the admin listener, and on the callers' listener with the admin key. */

import type { CallerRequest } from '../../access/caller.ts';

/** Renders the figures of one process, or of several as one (`renderAll`). */
export type RenderMetrics = () => Promise<string>;

/** Prometheus's text format (exposition format 0.0.4). */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Answers with the figures. The caller has been authenticated before. */
export async function answerMetrics(render: RenderMetrics): Promise<Response> {
  const text = await render();
  return new Response(text, { headers: { 'content-type': CONTENT_TYPE, 'cache-control': 'no-store' } });
}

/**
 * Answers on the callers' listener.
 * @param admit throws unless the request has the admin key.
 * @returns undefined without the admin key: to others this path does not exist.
 */
export function answerMetricsToAdmin(
  render: RenderMetrics,
  admit: (message: CallerRequest) => void,
  message: CallerRequest,
): Promise<Response> | undefined {
  try {
    admit(message);
  } catch {
    return undefined;
  }
  return answerMetrics(render);
}
