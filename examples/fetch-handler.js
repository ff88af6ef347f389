/**
 * An endpoint of OpenAI's chat-completions that Claude answers. It runs as it is as a Cloudflare Worker, with
 * `deno serve`, and with Bun; in Node, pass `fetch` to any server that takes such handlers.
 */

import {
  renderError,
  translateAnswer,
  translateError,
  translateRequest,
  translateStream,
} from 'fourwire/translate';

const FORMAT = 'chat-completions';

export default {
  /**
   * @param {Request} incoming
   * @param {{ readonly ANTHROPIC_API_KEY?: string, readonly ANTHROPIC_BASE_URL?: string }} [environment]
   * @returns {Promise<Response>}
   */
  async fetch(incoming, environment = {}) {
    const { ANTHROPIC_API_KEY = '', ANTHROPIC_BASE_URL = 'https://api.anthropic.com' } = environment;
    try {
      // What is no JSON gets the 400 of what is no object.
      const body = await incoming.json().catch(() => null);
      const request = translateRequest({ from: FORMAT, to: 'messages', model: 'claude-sonnet-5-5', body });
      const answer = await fetch(`${ANTHROPIC_BASE_URL}/v1/messages`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': ANTHROPIC_API_KEY,
          'anthropic-version': '2023-06-01',
          ...request.headers,
        },
        body: JSON.stringify(request.body),
      });
      const way = /** @type {const} */ ({ from: 'messages', to: FORMAT, request });
      if (!answer.ok)
        return failed(translateError({ ...way, status: answer.status, body: await answer.text() }));
      if (!request.stream) return Response.json(translateAnswer({ ...way, body: await answer.json() }));
      const events = answer.body?.pipeThrough(translateStream(way));
      return new Response(events, { headers: { 'content-type': 'text/event-stream' } });
    } catch (error) {
      return failed(renderError(error, FORMAT));
    }
  },
};

/** @param {import('fourwire/translate').ErrorAnswer} error */
function failed({ status, body }) {
  return Response.json(body, { status });
}
