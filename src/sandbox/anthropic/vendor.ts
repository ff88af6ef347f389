/** Anthropic, simulated: its key and version headers, its paths, its models. */

import type { JsonObject } from '../../lib/json.ts';
import { asText, isObject } from '../../lib/json.ts';
import { header, Refused, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { answerMessages } from '../messages/answer.ts';
import { tokensOfMessages } from '../messages/ask.ts';
import { checkBlocks } from '../messages/check-blocks.ts';
import { newId, type SandboxState } from '../sandbox-state.ts';
import { countTokensRequest } from '../schemas/messages.ts';
import { checkedBody, type Known, lookUp } from './request.ts';
import { anthropicRefusal, badRequest } from './words.ts';

/**
 * Answers one request as Anthropic does.
 * @returns the answer, whole or streamed, still to be written
 * @throws Refused with Anthropic's own error, which has the request's id in the body as well
 */
export function anthropicAnswer(request: VendorRequest, state: SandboxState): VendorAnswer {
  const id = `req_011${newId().slice(0, 21)}`;
  try {
    const answer = routed(request, state);
    return { ...answer, headers: { ...answer.headers, 'request-id': id } };
  } catch (error) {
    if (!(error instanceof Refused) || !isObject(error.body)) throw error;
    throw new Refused(error.status, { ...error.body, request_id: id }, error.subject, {
      'request-id': id,
      'x-should-retry': error.status >= 500 ? 'true' : 'false',
    });
  }
}

function routed(request: VendorRequest, state: SandboxState): VendorAnswer {
  const { path, method } = request;
  checkHeaders(request, state.keys.anthropic);
  const posted = path === '/v1/messages' || path === '/v1/messages/count_tokens';
  const listed = path === '/v1/models' || path.startsWith('/v1/models/');
  if (!posted && !listed) throw anthropicRefusal(404, 'Not Found');
  if (method !== (posted ? 'POST' : 'GET')) throw anthropicRefusal(405, 'Method Not Allowed');
  if (path === '/v1/models') return whole(modelList(state));
  if (listed) return whole(modelEntry(lookUp(state, path.slice('/v1/models/'.length))));
  if (path === '/v1/messages') return answerMessages(request, state);
  const body = checkedBody(request, countTokensRequest);
  lookUp(state, asText(body['model']) ?? '');
  checkBlocks(body);
  return whole({ input_tokens: tokensOfMessages(body) });
}

/** The versions of the format, and the one that the SDK asks for since 1.0. */
const VERSIONS: readonly string[] = ['2023-01-01', '2023-06-01', '2026-10-21'];

function checkHeaders(request: VendorRequest, key: string): void {
  // The SDK sends its key as a bearer token since 1.0, and plain HTTP clients send it as `x-api-key`.
  const bearer = /^Bearer\s+(.*)$/i.exec(header(request, 'authorization') ?? '')?.[1];
  const given = header(request, 'x-api-key') ?? bearer;
  if (given === undefined) throw anthropicRefusal(401, 'x-api-key header is required');
  if (given !== key) throw anthropicRefusal(401, 'invalid x-api-key');
  const version = header(request, 'anthropic-version');
  if (version === undefined) throw badRequest('anthropic-version: header is required');
  if (!VERSIONS.includes(version)) {
    throw badRequest(`anthropic-version: "${version.slice(0, 40)}" is not a valid version`);
  }
}

function modelList(state: SandboxState): JsonObject {
  const data = [...state.models.anthropic].map(modelEntry);
  return { data, has_more: false, first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null };
}

function modelEntry([id, model]: Known): JsonObject {
  return {
    type: 'model',
    id,
    display_name: model.name,
    created_at: new Date(model.created * 1000).toISOString(),
    max_input_tokens: model.contextWindow,
    max_tokens: model.maxOutputTokens,
  };
}
