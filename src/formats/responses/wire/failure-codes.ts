/** Codes of failed responses (OpenAI SDK, `ResponseError`). */

import type { Fault } from '../../../lib/errors.ts';
import { wordList } from '../../../lib/words.ts';

const DOCUMENTED = wordList(`
  server_error rate_limit_exceeded invalid_prompt data_residency_mismatch bio_policy
  misalignment_policy_violation vector_store_timeout invalid_image invalid_image_format invalid_base64_image
  invalid_image_url image_too_large image_too_small image_parse_error image_content_policy_violation
  invalid_image_mode image_file_too_large unsupported_image_media_type empty_image_file
  failed_to_download_image image_file_not_found
`);

/** What OpenAI sends as well (recorded), and Codex acts on. */
const UNDOCUMENTED = ['context_length_exceeded', 'insufficient_quota'] as const;

const KNOWN: ReadonlySet<string> = new Set([...DOCUMENTED, ...UNDOCUMENTED]);

/** Faults of the request itself, which no retry mends. */
const OF_REQUEST: ReadonlySet<Fault> = new Set<Fault>(['invalid-request', 'unprocessable', 'too-large']);

/**
 * Chooses the code of a failed response. Clients with strict types read no other than OpenAI's own; the `error` event before
 * it has the exact code. Codex and opencode send a request again after any code that they do not know; `invalid_prompt`
 * ends it (openai/codex, codex-rs/codex-api/src/sse/responses.rs; opencode 1.18.33).
 */
export function renderFailureCode(code: string | undefined, fault: Fault): string {
  if (code !== undefined && KNOWN.has(code)) return code;
  return OF_REQUEST.has(fault) ? 'invalid_prompt' : 'server_error';
}
