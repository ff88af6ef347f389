/** How Google words its errors (recorded from Gemini's API, and as quoted in public issues of its SDKs). */

import type { Json, JsonObject } from '../../lib/json.ts';
import { Refused } from '../exchange.ts';
import { type Flaw, protoPath } from '../flaws.ts';
import { findSubject, type RefusalSubject } from '../refusal-subject.ts';

const STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
};

/**
 * @param code the HTTP status
 * @returns an error in Google's form
 */
export function googleRefusal(
  code: number,
  message: string,
  details: readonly JsonObject[] = [],
  subject?: RefusalSubject,
): Refused {
  const body = {
    error: {
      code,
      message,
      status: STATUS[code] ?? 'INVALID_ARGUMENT',
      ...(details.length > 0 && { details }),
    },
  };
  return new Refused(code, body, subject);
}

/** @returns a 400 in Google's form */
export function badRequest(message: string, subject?: RefusalSubject): Refused {
  return googleRefusal(400, message, [], subject);
}

/** @returns a 400 that names every flaw of a request, as Google does */
export function googleFlaws(flaws: readonly Flaw[]): Refused {
  const fieldViolations = flaws.map((flaw): JsonObject => {
    const field = protoPath(flaw.kind === 'unknown' ? flaw.path.slice(0, -1) : flaw.path);
    return { ...(field !== '' && { field }), description: describeFault(flaw) };
  });
  const message = fieldViolations.map(({ description }) => String(description)).join('\n');
  const [first] = flaws;
  return googleRefusal(
    400,
    message,
    [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }],
    first && findSubject(first),
  );
}

function describeFault(flaw: Flaw): string {
  const at = protoPath(flaw.path);
  switch (flaw.kind) {
    case 'unknown': {
      const parent = protoPath(flaw.path.slice(0, -1));
      const where = parent === '' ? '' : ` at '${parent}'`;
      return `Invalid JSON payload received. Unknown name "${String(flaw.path.at(-1))}"${where}: Cannot find field.`;
    }
    case 'missing':
      return `* GenerateContentRequest.${at}: ${String(flaw.path.at(-1))} is not specified\n`;
    case 'type':
      return `Invalid value at '${at}' (${TYPE_NAMES[flaw.expected[0] ?? ''] ?? 'TYPE_MESSAGE'}), ${shown(flaw.got)}`;
    case 'value':
    case 'tag':
    case 'pattern':
      return `Invalid value at '${at}' (TYPE_ENUM), ${shown(flaw.got)}`;
    case 'size':
      return `* GenerateContentRequest.${at}: must be ${flaw.side === 'min' ? 'at least' : 'at most'} ${flaw.limit}, got ${shown(flaw.got)}\n`;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'TYPE_STRING',
  number: 'TYPE_DOUBLE',
  int: 'TYPE_INT32',
  boolean: 'TYPE_BOOL',
};

function shown(value: Json | undefined): string {
  return (JSON.stringify(value) ?? 'null').slice(0, 200);
}
