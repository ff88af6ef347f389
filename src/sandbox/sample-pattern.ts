/**
 * Makes a text that matches a regular expression, by reading the expression: literals, classes, groups, alternatives,
 * repeats. It gives up on lookaround, on back references, and on everything else that it does not understand.
 */

interface Reader {
  readonly source: string;
  at: number;
}

/**
 * @param source the expression, without delimiters
 * @returns a text that matches; undefined if the expression is not understood
 */
export function samplePattern(source: string): string | undefined {
  if (source.length > 500) return undefined;
  const reader: Reader = { source, at: 0 };
  const text = alternatives(reader, 0);
  return reader.at === source.length ? text : undefined;
}

/** The first alternative; the others are skipped. */
function alternatives(reader: Reader, depth: number): string | undefined {
  const first = sequence(reader, depth);
  while (first !== undefined && reader.source[reader.at] === '|') {
    reader.at += 1;
    if (sequence(reader, depth) === undefined) return undefined;
  }
  return first;
}

function sequence(reader: Reader, depth: number): string | undefined {
  let text = '';
  for (;;) {
    const next = reader.source[reader.at];
    if (next === undefined || next === '|' || next === ')') return text;
    if (next === '^' || next === '$') {
      reader.at += 1;
      continue;
    }
    const one = atom(reader, depth);
    const times = one === undefined ? undefined : repeats(reader);
    if (one === undefined || times === undefined || times * one.length > 1000) return undefined;
    text += one.repeat(times);
  }
}

function atom(reader: Reader, depth: number): string | undefined {
  const next = reader.source[reader.at] ?? '';
  reader.at += 1;
  if (next === '(') return group(reader, depth);
  if (next === '[') return characterClass(reader);
  if (next === '.') return 'a';
  if (next === '\\') return escaped(reader);
  return /[*+?{}\])]/.test(next) ? undefined : next;
}

function group(reader: Reader, depth: number): string | undefined {
  if (depth > 20) return undefined;
  const opening = /^\?(?::|<[A-Za-z]\w*>)/.exec(reader.source.slice(reader.at, reader.at + 80))?.[0];
  if (opening === undefined && reader.source[reader.at] === '?') return undefined;
  reader.at += opening?.length ?? 0;
  const text = alternatives(reader, depth + 1);
  if (reader.source[reader.at] !== ')') return undefined;
  reader.at += 1;
  return text;
}

const ESCAPES: Readonly<Record<string, string>> = {
  d: '1',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  t: '\t',
  n: '\n',
};

function escaped(reader: Reader): string | undefined {
  const letter = reader.source[reader.at];
  if (letter === undefined) return undefined;
  reader.at += 1;
  if (Object.hasOwn(ESCAPES, letter)) return ESCAPES[letter];
  return /[A-Za-z0-9]/.test(letter) ? undefined : letter;
}

/** The first character of a class. If the class excludes characters, the first letter or digit that is left. */
function characterClass(reader: Reader): string | undefined {
  const end = /^\^?(?:\\.|[^\]\\])*\]/s.exec(reader.source.slice(reader.at))?.[0].length;
  if (end === undefined) return undefined;
  const inside = reader.source.slice(reader.at, reader.at + end - 1);
  reader.at += end;
  if (inside.startsWith('^')) {
    const excluded = inside.slice(1);
    return (
      [...'ab1 -_'].find((letter) => !excluded.includes(letter) && !/\\[wdsWDS]|-/.test(excluded)) ?? 'é'
    );
  }
  if (inside === '') return undefined;
  const first = inside[0] ?? '';
  return first === '\\' ? escaped({ source: inside, at: 1 }) : first;
}

function repeats(reader: Reader): number | undefined {
  const sign = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 30));
  if (sign === null) return 1;
  reader.at += sign[0].length;
  if (sign[1] !== undefined) return Number(sign[1]);
  return sign[0].startsWith('+') || sign[0].startsWith('?') || sign[0].startsWith('*') ? 1 : undefined;
}
