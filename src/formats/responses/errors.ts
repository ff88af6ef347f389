/**
 * Errors of this format: OpenAI's one shape before an answer, and three inside one (an `error` event, nested or flat,
 * and a failed response).
 */

export { parseError, parseErrorObject, renderError } from '../openai-errors.ts';
