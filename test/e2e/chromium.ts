/** A real Chromium for the tests; without one they say so and are skipped, but fail where nobody would read it. */
import { describe } from 'vitest';
import { findChromium, launch } from './launch.ts';
import type { Browser } from './playwright.ts';

const executablePath = findChromium();

if (executablePath === undefined) {
  const text = 'No Chromium was found: install it (apt-get install chromium) to run the browser tests.';
  if (process.env.CI === 'true') throw new Error(text);
  console.warn(`\n!!! ${text} They are SKIPPED now.\n`);
}

/** A group of tests that needs the browser. */
// oxlint-disable-next-line vitest/valid-title, vitest/valid-describe-callback -- the condition is not the title
export const describeInBrowser = describe.skipIf(executablePath === undefined);

/** Starts the browser. */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('No Chromium was found; use describeInBrowser.');
  return launch(executablePath);
}
