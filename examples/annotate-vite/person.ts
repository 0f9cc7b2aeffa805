/** A scripted person: opens the page in a real browser, points at something, and writes what should change. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireTool } from './project.ts';

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

interface Locator {
  first(): Locator;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  waitFor(): Promise<void>;
  count(): Promise<number>;
}

/** The page, as far as this example uses it. */
export interface Page {
  setDefaultTimeout(timeoutMs: number): void;
  goto(url: string): Promise<unknown>;
  locator(selector: string): Locator;
  getByRole(role: string, options: { name: string | RegExp }): Locator;
  screenshot(options: { path: string; animations: 'disabled' }): Promise<unknown>;
}

interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

/** A person in front of the page. */
export interface Person extends AsyncDisposable {
  readonly page: Page;
  /** Points at the first element that matches, writes the note and sends it. */
  annotate(selector: string, text: string, beforeSending: () => Promise<void>): Promise<void>;
  /** Waits until the note's pin shows this status. */
  seesPin(status: 'pending' | 'acknowledged' | 'resolved'): Promise<void>;
}

/** The Chromium of this machine, when there is one. */
export function findBrowser(): string | undefined {
  return BROWSERS.find((path) => existsSync(path));
}

export async function openPage(url: string, executablePath: string): Promise<Person> {
  const { chromium } = requireTool<{ chromium: { launch(options: object): Promise<Browser> } }>(
    'playwright-core',
  );
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: 760, height: 440 }, colorScheme: 'light' });
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  return {
    page,
    async annotate(selector, text, beforeSending) {
      await page.getByRole('button', { name: /^Pick an element/ }).click();
      await page.locator(selector).first().click();
      await page.getByRole('textbox', { name: 'Your note' }).fill(text);
      await beforeSending();
      await page.getByRole('button', { name: 'Add note' }).click();
    },
    async seesPin(status) {
      await page.locator(`parley-overlay .pin[data-status=${status}]`).waitFor();
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Takes pictures for the documentation, when asked to. */
export function createCamera(page: Page, folder: string | undefined): (name: string) => Promise<void> {
  return async (name) => {
    if (folder === undefined) return;
    // A running fade would make every recording differ.
    await page.screenshot({ path: join(folder, `annotate-${name}.png`), animations: 'disabled' });
  };
}
