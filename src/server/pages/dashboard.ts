/**
 * The dashboard at `/dashboard`, and its files at `/dashboard/<file>`. The files hold nothing secret: the page requests
 * its figures with the admin key.
 */

import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

/**
 * Reads the page.
 * @throws Error if the folder of the page cannot be read
 */
export function openDashboard(): StaticPage {
  return openPage(join(import.meta.dirname, 'dashboard'), '/dashboard', '/dashboard/');
}
