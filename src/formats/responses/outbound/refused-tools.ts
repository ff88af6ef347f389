/** Tools that some services of this format refuse as Codex sends them, although they know tools of these kinds. */

import type { GatewayError } from '../../../lib/errors.ts';
import { type JsonObject, withEach, withoutFields } from '../../../lib/json.ts';

/**
 * Gives each namespace with an empty description its own name as the description. Codex describes the namespace of its
 * own tools with an empty text, and Azure's API refuses that ("Invalid 'input[0].tools[0].description': empty string";
 * openai/codex, issue 37432).
 * @param holder what has the `tools`: a request or an item.
 * @returns `holder` itself if nothing changes.
 */
export function describeNamespaces(holder: JsonObject): JsonObject {
  return withEach(holder, 'tools', (tool) =>
    tool['type'] === 'namespace' && tool['description'] === ''
      ? { ...tool, description: tool['name'] ?? 'tools' }
      : tool,
  );
}

/**
 * Options that a service may refuse although it has the tool. Codex says with each `web_search` whether it may read live
 * pages, and xAI refuses that ("Argument not supported: external_web_access"; lidge-jun/opencodex, issue 2240).
 */
const REFUSED_OPTIONS: readonly string[] = ['external_web_access'];

/** Removes the options that `refusal` names from the request's tools. @returns the request itself if it has none */
export function stripRefusedOptions(request: JsonObject, refusal: GatewayError | undefined): JsonObject {
  const named = REFUSED_OPTIONS.filter((option) => refusal?.message.includes(option));
  return withEach(request, 'tools', (tool) => withoutFields(tool, named));
}
