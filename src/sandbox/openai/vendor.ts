/** OpenAI, simulated: its key, its paths, its models. */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { answerChat } from '../chat-completions/answer.ts';
import { header, type VendorAnswer, type VendorRequest, whole } from '../exchange.ts';
import { answerResponses } from '../responses/answer.ts';
import { compactResponses, countResponses } from '../responses/count-and-compact.ts';
import { answerStored, notAllowed } from '../responses/stored.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { lookUp, type OpenaiVendor } from './request.ts';
import { openaiRefusal } from './words.ts';

/** What OpenAI has beside answers, and the compatible services do not. */
const BESIDE: Readonly<
  Partial<Record<string, (request: VendorRequest, state: SandboxState) => VendorAnswer>>
> = {
  '/responses/input_tokens': countResponses,
  '/responses/compact': compactResponses,
};

/**
 * Answers one request as OpenAI does.
 * @returns the answer, whole or streamed, still to be written
 * @throws Refused with OpenAI's own error
 */
export function openaiAnswer(
  vendor: OpenaiVendor,
  request: VendorRequest,
  state: SandboxState,
): VendorAnswer {
  const { method, path } = request;
  checkKey(request, state.keys[vendor]);
  const stored = BESIDE[path] === undefined ? answerStored(request, state) : undefined;
  if (stored !== undefined) return stored;
  const beside = vendor === 'openai' ? BESIDE[path] : undefined;
  const posted = beside !== undefined || ['/chat/completions', '/responses'].includes(path);
  const listed = path === '/models' || path.startsWith('/models/');
  if (!posted && !listed) throw openaiRefusal(404, { message: `Invalid URL (${method} /v1${path})` });
  if (method !== (posted ? 'POST' : 'GET')) throw notAllowed(request);
  if (path === '/models') return whole({ object: 'list', data: [...state.models[vendor]].map(modelEntry) });
  if (listed) return whole(modelEntry(lookUp(vendor, state, path.slice('/models/'.length))));
  if (beside !== undefined) return beside(request, state);
  return path === '/responses' ? answerResponses(vendor, request, state) : answerChat(vendor, request, state);
}

function modelEntry([id, model]: readonly [string, Model]): JsonObject {
  return { id, object: 'model', created: model.created, owned_by: 'system' };
}

function checkKey(request: VendorRequest, key: string): void {
  const given = /^Bearer\s+(.*)$/i.exec(header(request, 'authorization') ?? '')?.[1]?.trim() ?? '';
  if (given === key) return;
  const where = 'You can find your API key at https://platform.openai.com/account/api-keys.';
  throw given === ''
    ? openaiRefusal(401, {
        message:
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth " +
          '(i.e. Authorization: Bearer YOUR_KEY).',
      })
    : openaiRefusal(401, {
        message: `Incorrect API key provided: ${masked(given)}. ${where}`,
        code: 'invalid_api_key',
      });
}

function masked(key: string): string {
  return key.length < 12 ? key : `${key.slice(0, 8)}****${key.slice(-4)}`;
}
