/** Finds and starts a real Chromium. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
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

/** Where it is; where the system can install it, it does. */
export function findChromium(): string | undefined {
  const found = installed();
  if (found !== undefined || process.getuid?.() !== 0) return found;
  spawnSync('apt-get', ['install', '-y', 'chromium'], { stdio: 'ignore', timeout: 300_000 });
  return installed();
}

/** Starts the browser of a path. */
export function launch(executablePath: string): Promise<Browser> {
  return loadPlaywright().chromium.launch({ executablePath, args: FLAGS });
}
