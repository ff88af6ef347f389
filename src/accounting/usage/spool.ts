/**
 * Keeps batches in files if the store does not accept them and memory has no room. Each batch has a file, in a folder
 * beside the store, up to a bound of bytes. The files outlive the process. Several processes may share the folder: a
 * batch that two of them write counts once (`writeUsage`), and the second one finds its file gone.
 */

import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBehind, errorCode } from '../../lib/error-code.ts';
import { asObject, asText, isList, parseJson } from '../../lib/json.ts';
import { makeFolder } from '../../store/sqlite/make-folder.ts';
import type { Batch } from './batches.ts';
import { parseExchangeRow } from './exchange-row.ts';

export interface SpoolOptions {
  /** Created when there is something to keep. */
  readonly folder: string;
  /** How many bytes the files may take. */
  readonly bytes: number;
  /** Called with a sentence when a file cannot be written or read. */
  readonly onTrouble: (message: string) => void;
}

export interface Spool {
  readonly folder: string;
  /** Keeps a batch, if there is room for it. @returns whether it is kept. */
  add(batch: Batch): boolean;
  has(batch: Batch): boolean;
  /** The next batch that was not taken yet. Its file stays until it is removed. */
  take(): Batch | undefined;
  /** Whether there may be a batch to take. */
  isWaiting(): boolean;
  /** Removes the file of a batch that was written or given up. Does nothing if it has none. */
  remove(batch: Batch): void;
}

const ENDING = '.json';

/** The suffix of a file that cannot be read. It is reported once, and stays for somebody to look at. */
const DAMAGED = '.damaged';

/**
 * Batches that an earlier process left are taken first. Reads and writes block on the disk, so it must not be used on
 * the request path.
 */
export function openSpool({ folder, bytes: bound, onTrouble }: SpoolOptions): Spool {
  /** The size of each file in bytes, by the name of its batch. */
  const sizes = new Map<string, number>();
  const untaken = new Set<string>();
  let total = 0;
  let isTroubled = false;

  const pathFor = (name: string): string => join(folder, name + ENDING);

  function know(name: string, size: number): void {
    sizes.set(name, size);
    untaken.add(name);
    total += size;
  }

  function forget(name: string): void {
    total -= sizes.get(name) ?? 0;
    sizes.delete(name);
    untaken.delete(name);
  }

  /** @returns undefined if another process wrote the batch meanwhile, or the file cannot be read. */
  function read(name: string): Batch | undefined {
    try {
      return batchIn(readFileSync(pathFor(name), 'utf8'));
    } catch (error) {
      forget(name);
      if (errorCode(error) === 'ENOENT') return undefined;
      onTrouble(
        `Usage in ${pathFor(name)} cannot be read${codeBehind(error)}. It is left there as *${DAMAGED}.`,
      );
      attempt(() => renameSync(pathFor(name), pathFor(name) + DAMAGED));
      return undefined;
    }
  }

  /** Runs what may fail without harm. @returns whether it succeeded. */
  function attempt(run: () => void): boolean {
    try {
      run();
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      if (!isTroubled) onTrouble(`Usage cannot be kept in ${folder}${codeBehind(error)}.`);
      isTroubled = true;
      return false;
    }
  }

  attempt(() => {
    for (const file of readdirSync(folder)) {
      if (file.endsWith(ENDING)) know(file.slice(0, -ENDING.length), statSync(join(folder, file)).size);
    }
  });

  return {
    folder,
    add(batch) {
      if (sizes.has(batch.name)) return true;
      const text = JSON.stringify(batch);
      const size = Buffer.byteLength(text);
      if (total + size > bound) return false;
      const file = pathFor(batch.name);
      const isKept = attempt(() => {
        makeFolder(folder, 0o700);
        // The file appears in full or not at all, even after a power cut.
        writeFileSync(`${file}.part`, text, { mode: 0o600, flush: true });
        renameSync(`${file}.part`, file);
      });
      if (!isKept) {
        attempt(() => unlinkSync(`${file}.part`));
        return false;
      }
      isTroubled = false;
      know(batch.name, size);
      return true;
    },
    has: ({ name }) => sizes.has(name),
    take() {
      for (const name of untaken) {
        const batch = read(name);
        untaken.delete(name);
        if (batch !== undefined) return batch;
      }
      return undefined;
    },
    isWaiting: () => untaken.size > 0,
    remove({ name }) {
      if (!sizes.has(name)) return;
      attempt(() => unlinkSync(pathFor(name)));
      forget(name);
    },
  };
}

/**
 * Reads a batch. Versions before this one wrote its rows as a text with JSON in it.
 * @throws SyntaxError or TypeError if the text is not a batch.
 */
function batchIn(text: string): Batch {
  const said = asObject(parseJson(text));
  const name = asText(said?.['name']);
  const before = asText(said?.['rows']);
  const rows = before === undefined ? said?.['rows'] : parseJson(before);
  if (name === undefined || !isList(rows)) throw new TypeError('It has no name, or no rows.');
  return { name, rows: rows.map((row) => parseExchangeRow(asObject(row) ?? {})) };
}
