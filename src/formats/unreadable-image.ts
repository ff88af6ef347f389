/** Refusals of an image that a vendor cannot read. Agents then take it out of the dialogue, and go on. */

import type { GatewayError } from '../lib/errors.ts';
import { refusesInWords } from './refuses-in-words.ts';

/** The words of OpenAI (two sentences), Google (two), Anthropic (three), Z.ai and Cloudflare. */
const UNREADABLE = [
  'image data you provided does not represent a valid image',
  'expected a base64-encoded data url with an image mime type',
  'unable to process input image',
  'provided image is not valid',
  'could not process image',
  'image does not match the provided media type',
  'image cannot be empty',
  '图片输入格式/解析错误',
  'invalid data for image',
];

/** Whether a vendor's refusal says that it cannot read an image. */
export function saysImageIsUnreadable(error: GatewayError): boolean {
  return refusesInWords(error, UNREADABLE);
}
