/** Names that are written as one text, such as the fields of an object. */

/** The words between the blanks and line breaks of a text. */
export function wordList(text: string): readonly string[] {
  return text.match(/\S+/g) ?? [];
}

/** The same as a set. */
export function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordList(text));
}
