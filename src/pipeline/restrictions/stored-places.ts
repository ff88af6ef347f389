/**
 * Where a request names what is stored in the vendor's account, as paths that do not mention lists. A test compares
 * them with the SDKs' types: each field there that can be an id is either here, or is known not to name something
 * stored.
 */

import type { FormatName } from '../../conversation/prompt.ts';

const OPENAI_TOOLS = [
  'tools.vector_store_ids',
  // As a string, the id of a container; as an object, the settings of a new one.
  'tools.container',
  'tools.container.file_ids',
  'tools.environment.container_id',
  'tools.environment.file_ids',
  'tools.environment.skills.skill_id',
  'tools.input_image_mask.file_id',
  'tools.tunnel_id',
];

const RESPONSES = [
  'previous_response_id',
  'conversation',
  'conversation.id',
  'prompt.id',
  'prompt_cache_options.comparison_response_id',
  'input.content.file_id',
  'input.output.file_id',
  'input.container_id',
  'input.environment.container_id',
  ...OPENAI_TOOLS,
  ...OPENAI_TOOLS.map((path) => `input.${path}`),
];

const CHAT = ['messages.content.file.file_id', 'messages.audio.id', 'audio.voice.id', ...OPENAI_TOOLS];

const MESSAGES = [
  'container',
  'container.id',
  'container.skills.skill_id',
  'diagnostics.previous_message_id',
  'thread.previous_message_id',
  'messages.content.file_id',
  'messages.content.source.file_id',
  'messages.content.content.source.file_id',
  'messages.content.source.content.source.file_id',
  'messages.content.content.source.content.source.file_id',
  'messages.content.content.content.source.file_id',
  'messages.content.content.content.source.content.source.file_id',
];

const GEMINI = [
  'cachedContent',
  'continuationToken',
  ...['contents', 'contents.parts', 'systemInstruction', 'systemInstruction.parts'].flatMap((at) => [
    `${at}.fileData.fileUri`,
    `${at}.functionResponse.parts.fileData.fileUri`,
  ]),
  // Where the vendor is to write an answer.
  'generationConfig.responseFormat.video.gcsUri',
  'tools.fileSearch.fileSearchStoreNames',
  'tools.retrieval.vertexAiSearch.datastore',
  'tools.retrieval.vertexAiSearch.engine',
  'tools.retrieval.vertexAiSearch.dataStoreSpecs.dataStore',
  'tools.retrieval.vertexRagStore.ragCorpora',
  'tools.retrieval.vertexRagStore.ragResources.ragCorpus',
  'tools.retrieval.vertexRagStore.ragResources.ragFileIds',
];

/** The paths of ids of stored objects in each format. */
export const STORED_PLACES: Readonly<Record<FormatName, readonly string[]>> = {
  // Cursor sends Responses bodies there.
  'chat-completions': [...CHAT, ...RESPONSES],
  responses: RESPONSES,
  messages: MESSAGES,
  'generate-content': [...GEMINI, ...GEMINI.map((path) => `generateContentRequest.${path}`)],
};

/**
 * Fields that make the vendor store something that the gateway cannot keep from later requests. A key that may use
 * nothing stored may not set them.
 */
export const STORING: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['background'],
  responses: ['background'],
  messages: ['thread'],
  'generate-content': [],
};
