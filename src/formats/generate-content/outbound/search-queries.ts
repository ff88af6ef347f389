/** What Gemini searches for in the web: in calls of its own tool, and in the metadata of the answer. */

import { asList, asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';

/** Google's search among the tools that it runs itself (REST reference, ToolType). */
const SEARCH = 'GOOGLE_SEARCH_WEB';

/** What a part searches for that is such a call; empty for any other part. Answers have them beside functions alone. */
export function findCalledQueries(part: JsonObject): readonly string[] {
  const { toolType, args } = asObject(part['toolCall']) ?? {};
  return toolType === SEARCH ? texts(asObject(args)?.['queries']) : [];
}

/** What the metadata of a candidate says was searched for. */
export function findGroundedQueries(grounding: Json | undefined): readonly string[] {
  return texts(asObject(grounding)?.['webSearchQueries']);
}

function texts(list: Json | undefined): readonly string[] {
  return asList(list).flatMap((each) => asText(each) || []);
}
