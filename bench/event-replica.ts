/** Owns replicas of the whole server as child processes: their start, their end, and calls of their tools and routes. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { modernCall, modernHeaders } from '@parley/test-support/wire';

/** How commands of one installation are run. */
export interface Installation {
  /** The program behind the command line. */
  script: string;
  dataDir: string;
  databaseUrl: string;
  /** Flags of every command. */
  flags: readonly string[];
}

/** A running replica. */
export interface Replica {
  url: string;
  /** Empty when another replica made the owner. */
  ownerKey: string;
  kill: () => Promise<void>;
}

const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url'),
});
const flagsOf = ({ dataDir, databaseUrl, flags }: Installation) => [
  '--data',
  dataDir,
  '--database-url',
  databaseUrl,
  ...flags,
];

/** Starts `parley start` and waits for its ready line. */
export async function startReplica(installation: Installation): Promise<Replica> {
  // so that the rate of one key is no part of what is measured
  const rates = ['--rate', '100000', '--rate-burst', '100000', '--log-level', 'error'];
  const args = [installation.script, 'start', '--port', '0', '--json', ...rates, ...flagsOf(installation)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: env() });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)]);
  if (first === undefined) throw new Error('A replica ended before it was ready.');
  const { url, ownerKeyFile } = JSON.parse(String(first[0])) as { url: string; ownerKeyFile: string };
  const ownerKey = existsSync(ownerKeyFile) ? readFileSync(ownerKeyFile, 'utf8').trim() : '';
  return { url, ownerKey, kill };
}

/** Runs another command to its end. */
export async function runCommand(installation: Installation, ...command: string[]): Promise<void> {
  const args = [installation.script, ...command, ...flagsOf(installation)];
  await promisify(execFile)(process.execPath, args, { env: env() });
}

/** Calls a tool of the mesh and gives its structured answer. */
export async function callTool(
  { url, key }: { url: string; key: string },
  name: string,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const body = modernCall(name, input);
  const response = await fetch(`${url}/mcp/self`, {
    method: 'POST',
    headers: { ...modernHeaders(body), authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  // parsed JSON has no type of its own
  const { result } = (await response.json()) as {
    result?: { isError?: boolean; structuredContent?: Record<string, unknown> };
  };
  if (result?.structuredContent === undefined || result.isError)
    throw new Error(`${name} failed: ${JSON.stringify(result)}`);
  return result.structuredContent;
}
