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
 * The same where callers come too: only with the admin's key, as a bearer (RFC 6750).
 * @param isAdmin whether that is the admin's key; compares in constant time, and says no where there is none.
 * @returns undefined for anybody else: to them there is no such path.
 */
export function answerMetricsToAdmin(
  render: RenderMetrics,
  isAdmin: (key: string) => boolean,
  message: IncomingMessage,
): Promise<Response> | undefined {
  const key = /^bearer +(\S+)$/i.exec(message.headers.authorization ?? '')?.[1];
  return key !== undefined && isAdmin(key) ? answerMetrics(render) : undefined;
}
