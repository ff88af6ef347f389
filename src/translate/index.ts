/**
 * `./translate` of the package: requests, answers, streams and errors from one wire format to another, wherever Web
 * Streams run.
 */

export { FORMAT_NAMES, type FormatName } from '../conversation/format-name.ts';
export type { Note } from '../formats/notes.ts';
export { type Fault, GatewayError } from '../lib/errors.ts';
export type { Json, JsonObject } from '../lib/json.ts';
export type { Result, ValidateOptions, Violation } from '../protocol/validator.ts';
export type { AnswerBodies, RequestBodies } from './bodies.ts';
export { chooseFormat, type RequestToPlace } from './choose-format.ts';
export type { ErrorAnswer } from './error-answer.ts';
export type { ModelDescription } from './model-description.ts';
export { type AnswerToTranslate, translateAnswer } from './translate-answer.ts';
export { type Refusal, renderError, translateError } from './translate-error.ts';
export {
  type RequestIn,
  type RequestToTranslate,
  type TranslatedRequest,
  translateRequest,
} from './translate-request.ts';
export { translateStream } from './translate-stream.ts';
export { type StreamCheck, validateStream } from './validate-stream.ts';
export type { Route as Way } from './way-back.ts';
