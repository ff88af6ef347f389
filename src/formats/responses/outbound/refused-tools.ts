/** What services of this format refuse of tools that others take, and Codex sends to all. */

import type { GatewayError } from '../../../lib/errors.ts';
import { type JsonObject, withEach, withoutFields } from '../../../lib/json.ts';

/**
 * The same, each namespace in its `tools` under its name where it says nothing else of itself: Codex's of its own tools
 * has an empty description, which Azure's API refuses ("Invalid 'input[0].tools[0].description': empty string";
 * openai/codex, issue 37432).
 */
export function described(holder: JsonObject): JsonObject {
  return withEach(holder, 'tools', (tool) =>
    tool['type'] === 'namespace' && tool['description'] === ''
      ? { ...tool, description: tool['name'] ?? 'tools' }
      : tool,
  );
}

/**
 * Options of a tool that a service has by the same name and without them: Codex says with each `web_search` whether it
 * may read live pages, and xAI refuses that ("Argument not supported: external_web_access"; lidge-jun/opencodex, issue
 * 2240).
 */
const OPTIONS: readonly string[] = ['external_web_access'];

/** The request without the options of its tools that `refusal` names; itself where there are none. */
export function withoutUnread(request: JsonObject, refusal: GatewayError | undefined): JsonObject {
  const named = OPTIONS.filter((option) => refusal?.message.includes(option));
  return withEach(request, 'tools', (tool) => withoutFields(tool, named));
}
