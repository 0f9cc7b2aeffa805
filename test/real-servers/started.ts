/** Owns servers of other projects that listen on a port: started from where they are installed, ended with all they started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listening } from '@parley/test-support/listening';

/** Where the servers are installed. */
export const INSTALLED = join(import.meta.dirname, 'installed/node_modules');

const READY_MS = 30_000;
const ASK_EVERY_MS = 100;
/** What a server that did not start is shown with. */
const SHOWN_OUTPUT = 2_000;

/** The version that is installed of a package. */
export function versionOf(folder: string): string {
  const manifest = readFileSync(join(INSTALLED, folder, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

/** A port that nobody has at this moment. */
export async function freePort(): Promise<number> {
  await using server = await listening(createServer());
  return server.port;
}

/** Starts a program of the servers, and waits until something answers at the address. */
export async function startProgram(
  args: readonly string[],
  { env, url }: { readonly env: Readonly<Record<string, string>>; readonly url: string },
): Promise<AsyncDisposable> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-SHOWN_OUTPUT)));
  const ended = once(child, 'close');
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
  const untilMs = performance.now() + READY_MS;
  while (!(await answers(url))) {
    if (child.exitCode === null && performance.now() < untilMs) await delay(ASK_EVERY_MS);
    else {
      await end();
      throw new Error(`${args.join(' ')} does not answer at ${url}: ${output}`);
    }
  }
  return { [Symbol.asyncDispose]: end };
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) });
    await answer.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
