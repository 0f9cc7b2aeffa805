/** The console in a real browser: a server with its built pages, people who are signed in, pictures and checks of what they see. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../e2e/chromium.ts';
import type { Browser, Context, Page } from '../e2e/playwright.ts';
import { axePath } from '../e2e/playwright.ts';
import { ensureBuilt, ROOT } from '../product/build.ts';
import type { ConsoleServer } from '../product/console-browser.ts';
import { startConsole } from '../product/console-browser.ts';

const SHOTS = join(ROOT, 'test/artifacts/console');

/** The two sizes of the pictures. */
export const DESK = { viewport: { width: 1280, height: 800 } };
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** A tab with what went wrong in it. */
export interface Tab {
  readonly page: Page;
  readonly context: Context;
  /** Faults of scripts, and what the page's policy forbade. */
  readonly faults: string[];
  /** Goes to a path below /console and waits until its heading or list is there. */
  go(path: string): Promise<void>;
  /** The same by the router, as a click on a link does it: the page is not loaded anew. */
  visit(path: string): Promise<void>;
}

/** The scene of a test file. */
export interface ConsoleBed extends AsyncDisposable {
  readonly server: ConsoleServer;
  readonly browser: Browser;
  /** The address by the name that the console's link has. */
  readonly url: string;
  /** A tab of a new profile in which somebody is signed in: the owner, or a member by the email. */
  open(options?: OpenOptions): Promise<Tab>;
  /** A tab in which nobody is signed in. */
  openStranger(path: string, options?: OpenOptions): Promise<Tab>;
}

/** How a tab looks. */
export type OpenOptions = Parameters<Browser['newContext']>[0] & { readonly who?: string };

/** Starts the server in this process, and the browser. Flags as of `parley start`: `['--demo']`. */
export async function openConsole(flags: readonly string[] = []): Promise<ConsoleBed> {
  await ensureBuilt();
  mkdirSync(SHOTS, { recursive: true });
  const [server, browser] = await Promise.all([startConsole(flags), launchChromium()]);
  const url = server.url.replace('127.0.0.1', 'localhost');
  return {
    server,
    browser,
    url,
    async open({ who, ...options } = {}) {
      const { token } = await server.app.host.identity.web.createLink(who);
      const tab = await openTab(browser, url, options);
      await tab.page.goto(`${url}/console/sign-in#token=${token}`);
      await tab.page.getByRole('navigation', { name: 'Main' }).waitFor();
      return tab;
    },
    async openStranger(path, { who: _nobody, ...options } = {}) {
      const tab = await openTab(browser, url, options);
      await tab.page.goto(`${url}${path}`);
      return tab;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** A tab of a new profile, on no page yet. */
export async function openTab(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Tab> {
  const context = await browser.newContext({ ...DESK, ...options });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  // Pictures are taken of things that stand still.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  return {
    page,
    context,
    faults,
    async go(path) {
      await page.goto(`${url}/console${path}`);
      await settled(page);
    },
    async visit(path) {
      await page.evaluate(async (href) => {
        // Put there by the router itself.
        const { __TSR_ROUTER__: router } = window as unknown as {
          __TSR_ROUTER__: { navigate(to: { href: string }): Promise<void> };
        };
        await router.navigate({ href });
      }, `/console${path}`);
      await settled(page);
    },
  };
}

/** Waits until nothing that loads is left on the screen. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('h1, h2') !== null &&
      document.querySelector('.skeleton, .frame-pending, [aria-busy="true"]') === null,
  );
}

const MOST_TABS = 120;

/** Presses Tab until something whose label or words begin so has the keyboard. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < MOST_TABS; press += 1) {
    await page.keyboard.press('Tab');
    const isThere = await page.evaluate((wanted) => {
      const at = document.activeElement;
      if (at === null || at === document.body) return false;
      const named = at
        .getAttribute('aria-labelledby')
        ?.split(' ')
        .map((id) => document.getElementById(id));
      const label =
        at.getAttribute('aria-label') ??
        named?.map((one) => one?.textContent).join(' ') ??
        at.closest('.field, .choice')?.textContent ??
        at.textContent;
      return (label ?? '').trim().startsWith(wanted);
    }, name);
    if (isThere) return;
  }
  throw new Error(`Tab does not lead to ${name}.`);
}

/** Keeps a picture: `<name>-<width>-<theme>.png`. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const [width, theme] = await page.evaluate(() => [
    innerWidth,
    matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  ]);
  await page.screenshot({ path: join(SHOTS, `${name}-${width}-${theme}.png`) });
}

/** What the accessibility check finds that is serious or worse; with `rules` only by these. */
export async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // A page that was checked before still has it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(readFileSync(axePath(), 'utf8'));
  return page.evaluate(async (only) => {
    interface Axe {
      run(options: { resultTypes: string[]; runOnly?: readonly string[] }): Promise<{
        violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
      }>;
    }
    const { axe } = window as unknown as { axe: Axe }; // put there by the line above
    const { violations: found } = await axe.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
    });
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
      );
  }, rules);
}

/**
 * Looks at screens in both themes and sizes: each is checked for accessibility on the desk, kept as four pictures,
 * and must not scroll sideways on a phone. Returns what is wrong.
 */
export async function lookAt(bed: ConsoleBed, screens: Readonly<Record<string, string>>): Promise<string[]> {
  const wrong: string[] = [];
  for (const size of [DESK, PHONE]) {
    const tab = await bed.open(size);
    for (const [name, path] of Object.entries(screens)) {
      await tab.visit(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await tab.page.emulateMedia({ colorScheme });
        await keepPicture(tab.page, name);
        if (size === DESK) {
          // The other theme is the same page in other colours.
          const found = await violations(tab.page, colorScheme === 'dark' ? ['color-contrast'] : undefined);
          wrong.push(...found.map((text) => `${name} ${colorScheme}: ${text}`));
        }
      }
      const isWide = await tab.page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      if (isWide) wrong.push(`${name}: wider than ${size.viewport.width} px`);
    }
    wrong.push(...tab.faults);
    await tab.context.close();
  }
  return wrong;
}
