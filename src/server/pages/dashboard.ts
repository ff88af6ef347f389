/**
 * The dashboard: `/dashboard`, and its files at `/dashboard/<file>`. It holds nothing secret: its figures are asked for
 * with the admin's key.
 */

import { join } from 'node:path';
import { openPage, type StaticPage } from './static-page.ts';

/** Reads the page. */
export function openDashboard(): StaticPage {
  return openPage(join(import.meta.dirname, 'dashboard'), '/dashboard', '/dashboard/');
}
