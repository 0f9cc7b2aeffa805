/** The two files that pages refer to; their addresses change with what is in them. */
import { hash } from 'node:crypto';
import type { Answer } from './answer.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const YEAR_S = 365 * 24 * 60 * 60;
const HASH_LENGTH = 12;

interface File {
  readonly type: string;
  readonly text: string;
  readonly version: string;
}

const FILES: Readonly<Record<string, File>> = {
  '/feedback/style.css': file('text/css; charset=utf-8', STYLE),
  '/feedback/app.js': file('text/javascript; charset=utf-8', SCRIPT),
};

/** The addresses of both. */
export const FILE_PATHS: readonly string[] = Object.keys(FILES);

/** Where the style is. */
export const STYLE_PATH = addressOf('/feedback/style.css');

/** Where the script is. */
export const SCRIPT_PATH = addressOf('/feedback/app.js');

/** One of the files; undefined when there is none of that name. */
export function fileAt({ pathname, searchParams }: URL): Answer | undefined {
  const found = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
  if (found === undefined) return undefined;
  const isPinned = searchParams.get('v') === found.version;
  return {
    status: 200,
    headers: {
      'content-type': found.type,
      'cache-control': isPinned ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
    },
    body: found.text,
  };
}

function file(type: string, text: string): File {
  return { type, text, version: hash('sha256', text, 'base64url').slice(0, HASH_LENGTH) };
}

function addressOf(path: string): string {
  return `${path}?v=${FILES[path]?.version}`;
}
