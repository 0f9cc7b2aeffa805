/** Owns telling without a browser that the pictures of the console are of an older one: the names of its screens have changed since. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';

const SCREENS = 'apps/console/src/screens.ts';
/** What the screens were called when the pictures were taken; `npm run screenshots` writes it. */
export const SHOWN = 'docs/images/shown.json';

/**
 * The rail and the tabs as every picture shows them. A hash of the sources would fail with each change of the console,
 * though most of them are not to be seen.
 */
export function namesOfScreens(root: string): string[] {
  const text = readFileSync(join(root, SCREENS), 'utf8');
  const screens = text.matchAll(/path: '([^']+)',\s+title: '([^']+)',\s+rail: '([^']+)'/g);
  const rail = text.slice(text.indexOf('RAIL_TITLES')).matchAll(/^ {2}(\w+): '([^']+)',$/gm);
  return [
    ...[...rail].map(([, name, title]) => `${name}: ${title}`),
    ...[...screens].map(([, path, title, entry]) => `${entry} ${path}: ${title}`),
  ];
}

/** A finding when the names are others than those in the pictures. */
export function checkPictures(root: string): Finding[] {
  if (!existsSync(join(root, SCREENS))) return [];
  const now = namesOfScreens(root);
  const file = join(root, SHOWN);
  const shown: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const before = new Set(Array.isArray(shown) ? shown : []);
  const changed = [
    ...now.filter((name) => !before.has(name)),
    ...[...before].filter((name) => !now.includes(String(name))),
  ];
  if (changed.length === 0) return [];
  const message = `the pictures in docs/images show other screens than there are (${changed.slice(0, 3).join('; ')}); take them anew with 'npm run screenshots'`;
  return [{ rule: 'pictures', file: SHOWN, line: 1, message }];
}
