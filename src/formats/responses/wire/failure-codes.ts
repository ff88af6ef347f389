/** Codes of failed responses (OpenAI SDK, `ResponseError`). */

const DOCUMENTED = [
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'data_residency_mismatch',
  'bio_policy',
  'misalignment_policy_violation',
  'vector_store_timeout',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
] as const;

/** What OpenAI sends as well (recorded), and Codex acts on. */
const UNDOCUMENTED = ['context_length_exceeded', 'insufficient_quota'] as const;

const KNOWN: ReadonlySet<string> = new Set([...DOCUMENTED, ...UNDOCUMENTED]);

/**
 * Chooses the code of a failed response. Clients with strict types read no other than OpenAI's own; the `error` event before
 * it has the exact code.
 */
export function renderFailureCode(code: string | undefined): string {
  return code !== undefined && KNOWN.has(code) ? code : 'server_error';
}
