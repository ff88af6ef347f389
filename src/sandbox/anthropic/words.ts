/** How Anthropic words its errors (recorded, and as quoted in public issues of its SDKs). */

import { Refused } from '../exchange.ts';
import type { Flaw } from '../flaws.ts';
import { findSubject, type RefusalSubject } from '../refusal-subject.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
};

/** @returns an error in Anthropic's form, of the type that belongs to the status */
export function anthropicRefusal(status: number, message: string, subject?: RefusalSubject): Refused {
  const type = TYPES[status] ?? 'invalid_request_error';
  return new Refused(status, { type: 'error', error: { type, message } }, subject);
}

/** @returns a 400 in Anthropic's form */
export function badRequest(message: string, subject?: RefusalSubject): Refused {
  return anthropicRefusal(400, message, subject);
}

/** @returns a 400 for the first flaw of a request, in Anthropic's words, which are those of pydantic */
export function anthropicFlaw(flaw: Flaw): Refused {
  const at = flaw.path.join('.');
  if (flaw.kind === 'size' && flaw.of === 'string' && flaw.path.at(-1) === 'text') {
    return badRequest('messages: text content blocks must be non-empty', findSubject(flaw));
  }
  if (flaw.kind === 'size' && at === 'messages') {
    return badRequest('messages: at least one message is required');
  }
  return badRequest(`${at}: ${describeFault(flaw)}`, findSubject(flaw));
}

function describeFault(flaw: Flaw): string {
  switch (flaw.kind) {
    case 'unknown':
      return 'Extra inputs are not permitted';
    case 'missing':
      return 'Field required';
    case 'type':
      return `Input should be a valid ${flaw.expected.map((type) => TYPE_NAMES[type] ?? type).join(' or ')}`;
    case 'value':
      return `Input should be ${alternatives(flaw.values)}`;
    case 'tag': {
      const tags = flaw.values.map((value) => `'${value}'`).join(', ');
      return `Input tag '${String(flaw.got)}' found using '${flaw.by}' does not match any of the expected tags: ${tags}`;
    }
    case 'pattern':
      return `String should match pattern '${flaw.pattern}'`;
    case 'size':
      return sizeFault(flaw);
  }
}

function sizeFault({ of, side, limit, exclusive }: Extract<Flaw, { kind: 'size' }>): string {
  const least = side === 'min';
  if (of === 'number') {
    const comparison = `${least ? 'greater' : 'less'} than${exclusive ? '' : ' or equal to'}`;
    return `Input should be ${comparison} ${limit}`;
  }
  const unit = of === 'string' ? 'character' : 'item';
  const thing = of === 'string' ? 'String' : 'List';
  return `${thing} should have at ${least ? 'least' : 'most'} ${limit} ${unit}${limit === 1 ? '' : 's'}`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: 'integer',
  array: 'list',
  object: 'dictionary',
  record: 'dictionary',
};

function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
