/** Owns P19: the console in Chromium, with 100,000 of everything behind it: how soon it is there, and whether it stays smooth. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findChromium, launch } from '../test/e2e/launch.ts';
import type { Browser, Context, Page } from '../test/e2e/playwright.ts';
import { changeRoute, loadRows, scrollTable, watchPage } from './console-page.ts';
import type { PageFigures, Scrolled } from './console-page.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';

/** Everything P19 measures. */
export interface ConsoleFigures {
  rows: number;
  /** From the start of the navigation until nothing loads any more, each with an empty cache. */
  interactive: Latency;
  /** From the click until the screen is there; each was open before. */
  routes: Record<string, Latency>;
  /** The list of calls, all of which were read. */
  scrolled: Scrolled;
  live: { told: number; seconds: number; messages: number; longestMs: number };
  /** From the request of one person until another sees what changed. */
  shown: Latency;
}

export interface ConsoleSettings {
  rows: number;
  loads: number;
  visits: number;
  frames: number;
  liveSeconds: number;
}

const LIVE_PER_SECOND = 1000;
const SCROLL_PX = 400;
const ROUTES = ['/', '/feedback/inbox', '/tasks', '/tools', '/monitoring', '/organization'];
const VIEWPORT = { width: 1280, height: 800 };
const SCRIPT = fileURLToPath(new URL('servers/console-main.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../apps/console/dist/index.html', import.meta.url));

/** Measures P19; undefined where there is no Chromium. */
export async function measureConsole(
  settings: ConsoleSettings,
  progress: (line: string) => void,
): Promise<ConsoleFigures | undefined> {
  if (!existsSync(BUILT)) throw new Error('The console is not built. Run npm run build first.');
  const path = findChromium();
  if (path === undefined) {
    progress('console: no Chromium was found; install it to measure P19');
    return undefined;
  }
  const server = await startServer(SCRIPT, []);
  const browser = await launch(path);
  try {
    progress(`console: ${settings.rows} rows of everything`);
    await server.ask(`fill ${settings.rows}`);
    const context = await browser.newContext({ viewport: VIEWPORT });
    const page = await signedIn(context, server);
    progress('console: first loads');
    const interactive = await measureLoads(browser, server, settings.loads);
    progress('console: routes');
    const routes = await measureRoutes(page, settings.visits);
    progress('console: live changes');
    const live = await measureLive(page, server, settings.liveSeconds);
    const shown = await measureShown(page, server, settings.visits);
    progress('console: scrolling');
    const scrolled = await measureScroll(page, server, settings);
    return { rows: settings.rows, interactive, routes, scrolled, live, shown };
  } finally {
    await browser.close();
    await server.stop();
  }
}

const settled = (page: Page) =>
  page.waitForFunction(() => (window as { figures?: PageFigures }).figures?.settledMs !== undefined);
const figuresOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { figures: PageFigures }).figures); // put there by `watchPage`

async function signedIn(context: Context, server: ServerProcess): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  const { token } = await server.ask('link');
  await page.goto(`${server.ready.url}/console/sign-in#token=${String(token)}`);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return page;
}

/** A cache of their own for each load, so that every byte comes from the server. */
async function measureLoads(browser: Browser, server: ServerProcess, loads: number): Promise<Latency> {
  const timesMs: number[] = [];
  for (let made = 0; made < loads + 1; made += 1) {
    const context = await browser.newContext({ viewport: VIEWPORT });
    const page = await signedIn(context, server);
    await (await context.newCDPSession(page)).send('Network.clearBrowserCache');
    await page.goto(`${server.ready.url}/console/feedback/inbox`);
    await settled(page);
    const { settledMs = Number.NaN } = await figuresOf(page);
    // The first one warms the server.
    if (made > 0) timesMs.push(settledMs);
    await context.close();
  }
  return latencyOf(timesMs);
}

async function measureRoutes(page: Page, visits: number): Promise<Record<string, Latency>> {
  const times = new Map<string, number[]>(ROUTES.map((path) => [path, []]));
  await page.goto(`${new URL(page.url()).origin}/console/connections`);
  await settled(page);
  for (let visit = 0; visit < visits + 1; visit += 1)
    for (const path of ROUTES) {
      const tookMs = await page.evaluate(changeRoute, path);
      // The first visit loads the code of the screen.
      if (visit > 0) times.get(path)?.push(tookMs);
      await page.waitForFunction(() => document.querySelector('.skeleton, .frame-pending') === null);
    }
  return Object.fromEntries([...times].map(([path, taken]) => [path, latencyOf(taken)]));
}

async function measureLive(
  page: Page,
  server: ServerProcess,
  seconds: number,
): Promise<ConsoleFigures['live']> {
  await page.goto(`${server.ready.url}/console/feedback/inbox`);
  await settled(page);
  await page.evaluate(() =>
    Object.assign((window as unknown as { figures: PageFigures }).figures, { messages: 0, longestMs: 0 }),
  );
  const { told } = await server.ask(`storm ${LIVE_PER_SECOND}:${seconds}`);
  const { messages, longestMs } = await figuresOf(page);
  return { told: Number(told), seconds, messages, longestMs };
}

async function measureShown(page: Page, server: ServerProcess, times: number): Promise<Latency> {
  const timesMs: number[] = [];
  for (let made = 0; made < times; made += 1) {
    const title = `Seen-${made}`;
    const startedMs = performance.now();
    const seen = page.getByText(title).first().waitFor();
    await server.ask(`post ${title}`);
    await seen;
    timesMs.push(performance.now() - startedMs);
  }
  return latencyOf(timesMs);
}

async function measureScroll(
  page: Page,
  server: ServerProcess,
  { rows, frames }: ConsoleSettings,
): Promise<Scrolled> {
  await page.goto(`${server.ready.url}/console/monitoring/calls?time=30d`);
  await settled(page);
  await page.evaluate(loadRows, rows);
  await page.evaluate(scrollTable, { frames: 30, px: SCROLL_PX });
  return page.evaluate(scrollTable, { frames, px: SCROLL_PX });
}
