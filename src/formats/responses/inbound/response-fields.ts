/** Renders the response object (OpenAI API reference, "The response object"), of a whole answer or of a stream's events. */

import { findAdditionalFields, findRoundTrip } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { Choice, ReplyStart, Usage } from '../../../conversation/reply.ts';
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  type Json,
  type JsonObject,
  withoutFields,
} from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import type { RequestContext } from '../../format.ts';
import { renderFinishFields, renderIncompleteDetails } from '../wire/finish-reasons.ts';
import { renderUsage } from '../wire/usage.ts';
import { echoSettings } from './echo-settings.ts';
import { EchoedSettings, RenderedResponse } from './rendered-response.ts';

/** OpenAI's words for service tiers. The tiers of other vendors are all rendered as `default`. */
const TIERS = wordSet('auto default flex scale priority fast ultrafast');

/** OpenAI's fields of a response that it does not always have, and that of its SDKs. This file writes all others. */
const STANDARD = wordSet(`
  billing content_filters context_management conversation image include input_transformations moderation output_text
  prompt prompt_cache_diagnostics prompt_cache_options tool_usage user
`);
const MODERATION: readonly string[] = ['moderation'];

/** An answer as far as it came. */
export interface Progress {
  readonly start: ReplyStart;
  readonly output: readonly JsonObject[];
  readonly usage: Usage;
  /** Whether the answer contains a refusal in words. */
  readonly refused: boolean;
  /** Additional fields. */
  readonly additional: JsonObject;
}

/** Renders the response objects of one answer. */
export class ResponseRenderer {
  readonly #request: RequestContext;
  readonly #settings: EchoedSettings;
  readonly #askedTier: string;

  constructor(request: RequestContext) {
    const asked = asText(request.body['service_tier']) ?? '';
    this.#request = request;
    this.#settings = new EchoedSettings(echoSettings(request.body));
    this.#askedTier = TIERS.has(asked) ? asked : 'auto';
  }

  /** Renders a response in progress: little more is known than the request. @param output the items so far */
  begun(start: ReplyStart, output: readonly JsonObject[] = []): RenderedResponse {
    return this.#render(start, { status: 'in_progress', service_tier: this.#askedTier, output });
  }

  ended({ start, output, usage, refused, additional }: Progress, end: Choice['end']): RenderedResponse {
    const details = renderIncompleteDetails(end, refused);
    const tier = start.serviceTier ?? '';
    const allAdditional = {
      ...findAdditionalFields(end, 'responses', STANDARD),
      ...renderFinishFields(end),
      ...additional,
    };
    const created = start.created ?? this.#request.created;
    const fields = {
      status: details === null ? 'completed' : 'incomplete',
      // Only a completed response has it (API reference).
      completed_at: details === null ? findCompletedAt(end, created) : null,
      incomplete_details: details,
      service_tier: TIERS.has(tier) ? tier : 'default',
      output,
      // Strict clients refuse a finished response without usage, so figures that the vendor did not send are zero.
      usage: renderUsage({ input: 0, output: 0, ...usage }),
    };
    return this.#render(start, fields, allAdditional);
  }

  failed(
    { start, output, usage }: Progress,
    error: { readonly code: string; readonly message: string },
  ): RenderedResponse {
    return this.#render(start, {
      status: 'failed',
      error,
      service_tier: this.#askedTier,
      output,
      usage: renderUsage(usage),
    });
  }

  #render(start: ReplyStart, fields: JsonObject, additional: JsonObject = {}): RenderedResponse {
    const request = this.#request;
    const { id, created, model } = start;
    const reported = { ...findAdditionalFields(start, 'responses', STANDARD), ...additional };
    const others = {
      ...withoutFields(reported, MODERATION),
      ...renderModeration(reported['moderation']),
    };
    const head = renderHead(
      prefixedId('resp_', id || request.id),
      created ?? request.created,
      model || request.prompt.model,
    );
    return new RenderedResponse(this.#settings, { ...head, ...fields }, others);
  }
}

/** Finds when the answer was complete, in Unix seconds: now, unless the vendor says it. Its clock may be ahead. */
function findCompletedAt({ formatSpecific }: Choice['end'], created: number): number {
  const { completed_at } = findRoundTrip(formatSpecific, 'responses');
  return asNumber(completed_at) ?? Math.max(created, secondsNow());
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** Renders what every response begins with. @param created Unix seconds */
function renderHead(id: string, created: number, model: Json): JsonObject {
  return {
    id,
    object: 'response',
    created_at: created,
    completed_at: null,
    model,
    error: null,
    incomplete_details: null,
    usage: null,
  };
}

/** Renders the response to a request that wants no output yet (OpenAI, "WebSocket mode": `generate: false`). */
export function renderEmptyResponse(body: JsonObject, id: string): JsonObject {
  const now = secondsNow();
  return {
    ...echoSettings(body),
    ...renderHead(id, now, body['model'] ?? ''),
    completed_at: now,
    status: 'completed',
    service_tier: 'default',
    output: [],
    usage: renderUsage({ input: 0, output: 0 }),
  };
}

/**
 * Renders the results of OpenAI's moderation: `{ moderation }`, to be spread, or nothing if there are none.
 * @param moderation of an answer: chat-completions has lists of results, and this format has single ones.
 */
function renderModeration(moderation: Json | undefined): JsonObject {
  const sides = asObject(moderation);
  if (sides === undefined) return {};
  return {
    moderation: Object.fromEntries(Object.entries(sides).map(([side, result]) => [side, toSingle(result)])),
  };
}

function toSingle(side: Json | undefined): Json {
  const { type, results } = asObject(side) ?? {};
  return type === 'moderation_results' ? (asObjects(results)[0] ?? null) : (side ?? null);
}
