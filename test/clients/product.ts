/** The real product as a process of its own, over a temporary data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Endpoint, Program } from './foreign-client.ts';
import { scratchEnvironment } from './foreign-client.ts';

const PARLEY = fileURLToPath(new URL('../../apps/server/bin/parley.js', import.meta.url));
const Ready = z.looseObject({ mcp: z.url(), ownerKeyFile: z.string() });

/** A running server, and the same data folder over stdio. */
export interface Product {
  readonly endpoint: Endpoint;
  readonly program: Program;
  /** A scratch home folder for one foreign client. */
  newHome(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts `parley start` on a free port and waits for its ready line. */
export async function startProduct(): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-clients-'));
  const data = join(folder, 'data');
  const args = [PARLEY, 'start', '--port', '0', '--data', data, '--json'];
  const server = spawn(process.execPath, args, {
    env: scratchEnvironment(folder),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const lines = createInterface({ input: server.stdout });
  const line = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  if (line === undefined) throw new Error('parley start ended before it was ready; its stderr says why.');
  const { mcp, ownerKeyFile } = Ready.parse(JSON.parse(String(line[0])));
  let homes = 0;
  return {
    endpoint: { url: mcp, key: (await readFile(ownerKeyFile, 'utf8')).trim() },
    program: { command: process.execPath, args: [PARLEY, 'mcp', '--data', data] },
    async newHome() {
      const home = join(folder, `home-${(homes += 1)}`);
      await mkdir(home);
      return home;
    },
    async stop() {
      server.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
