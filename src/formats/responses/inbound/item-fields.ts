/** Fields of messages and tool outputs that only OpenAI understands. */

import { wordList } from '../../../lib/words.ts';
export const OPENAI_ITEM_FIELDS: ReadonlySet<string> = new Set([
  ...wordList('caller created_by id name namespace phase status'),
  // In no reference. Codex sends it with every item if it takes its provider for OpenAI, and it does so even if only the
  // address of the provider was changed.
  'internal_chat_message_metadata_passthrough',
]);
