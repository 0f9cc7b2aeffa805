/** A real Chromium for the tests; without one they say so and are skipped, but fail where nobody would read it. */
import { describe } from 'vitest';
import { findChromium, launch } from './launch.ts';
import type { Browser, Context } from './playwright.ts';

const executablePath = findChromium();

if (executablePath === undefined) {
  const text = 'No Chromium was found: install it (apt-get install chromium) to run the browser tests.';
  if (process.env.CI === 'true') throw new Error(text);
  console.warn(`\n!!! ${text} They are SKIPPED now.\n`);
}

/** A group of tests that needs the browser. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- the condition is not the title
export const describeInBrowser = describe.skipIf(executablePath === undefined);

/** The one that this process runs: starting it takes longer than many a test does. */
let running: Promise<Browser> | undefined;

/** A browser of its own, as far as a test can tell: profiles share nothing, and closing it closes its profiles. */
export async function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('No Chromium was found; use describeInBrowser.');
  running ??= start(executablePath);
  const browser = await running;
  const contexts: Context[] = [];
  return {
    async newContext(options) {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    },
    async close() {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
    },
    on: (event, listener) => browser.on(event, listener),
  };
}

async function start(path: string): Promise<Browser> {
  const browser = await launch(path);
  // Whoever comes after one that died gets the next.
  browser.on('disconnected', () => (running = undefined));
  return browser;
}
