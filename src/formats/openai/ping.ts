/** What keeps a stream of either of OpenAI's formats open. */

/**
 * A comment (WHATWG HTML, 9.2.6) without an empty line behind it, which ends an event: before 3.43 OpenAI's SDK for Go
 * takes what ends there for one, reads its data, of which there is none, as JSON, and fails (openai-go, `ssestream`).
 */
export const COMMENT_LINE = ': ping\n';
