/** A part of another gateway's configuration, of which every field is either read or noted as left out. */

import { isRecord } from '../../lib/is-record.ts';

export interface Source {
  /** Its place in the file, for notes. */
  readonly field: string;
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  /** The names of its fields. */
  names(): readonly string[];
  part(name: string): Source | undefined;
  /** The objects of a list. */
  parts(name: string): readonly Source[];
  texts(name: string): readonly string[];
  /** A value of any kind. */
  raw(name: string): unknown;
  /** Marks fields as read that need no counterpart. */
  skip(...names: readonly string[]): void;
  /** The places of fields that were not read. */
  unread(): readonly string[];
}

/** Opens the part of a file at `field`. @returns undefined if the value is not an object. */
export function openSource(value: unknown, field = ''): Source | undefined {
  if (!isRecord(value)) return undefined;
  const read = new Set<string>();
  const children: Source[] = [];
  const at = (name: string): string => (field === '' ? name : `${field}.${name}`);
  const raw = (name: string): unknown => {
    read.add(name);
    return value[name];
  };
  const follow = (child: Source | undefined): readonly Source[] => {
    if (child === undefined) return [];
    children.push(child);
    return [child];
  };
  return {
    field,
    raw,
    names: () => Object.keys(value),
    text(name) {
      const found = raw(name);
      return typeof found === 'string' && found !== '' ? found : undefined;
    },
    number(name) {
      const found = Number(raw(name) ?? Number.NaN);
      return Number.isFinite(found) ? found : undefined;
    },
    part: (name) => follow(openSource(raw(name), at(name)))[0],
    parts(name) {
      const found = raw(name);
      return Array.isArray(found)
        ? found.flatMap((item, index) => follow(openSource(item, `${at(name)}[${index}]`)))
        : [];
    },
    texts(name) {
      const found = raw(name);
      return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
    },
    skip(...names) {
      for (const name of names) read.add(name);
    },
    unread: () => [
      ...Object.keys(value)
        .filter((name) => !read.has(name) && value[name] !== null && value[name] !== false)
        .map(at),
      ...children.flatMap((child) => child.unread()),
    ],
  };
}
