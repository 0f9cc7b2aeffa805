/** `npm run screenshots`: the pictures of the console in docs/images, taken of a server with the demo in a folder of its own. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Context, Page } from '../test/e2e/playwright.ts';
import { loadPlaywright } from '../test/e2e/playwright.ts';
import { ensureBuilt, ROOT } from '../test/product/build.ts';
import { namesOfScreens, SHOWN } from './check/pictures.ts';

const TARGET = join(ROOT, 'docs/images');
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };
// Large enough that letters stay sharp.
const QUALITY = 82;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** The row to open, by words in it. */
  readonly open?: RegExp;
  /** The button to press then. */
  readonly press?: string;
  /** What has to be on the screen, besides that nothing loads. */
  readonly shows?: RegExp;
  /** Taller than usual, for what stands further down. */
  readonly height?: number;
}

const SHOTS: readonly Shot[] = [
  { name: 'home', path: '/', shows: /calls in the last 24 hours/, height: 1420 },
  { name: 'annotations', path: '/annotations', open: /cannot reach the cards/ },
  { name: 'inbox', path: '/feedback/inbox' },
  { name: 'tasks', path: '/tasks', open: /Step 3 of 12.*/ },
  { name: 'agents', path: '/agents', open: /Fixes what people point at/ },
  { name: 'connections', path: '/connections' },
  { name: 'tools', path: '/tools', open: /^List sessions/, press: 'Run', shows: /boards\/launch/ },
  { name: 'monitoring', path: '/monitoring' },
];

const ON_PHONE = 'home';

interface Started {
  readonly url: string;
  readonly signIn: string;
  stop(): Promise<void>;
}

/** Starts a server with the demo; resolves when the demo is complete. */
async function startDemo(data: string): Promise<Started> {
  const launcher = join(ROOT, 'apps/server/bin/parley.js');
  const args = [launcher, 'start', '--demo', '--json', '--port', '0', '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lineWith = (stream: typeof child.stdout, words: string) =>
    new Promise<string>((resolve, reject) => {
      createInterface({ input: stream }).on('line', (line) => {
        if (line.includes(words)) resolve(line);
      });
      child.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
  const [ready] = await Promise.all([
    lineWith(child.stdout, '"signIn"'),
    lineWith(child.stderr, 'the demo is complete'),
  ]);
  const { url, signIn } = JSON.parse(ready) as { url: string; signIn: string };
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    signIn,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function launch(): Promise<Browser> {
  const executablePath = BROWSERS.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error('No Chromium was found: apt-get install chromium.');
  return loadPlaywright().chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

async function show(page: Page, url: string, shot: Shot): Promise<void> {
  const { path, open, press, shows, height = DESK.height } = shot;
  await page.setViewportSize({ ...DESK, height });
  await page.goto(`${url}/console${path}`);
  await settled(page);
  if (open !== undefined) {
    await page.getByText(open).first().click();
    await settled(page);
  }
  if (press !== undefined) await page.getByRole('button', { name: press, exact: true }).click();
  if (shows !== undefined) await page.getByText(shows).first().waitFor();
}

/** Nothing that loads is left on the screen, pictures included. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('h1, h2') !== null &&
      document.querySelector('.skeleton, .frame-pending, [aria-busy="true"]') === null &&
      [...document.images].every((image) => image.complete),
  );
}

async function take(context: Context, page: Page, file: string): Promise<number> {
  const tools = await context.newCDPSession(page);
  const answer = await tools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  const { data } = answer as { data: string }; // as the browser documents it
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(TARGET, file), bytes);
  return bytes.length;
}

async function takeAll(browser: Browser, { url, signIn }: Started): Promise<number> {
  const context = await browser.newContext({ viewport: DESK });
  const page = await context.newPage();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(signIn);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  let total = 0;
  for (const shot of SHOTS) {
    await show(page, url, shot);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      total += await take(context, page, `console-${shot.name}-${colorScheme}.webp`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    if (shot.name !== ON_PHONE) continue;
    await page.setViewportSize(PHONE);
    await settled(page);
    total += await take(context, page, `console-${shot.name}-phone.webp`);
  }
  return total;
}

await ensureBuilt();
const data = mkdtempSync(join(tmpdir(), 'parley-screenshots-'));
try {
  const [server, browser] = [await startDemo(join(data, 'data')), await launch()];
  try {
    const bytes = await takeAll(browser, server);
    writeFileSync(join(ROOT, SHOWN), `${JSON.stringify(namesOfScreens(ROOT), null, 2)}\n`);
    process.stdout.write(
      `${SHOTS.length * 2 + 1} pictures in docs/images, ${Math.round(bytes / 1024)} KiB\n`,
    );
  } finally {
    await browser.close();
    await server.stop();
  }
} finally {
  rmSync(data, { recursive: true, force: true });
}
