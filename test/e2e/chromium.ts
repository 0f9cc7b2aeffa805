/** A real Chromium for the tests; without one they say so and are skipped, but fail where nobody would read it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe } from 'vitest';
import type { Browser } from './playwright.ts';
import { loadPlaywright } from './playwright.ts';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

const installed = (): string | undefined => PLACES.find((path) => existsSync(path));

function findChromium(): string | undefined {
  const found = installed();
  if (found !== undefined || process.getuid?.() !== 0) return found;
  spawnSync('apt-get', ['install', '-y', 'chromium'], { stdio: 'ignore', timeout: 300_000 });
  return installed();
}

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
  return loadPlaywright().chromium.launch({ executablePath, args: FLAGS });
}
