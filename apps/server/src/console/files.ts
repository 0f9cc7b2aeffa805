/** The built pages of the console: files by name with a year of caching, and the one page for every other path. */
import { readdir, readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RouteSet } from '@parley/http';
import { createFrontDoor, DEFAULT_INBOUND_LIMITS, HttpRefusal, namesWith } from '@parley/http';
import { writeAnswer } from '@parley/http/pages';
import type { ConsoleParts } from './index.ts';
import { PAGES_PREFIX } from './index.ts';

const CONSOLE = '../../console/dist/';
// Of the bundle in apps/server/dist, or of this file.
const BUILT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? `../${CONSOLE}` : CONSOLE, import.meta.url),
);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), publickey-credentials-get=(self)',
};

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** The forms that the build leaves beside a file, the smallest first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

const YEAR_S = 365 * 24 * 60 * 60;
const PAGE = 'index.html';
/** The page that holds an MCP App: a site of its own for the browser, with nothing of the console's. */
const APP_FRAME = { path: 'app-frame', file: 'app-frame.html' };
const APP_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data:',
  "frame-ancestors 'self'",
].join('; ');
/** Names with the hash of what is in them, as the build writes them. */
const HASHED = /^assets\/.+-[\w-]{8,}\.[a-z0-9]+$/;

const UNBUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Parley</title>
<h1>The console is not built</h1>
<p>Run <code>npm run build</code> in the checkout and start the server again. Everything else is served.</p>
</html>
`;

/** The files of a folder by their names below it; undefined without the page itself. */
async function filesIn(folder: string): Promise<ReadonlySet<string> | undefined> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, '/').length))
    .map((name) => name.replaceAll('\\', '/'))
    // What the build keeps for itself, such as its manifest.
    .filter((name) => !name.startsWith('.'));
  return files.includes(PAGE) ? new Set(files) : undefined;
}

export async function createFiles({ host, files: given, config }: ConsoleParts): Promise<RouteSet> {
  const folder = given ?? BUILT;
  const door = createFrontDoor(namesWith(host.names, config.web.publicUrl), DEFAULT_INBOUND_LIMITS);
  let known: ReadonlySet<string> | undefined;
  let builtMs: number | undefined;

  /** A build while the server runs writes other names: looked for with every page, and with a file that is not known. */
  async function lookAgain(name: string): Promise<void> {
    if (known?.has(name) === true) return;
    // Without the page there is nothing built, which is said to whoever asks.
    const writtenMs = (await stat(join(folder, PAGE)).catch(() => undefined))?.mtimeMs;
    if (known !== undefined && writtenMs === builtMs) return;
    builtMs = writtenMs;
    known = await filesIn(folder);
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    door.checkHost(req);
    if (req.method !== 'GET' && req.method !== 'HEAD')
      throw new HttpRefusal(405, 'Use GET here.', { headers: { allow: 'GET, HEAD' } });
    const path = (req.url ?? '').split('?', 1)[0] ?? '';
    const name = decoded(path.slice(PAGES_PREFIX.length + 1));
    await lookAgain(name);
    if (known === undefined) return writeUnbuilt(req, res);
    if (name === APP_FRAME.path || name === APP_FRAME.file) return writeAppFrame(req, res);
    if (known.has(name) && name !== PAGE) return writeFile(req, res, name);
    // A file that is not there must not look like the page, or it would be kept for a year.
    if (extname(name) !== '' && name.startsWith('assets/'))
      throw new HttpRefusal(404, 'There is no such file.');
    return writeFile(req, res, PAGE);
  }

  async function writeAppFrame(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (known?.has(APP_FRAME.file) !== true) throw new HttpRefusal(404, 'There is no such file.');
    const { 'x-frame-options': _none, ...headers } = HEADERS;
    const own = { 'content-security-policy': APP_POLICY, 'content-type': TYPES['.html'] ?? '' };
    const body = await readFile(join(folder, APP_FRAME.file), 'utf8');
    writeAnswer(req, res, {
      status: 200,
      headers: { ...headers, ...own, 'cache-control': 'no-cache' },
      body,
    });
  }

  async function writeFile(req: IncomingMessage, res: ServerResponse, name: string): Promise<void> {
    const accepted = req.headers['accept-encoding'] ?? '';
    const [encoding, ending = ''] =
      ENCODINGS.find(([each, end]) => accepts(accepted, each) && known?.has(name + end) === true) ?? [];
    const body = await readFile(join(folder, name + ending));
    res.writeHead(200, {
      ...HEADERS,
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'content-length': body.length,
      'cache-control': HASHED.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache',
      vary: 'accept-encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    });
    res.end(req.method === 'HEAD' ? undefined : body);
  }

  return {
    name: 'Console',
    prefix: PAGES_PREFIX,
    routes: async () => [
      `GET ${PAGES_PREFIX}`,
      `GET ${PAGES_PREFIX}/:path`,
      `GET ${PAGES_PREFIX}/${APP_FRAME.path}`,
    ],
    isGuarded: true,
    async handle(req, res) {
      try {
        await serve(req, res);
      } catch (error) {
        const refusal = error instanceof HttpRefusal ? error : new HttpRefusal(404, 'There is no such file.');
        // A file of a build before is gone once there is another.
        const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (isGone) known = undefined;
        else if (refusal !== error) host.onFault(error, 'console files');
        writeText(req, res, refusal);
      }
    },
    close: async () => undefined,
  };
}

function accepts(header: string | string[], encoding: string): boolean {
  return String(header)
    .split(',')
    .some((part) => {
      const [name = '', quality = ''] = part.split(';');
      return name.trim() === encoding && !/^\s*q=0(?:\.0*)?\s*$/.test(quality);
    });
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}

function writeUnbuilt(req: IncomingMessage, res: ServerResponse): void {
  const headers = { ...HEADERS, 'content-type': TYPES['.html'] ?? '', 'cache-control': 'no-store' };
  writeAnswer(req, res, { status: 503, headers, body: UNBUILT });
}

function writeText(req: IncomingMessage, res: ServerResponse, refusal: HttpRefusal): void {
  const { status, message, headers } = refusal;
  const type = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  writeAnswer(req, res, { status, headers: { ...HEADERS, ...headers, ...type }, body: `${message}\n` });
}
