/** Removes secrets from a recording, and everything that identifies the account that it was made with. */

import { asObjects, asText, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import { withoutSecrets } from '../../upstream/redact.ts';

const HIDDEN = '[hidden]';

/** A value that identifies an account, and what replaces it wherever it is found. */
export interface Identity {
  readonly value: string;
  readonly instead: string;
}

/**
 * Removes secrets and identities. The bytes are read as text of one character a byte, so that everything else stays
 * unchanged.
 * @param secrets texts to hide, however JSON or a URL spells them
 * @param identities values to replace
 * @returns the cleaned bytes
 */
export function cleanBytes(
  bytes: Uint8Array,
  secrets: readonly string[],
  identities: readonly Identity[],
): Buffer {
  const text = Buffer.from(bytes).toString('latin1');
  return Buffer.from(withoutShapes(withoutIdentities(withoutKnown(text, secrets), identities)), 'latin1');
}

function withoutKnown(text: string, secrets: readonly string[]): string {
  // The longest comes first, so that a secret that contains another one is removed whole.
  const ordered = [...new Set(secrets)].sort((one, other) => other.length - one.length);
  return ordered.reduce((cleaned, secret) => cleaned.replaceAll(spellings(secret), HIDDEN), text);
}

function withoutIdentities(text: string, identities: readonly Identity[]): string {
  return identities.reduce((cleaned, { value, instead }) => {
    const found = spellings(value);
    // A short value is only replaced where it is a whole JSON string.
    const whole = value.length < MIN_IDENTITY ? new RegExp(`(?<=")${found.source}(?=")`, 'g') : found;
    return cleaned.replaceAll(whole, instead);
  }, text);
}

const MIN_IDENTITY = 8;

/**
 * JSON's escapes separate words as spaces do, but hide where a word begins. So each part between them is also searched
 * on its own.
 */
function withoutShapes(text: string): string {
  return replaceShapes(text)
    .split(/(\\(?:u[0-9a-fA-F]{4}|[^u]))/)
    .map((part, index) => (index % 2 === 0 ? replaceShapes(part) : part))
    .join('');
}

function replaceShapes(text: string): string {
  const cleaned = SHAPES.reduce((before, [shape, instead]) => before.replaceAll(shape, instead), text);
  return withoutSecrets(cleaned, '');
}

/**
 * Matches every way in which JSON and URLs may spell a text: each character as it is, as an escape, or percent-encoded.
 * A secret that is not a plain word can come back in any of them. The expression is for text of one character a byte.
 */
function spellings(text: string): RegExp {
  return new RegExp(Array.from(text, (character) => `(?:${waysToSay(character).join('|')})`).join(''), 'g');
}

function waysToSay(character: string): readonly string[] {
  const bytes = Array.from(Buffer.from(character, 'utf8'), (byte) => hex(byte, 2));
  const units = Array.from({ length: character.length }, (_, at) => hex(character.charCodeAt(at), 4));
  const plain = bytes.map((byte) => `\\x${byte}`).join('');
  return [
    // The escaped form comes before the plain one, which would leave half an escape.
    ...(/["\\/]/.test(character) ? [`\\\\${plain}`] : []),
    plain,
    units.map((unit) => `\\\\u${inAnyCase(unit)}`).join(''),
    bytes.map((byte) => `%${inAnyCase(byte)}`).join(''),
  ];
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function inAnyCase(digits: string): string {
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/**
 * The shapes of vendors' ids for accounts: OpenAI's organizations, projects and users, Anthropic's workspaces and API
 * keys, Google's projects. Also the ids of requests, by which a vendor finds the account.
 */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\borg-[A-Za-z0-9]{12,}/g, 'org-recorded'],
  [/\bproj_[A-Za-z0-9]{12,}/g, 'proj_recorded'],
  [/\buser-[A-Za-z0-9]{16,}/g, 'user-recorded'],
  [/\b(?:wrkspc|apikey|acct)_[A-Za-z0-9]{12,}/g, 'account_recorded'],
  [/\breq_[A-Za-z0-9]{12,}/g, 'req_recorded'],
  [/\bprojects\/(?:\d{6,}|[a-z][a-z0-9-]{4,28}[a-z0-9])\b/g, 'projects/recorded'],
  [/\bgen-lang-client-\d{6,}/g, 'recorded'],
  [/(?<=\b(?:project_number|project|consumer)[^\w\n"]{1,4})\d{6,}/gi, '0'],
  [
    /(?<=\b(?:organi[sz]ation|org|workspace|account|project)[^\n"]{0,24}\b)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi,
    '00000000-0000-4000-8000-000000000000',
  ],
];

/** Fields that identify the caller or the end user. */
const IDENTITIES: Readonly<Record<string, string>> = {
  user: 'user-recorded',
  user_id: 'user-recorded',
  safety_identifier: 'user-recorded',
  prompt_cache_key: 'recorded',
  organization: 'org-recorded',
  organization_id: 'org-recorded',
  organization_uuid: 'org-recorded',
  org_id: 'org-recorded',
  project: 'proj_recorded',
  project_id: 'proj_recorded',
  workspace_id: 'account_recorded',
  account_id: 'account_recorded',
  account_uuid: 'account_recorded',
  request_id: 'req_recorded',
};

/** Objects in which such fields identify an account, beside the body itself. Elsewhere they are content. */
const HOLDERS = ['response', 'message', 'error', 'metadata', 'client_metadata', 'provider'];

/**
 * @param body a request's or an answer's body, or an event of a stream
 * @returns the values in it that identify an account
 */
export function identitiesIn(body: Json | undefined): readonly Identity[] {
  if (!isObject(body)) return [];
  const holders = asObjects(HOLDERS.map((name) => body[name] ?? null));
  const inner = asObjects(holders.map((holder) => holder['metadata'] ?? null));
  return [body, ...holders, ...inner].flatMap(findIdentities);
}

function findIdentities(holder: JsonObject): readonly Identity[] {
  return Object.entries(IDENTITIES).flatMap(([field, instead]) => {
    const value = asText(holder[field]);
    return value === undefined || value === '' ? [] : [{ value, instead }];
  });
}
