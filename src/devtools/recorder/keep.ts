/** Keeps recordings as files in a folder of fixtures. */

import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FormatName } from '../../conversation/prompt.ts';
import { makeFolder } from '../../store/sqlite/make-folder.ts';
import { type Fixture, listPaths } from './fixture.ts';

/** @returns the file that a case of that name already has; undefined if it has none */
export function findRecorded(folder: string, format: FormatName, name: string): string | undefined {
  return listPaths(format, name)
    .map((path) => join(folder, path))
    .find((path) => existsSync(path));
}

/**
 * Writes the files of a case.
 * @param force whether to replace the case that is there. All its files are removed, since an old answer beside a new
 *   one would look like its streamed or whole counterpart.
 * @returns the paths of the files
 * @throws Error (`EEXIST`) if a file is there and is not to be replaced
 */
export async function writeCase(
  folder: string,
  format: FormatName,
  name: string,
  fixtures: readonly Fixture[],
  force: boolean,
): Promise<readonly string[]> {
  if (force) for (const path of listPaths(format, name)) await rm(join(folder, path), { force: true });
  const files: string[] = [];
  for (const { path, bytes } of fixtures) {
    const file = join(folder, path);
    makeFolder(dirname(file));
    await writeFile(file, bytes, { flag: 'wx' });
    files.push(file);
  }
  return files;
}
