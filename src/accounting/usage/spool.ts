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

const ENDING = '.json';

/** The suffix of a file that cannot be read. It is reported once, and stays for somebody to look at. */
const DAMAGED = '.damaged';

/**
 * The files of batches. Those that an earlier process left are taken first. Reads and writes block on the disk, so it
 * must not be used on the request path.
 */
export class Spool {
  readonly folder: string;
  readonly #bound: number;
  readonly #onTrouble: SpoolOptions['onTrouble'];
  /** The size of each file in bytes, by the name of its batch. */
  readonly #sizes = new Map<string, number>();
  /** The names of the batches that were not taken yet. */
  readonly #untaken = new Set<string>();
  /** The bytes of all files. */
  #total = 0;
  /** Whether it has been reported that a file cannot be written. */
  #isTroubled = false;

  constructor({ folder, bytes, onTrouble }: SpoolOptions) {
    this.folder = folder;
    this.#bound = bytes;
    this.#onTrouble = onTrouble;
    this.#attempt(() => {
      for (const file of readdirSync(folder)) {
        if (file.endsWith(ENDING))
          this.#know(file.slice(0, -ENDING.length), statSync(join(folder, file)).size);
      }
    });
  }

  /** Keeps a batch, if there is room for it. @returns whether it is kept. */
  add(batch: Batch): boolean {
    if (this.has(batch)) return true;
    const text = JSON.stringify(batch);
    const size = Buffer.byteLength(text);
    if (this.#total + size > this.#bound) return false;
    const file = this.#pathFor(batch.name);
    const isKept = this.#attempt(() => {
      makeFolder(this.folder, 0o700);
      // The file appears in full or not at all, even after a power cut.
      writeFileSync(`${file}.part`, text, { mode: 0o600, flush: true });
      renameSync(`${file}.part`, file);
    });
    if (!isKept) {
      this.#attempt(() => unlinkSync(`${file}.part`));
      return false;
    }
    this.#isTroubled = false;
    this.#know(batch.name, size);
    return true;
  }

  has({ name }: Batch): boolean {
    return this.#sizes.has(name);
  }

  /** The next batch that was not taken yet. Its file stays until it is removed. */
  take(): Batch | undefined {
    for (const name of this.#untaken) {
      const batch = this.#read(name);
      this.#untaken.delete(name);
      if (batch !== undefined) return batch;
    }
    return undefined;
  }

  /** Whether there may be a batch to take. */
  isWaiting(): boolean {
    return this.#untaken.size > 0;
  }

  /** Removes the file of a batch that was written or given up. Does nothing if it has none. */
  remove(batch: Batch): void {
    if (!this.has(batch)) return;
    this.#attempt(() => unlinkSync(this.#pathFor(batch.name)));
    this.#forget(batch.name);
  }

  #pathFor(name: string): string {
    return join(this.folder, name + ENDING);
  }

  #know(name: string, size: number): void {
    this.#sizes.set(name, size);
    this.#untaken.add(name);
    this.#total += size;
  }

  #forget(name: string): void {
    this.#total -= this.#sizes.get(name) ?? 0;
    this.#sizes.delete(name);
    this.#untaken.delete(name);
  }

  /** @returns undefined if another process wrote the batch meanwhile, or the file cannot be read. */
  #read(name: string): Batch | undefined {
    const file = this.#pathFor(name);
    try {
      return batchIn(readFileSync(file, 'utf8'));
    } catch (error) {
      this.#forget(name);
      if (errorCode(error) === 'ENOENT') return undefined;
      this.#onTrouble(
        `Usage in ${file} cannot be read${codeBehind(error)}. It is left there as *${DAMAGED}.`,
      );
      this.#attempt(() => renameSync(file, file + DAMAGED));
      return undefined;
    }
  }

  /** Runs what may fail without harm. @returns whether it succeeded. */
  #attempt(run: () => void): boolean {
    try {
      run();
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      if (!this.#isTroubled) this.#onTrouble(`Usage cannot be kept in ${this.folder}${codeBehind(error)}.`);
      this.#isTroubled = true;
      return false;
    }
  }
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
