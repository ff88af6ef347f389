/**
 * What messages demands of thinking blocks that come back: they are signed by Anthropic, unchanged, and present where
 * tools are used.
 */

import type { Json, JsonObject } from '../../lib/json.ts';
import { asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import { badRequest } from '../anthropic/words.ts';
import type { FlawPath } from '../flaws.ts';
import { about } from '../refusal-subject.ts';
import { verify } from '../signatures.ts';
import { speaks } from './ask.ts';

const GUIDE = 'https://docs.claude.com/en/docs/build-with-claude/extended-thinking';

/**
 * Checks the thinking blocks of a request, and the options that go with thinking.
 * @throws Refused with Anthropic's own error
 */
export function checkThinking(body: JsonObject): void {
  const messages = asObjects(body['messages']);
  for (const [index, { content }] of messages.entries()) {
    for (const [at, block] of asObjects(content).entries())
      checkSignature(block, ['messages', index, 'content', at]);
    const last = asObjects(content).at(-1)?.['type'];
    if (!isThought(last)) continue;
    const fault = `The final block in an assistant message cannot be \`${last}\`.`;
    throw badRequest(`messages.${index}: ${fault}`, about('thoughts', 'messages', index));
  }
  const thinking = asObject(body['thinking']);
  const type = thinking?.['type'];
  if (type === 'disabled') checkSilence(messages);
  if (type !== 'enabled' && type !== 'adaptive') return;
  if (type === 'enabled') {
    checkBudget(body, asNumber(thinking?.['budget_tokens']) ?? 0);
    checkLastTurn(messages);
    checkChoice(body);
  }
  checkSampling(body);
}

function checkSignature(block: JsonObject, path: FlawPath): void {
  const at = path.join('.');
  const subject = about('thoughts', ...path);
  const { type } = block;
  if (type === 'thinking') {
    // A signature is the same whether the thought was shown or not, so an empty text goes with each one (documented).
    const thinking = asText(block['thinking']) || undefined;
    if (verify('anthropic', asText(block['signature']) ?? '', thinking)) return;
    throw badRequest(`${at}: Invalid \`signature\` in \`thinking\` block`, subject);
  }
  if (type !== 'redacted_thinking' || verify('anthropic', asText(block['data']) ?? '')) return;
  throw badRequest(`${at}: Invalid \`data\` in \`redacted_thinking\` block`, subject);
}

function checkBudget(body: JsonObject, budget: number): void {
  if (budget < (asNumber(body['max_tokens']) ?? 0)) return;
  throw badRequest(
    `\`max_tokens\` must be greater than \`thinking.budget_tokens\`. Please consult our documentation at ${GUIDE}#max-tokens-and-context-window-size`,
  );
}

function isThought(type: Json | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** The index of the first message of the model since the user last said something. */
function findFirst(messages: readonly JsonObject[]): number {
  const asked = messages.findLastIndex(speaks);
  return messages.findIndex(({ role }, at) => at > asked && role === 'assistant');
}

/** With thinking disabled, the model accepts none of its thinking blocks in the round that is still open. */
function checkSilence(messages: readonly JsonObject[]): void {
  const index = findFirst(messages);
  const at = asObjects(messages[index]?.['content']).findIndex(({ type }) => isThought(type));
  if (at < 0) return;
  throw badRequest(
    `messages.${index}.content.${at}: When thinking is disabled, an \`assistant\` message in the final position cannot ` +
      'contain `thinking`. To use thinking blocks, enable `thinking` in your request.',
    about('thoughts', 'messages', index, 'content', at),
  );
}

/** A turn that uses tools must begin with a thinking block; its later calls may come without one. */
function checkLastTurn(messages: readonly JsonObject[]): void {
  const results = asObjects(messages.at(-1)?.['content']).some(({ type }) => type === 'tool_result');
  const index = findFirst(messages);
  const blocks = asObjects(messages[index]?.['content']);
  if (!results || !blocks.some(({ type }) => type === 'tool_use')) return;
  const first = asText(blocks[0]?.['type']);
  if (isThought(first)) return;
  throw badRequest(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. ` +
      'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost ' +
      'set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To ' +
      `avoid this requirement, disable \`thinking\`. Please consult our documentation at ${GUIDE}`,
    about('missing thought', 'messages', index, 'content', 0, 'type'),
  );
}

/**
 * Adaptive thinking may be combined with a forced tool: the model then does not think (recorded from Claude Opus 4.6).
 */
function checkChoice(body: JsonObject): void {
  const choice = asObject(body['tool_choice'])?.['type'];
  if (choice === 'any' || choice === 'tool') {
    throw badRequest('Thinking may not be enabled when tool_choice forces tool use.');
  }
}

function checkSampling(body: JsonObject): void {
  const temperature = asNumber(body['temperature']);
  if (temperature !== undefined && temperature !== 1) {
    throw badRequest(
      `\`temperature\` may only be set to 1 when thinking is enabled. Please consult our documentation at ${GUIDE}#important-considerations-when-using-extended-thinking`,
    );
  }
  if (body['top_k'] !== undefined) {
    throw badRequest(
      `\`top_k\` must be unset when thinking is enabled. Please consult our documentation at ${GUIDE}`,
    );
  }
  const topP = asNumber(body['top_p']);
  if (topP !== undefined && topP < 0.95) {
    throw badRequest(
      `\`top_p\` must be greater than or equal to 0.95 or unset when thinking is enabled. Please consult our documentation at ${GUIDE}`,
    );
  }
}
