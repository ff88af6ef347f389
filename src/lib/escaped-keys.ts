/**
 * JSON whose keys have escapes. V8's JSON.parse reads such a key as another one if an object of the process has a key with
 * a backslash at that place: after `{"h":[],"\\":0}` the second key of `{"h":1,"\"":2}` is a backslash. So what one caller
 * sends could change how the next one is read (nodejs/node#63785; Node 24, and 26 before 26.12.1).
 */

/** A value that was parsed. */
type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

/** Whether JSON.parse reads some escaped keys as others here. */
export const MISREADS_ESCAPED_KEYS = misreadsEscapedKeys();

function misreadsEscapedKeys(): boolean {
  JSON.parse('{"probe":[],"\\\\":0}');
  return !Object.hasOwn(JSON.parse('{"probe":1,"\\"":2}'), '"');
}

/** A key with an escape: behind a brace or a comma, and before a colon. In a string no quote follows those. */
const ESCAPED_KEY = /[{,][ \n\r\t]*"[^"\\]*(?:\\.[^"\\]*)+"[ \n\r\t]*:/;

/** Whether an object in a JSON text has a key with an escape, or may have one. */
export function hasEscapedKey(text: string): boolean {
  return text.includes('\\') && ESCAPED_KEY.test(text);
}

/**
 * Parses JSON text by its tokens: as JSON.parse does, and slower, but without the fault.
 * @param readNumber makes the value of a number, as it is written.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseByTokens(text: string, readNumber: (source: string) => Value = Number): Value {
  // What JSON.parse accepts is JSON, so the reader needs no checks of its own.
  JSON.parse(text);
  return new TokenReader(text, readNumber).value();
}

class TokenReader {
  readonly #text: string;
  readonly #readNumber: (source: string) => Value;
  #at = 0;

  constructor(text: string, readNumber: (source: string) => Value) {
    this.#text = text;
    this.#readNumber = readNumber;
  }

  value(): Value {
    switch (this.#next()) {
      case '{':
        return this.#object();
      case '[':
        return this.#list();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(): { [key: string]: Value } {
    const object: { [key: string]: Value } = {};
    this.#at += 1;
    while (this.#next() !== '}') {
      const key = this.#string();
      this.#next();
      const value = this.value();
      // An assignment to this key would set the prototype.
      if (key === '__proto__')
        Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
      else object[key] = value;
    }
    this.#at += 1;
    return object;
  }

  #list(): Value[] {
    const list: Value[] = [];
    this.#at += 1;
    while (this.#next() !== ']') list.push(this.value());
    this.#at += 1;
    return list;
  }

  #string(): string {
    const start = this.#at;
    let at = start + 1;
    while (this.#text[at] !== '"') at += this.#text[at] === '\\' ? 2 : 1;
    this.#at = at + 1;
    const written = this.#text.slice(start, this.#at);
    return written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
  }

  /** A number, `true`, `false` or `null`. */
  #word(): Value {
    WORD.lastIndex = this.#at;
    const [word = ''] = WORD.exec(this.#text) ?? [];
    this.#at += word.length;
    if (word === 'true' || word === 'false') return word === 'true';
    return word === 'null' ? null : this.#readNumber(word);
  }

  /** Goes past space, commas and colons. @returns the next character */
  #next(): string | undefined {
    SEPARATORS.lastIndex = this.#at;
    SEPARATORS.test(this.#text);
    this.#at = SEPARATORS.lastIndex;
    return this.#text[this.#at];
  }
}

const WORD = /[a-z\d+.E-]+/y;
const SEPARATORS = /[ \n\r\t,:]*/y;
