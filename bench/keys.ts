/** Owns P17: what a call costs when every request comes with another one of very many keys. */
import { bundleScript } from './bundle.ts';
import { cpuTimeUs } from './cpu.ts';
import { runKeyWindow } from './load.ts';
import type { Method } from './machine.ts';
import { startServer } from './server-process.ts';
import type { ServerProcess } from './server-process.ts';
import { checkedExchange } from './wire.ts';

/** CPU of the server for a call, in microseconds. */
export interface KeyCost {
  /** All calls with one key. */
  oneUs: number;
  /** Every key for the first time since the start. */
  firstUs: number;
  /** Every key once more. */
  againUs: number;
}

/** Everything P17 measures. */
export interface KeyFigures {
  keys: number;
  sqlite: KeyCost;
  postgres?: KeyCost;
}

const CONNECTIONS = 32;
const LONGEST_SECONDS = 300;

/** Measures P17 on SQLite, and once more on PostgreSQL where there is one. */
export async function measureKeys(
  keys: number,
  { method, databaseUrl }: { method: Method; databaseUrl: string | undefined },
  progress: (line: string) => void,
): Promise<KeyFigures> {
  const script = bundleScript('servers/parley-main.ts');
  progress('keys: SQLite');
  const sqlite = await costOn(script, [], { keys, method });
  if (databaseUrl === undefined) return { keys, sqlite };
  progress('keys: PostgreSQL');
  const postgres = await costOn(script, ['--database-url', databaseUrl], { keys, method });
  return { keys, sqlite, postgres };
}

async function costOn(
  script: string,
  databaseFlags: string[],
  { keys, method }: { keys: number; method: Method },
): Promise<KeyCost> {
  const flags = ['--tools', '1', '--port', '0', ...databaseFlags];
  const server = await startServer(script, flags, method.cores?.server);
  try {
    const one = await keysFile(server, 1);
    const many = await keysFile(server, keys);
    const cost = (file: string, turn: number) => cpuOf(server, { file, turn, requests: keys, method });
    // Compiled first, so that what comes is the cost of the keys.
    await cost(one, 0);
    const oneUs = await cost(one, 1);
    const firstUs = await cost(many, 2);
    const againUs = await cost(many, 3);
    return { oneUs: Math.min(oneUs, await cost(one, 4)), firstUs, againUs };
  } finally {
    await server.stop();
  }
}

async function keysFile(server: ServerProcess, count: number): Promise<string> {
  const { file } = await server.ask(`keys ${count}`);
  if (typeof file !== 'string') throw new Error('The server wrote no keys.');
  return file;
}

async function cpuOf(
  { pid, ready: { url, key } }: ServerProcess,
  { file, turn, requests, method }: { file: string; turn: number; requests: number; method: Method },
): Promise<number> {
  const target = { url, key, kind: 'call', toolCount: 1 } as const;
  const { body } = await checkedExchange(target);
  const before = cpuTimeUs(pid, method.cpuSource);
  const window = {
    ...target,
    connections: CONNECTIONS,
    seconds: LONGEST_SECONDS,
    // Eight digits, and the same place in the file at the start of every turn.
    firstId: 10_000_000 + turn * requests - 1,
    answerBytes: Buffer.byteLength(body),
    keysFile: file,
    requests,
  };
  const result = await runKeyWindow(window, method);
  if (result.errors > 0 || result.requests < requests)
    throw new Error(`${result.errors} of ${result.requests} answers were not like the checked one.`);
  return Number(((cpuTimeUs(pid, method.cpuSource) - before) / result.requests).toFixed(1));
}
