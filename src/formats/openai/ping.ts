/** The keep-alive of streams in both of OpenAI's formats. */

/**
 * A comment (WHATWG HTML, 9.2.6) without an empty line after it. An empty line ends an event, and before 3.43 OpenAI's Go
 * SDK then parses the missing data as JSON and fails (openai-go, `ssestream`).
 */
export const COMMENT_LINE = ': ping\n';
