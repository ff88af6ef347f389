/**
 * Batches that the store does not take and memory does not hold: each in a file of its own, in a folder beside the
 * store, up to a bound. They outlive the process. Several processes may have the same folder: a batch that two of them
 * write counts once (`writeUsage`), and whoever is second finds its file gone.
 */

import { readdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBehind, errorCode } from '../../lib/error-code.ts';
import { asFlag, asNumber, asObject, asText, parseJson } from '../../lib/json.ts';
import { makeFolder } from '../../store/make-folder.ts';
import type { Batch } from './batches.ts';

export interface SpoolOptions {
  /** Made when there is something to keep. */
  readonly folder: string;
  /** How many bytes the files may take. */
  readonly bytes: number;
  /** Told, in a sentence, when a file cannot be written or read. */
  readonly onTrouble: (message: string) => void;
}

export interface Spool {
  readonly folder: string;
  /** Keeps a batch, unless there is no room for it. @returns whether it is kept. */
  add(batch: Batch): boolean;
  has(batch: Batch): boolean;
  /** The next batch that was not taken yet; its file stays until it is removed. */
  take(): Batch | undefined;
  /** Whether there may be one to be taken. */
  isWaiting(): boolean;
  /** A batch is written, or will never be. One that is not kept is nothing to be removed. */
  remove(batch: Batch): void;
}

const ENDING = '.json';

/** What follows the name of a file that is no batch, so that it is told once, and looked at by whoever wants to. */
const DAMAGED = '.damaged';

/** What an earlier process has left in the folder is taken first. Reads and writes wait for the disk: not for the request path. */
export function openSpool({ folder, bytes: bound, onTrouble }: SpoolOptions): Spool {
  /** The bytes of each file, by the name of its batch. */
  const sizes = new Map<string, number>();
  const untaken = new Set<string>();
  let total = 0;
  let isTroubled = false;

  const fileOf = (name: string): string => join(folder, name + ENDING);

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

  /** @returns undefined where another process has written it meanwhile, or the file is no batch. */
  function read(name: string): Batch | undefined {
    try {
      return batchIn(readFileSync(fileOf(name), 'utf8'));
    } catch (error) {
      forget(name);
      if (errorCode(error) === 'ENOENT') return undefined;
      onTrouble(
        `Usage in ${fileOf(name)} cannot be read${codeBehind(error)}: it is left there as *${DAMAGED}.`,
      );
      attempt(() => renameSync(fileOf(name), fileOf(name) + DAMAGED));
      return undefined;
    }
  }

  /** Does what may fail without harm. @returns whether it did not. */
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
      const file = fileOf(batch.name);
      const isKept = attempt(() => {
        makeFolder(folder, 0o700);
        // Whole or not at all, also after a power cut.
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
      attempt(() => unlinkSync(fileOf(name)));
      forget(name);
    },
  };
}

/** @throws SyntaxError or TypeError where the text is no batch. */
function batchIn(text: string): Batch {
  const said = asObject(parseJson(text));
  const [name, rows, count] = [asText(said?.['name']), asText(said?.['rows']), asNumber(said?.['count'])];
  if (name === undefined || rows === undefined || count === undefined)
    throw new TypeError('It has no name, no rows or no count.');
  return {
    name,
    rows,
    count,
    tagged: asFlag(said?.['tagged']) ?? true,
    grouped: asFlag(said?.['grouped']) ?? true,
  };
}
