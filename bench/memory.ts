/** Owns P8: memory of an idle server, and of one that has answered a million calls. */
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureBuilt } from '../test/product/build.ts';
import { callTool, message, post } from '../test/product/mcp-messages.ts';
import { scratchFolder, startParley } from '../test/product/parley.ts';
import { openDescriptors, residentBytes } from './cpu.ts';
import { pinned } from './machine.ts';
import type { Method } from './machine.ts';
import type { ServerProcess } from './server-process.ts';
import type { Soak, SoakResult } from './soak.ts';

/** One look at a server's memory, after garbage collection. */
export interface MemorySample {
  calls: number;
  rssMb: number;
  descriptors: number | null;
  timers: number | null;
}

/** Memory before and after the long load. */
export interface FlatMemory {
  early: MemorySample;
  late: MemorySample;
  load: SoakResult[];
}

const run = promisify(execFile);
const soakScript = fileURLToPath(new URL('soak.ts', import.meta.url));
const SETTLE_MS = 500;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
};

/** Resident memory in MB of the shipped server with all that it brings, at rest, once both eras have been used. */
export async function measureIdle(): Promise<number | undefined> {
  await ensureBuilt();
  using folder = scratchFolder();
  await using server = await startParley(folder.path, { args: ['--log-level', 'error'] });
  const list = await post(server.mcp, server.key, message(1, 'tools/list'));
  if (list.body.result?.tools === undefined) throw new Error(`The list of tools failed: ${list.text}`);
  const call = await callTool(server, 'parley_whoami');
  if (call.body.result?.structuredContent === undefined) throw new Error(`A call failed: ${call.text}`);
  const opened = await fetch(server.mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(INITIALIZE),
  });
  if (!opened.ok) throw new Error(`A session of 2025 failed: HTTP ${opened.status}`);
  await opened.arrayBuffer();
  await pause(SETTLE_MS);
  const bytes = residentBytes(server.child.pid ?? 0);
  return bytes === undefined ? undefined : megabytes(bytes);
}

/** Loads a server with `lateCalls` in all and compares its memory with that at `earlyCalls`. */
export async function measureFlat(
  server: ServerProcess,
  { earlyCalls, lateCalls }: { earlyCalls: number; lateCalls: number },
  method: Method,
  progress: (line: string) => void,
): Promise<FlatMemory> {
  const { url, key } = server.ready;
  progress(`memory: ${earlyCalls} calls`);
  const first = await runSoak({ url, key, calls: earlyCalls, connections: 16 }, method);
  const early = await sample(server, earlyCalls);
  progress(`memory: ${lateCalls} calls`);
  const second = await runSoak({ url, key, calls: lateCalls - earlyCalls, connections: 16 }, method);
  const late = await sample(server, lateCalls);
  return { early, late, load: [first, second] };
}

async function runSoak(options: Soak, method: Method): Promise<SoakResult> {
  const args = [soakScript, JSON.stringify(options)];
  const { stdout } = await run(...pinned(method.cores?.generator, process.execPath, args));
  // the line is printed by our own script
  return JSON.parse(stdout) as SoakResult;
}

async function sample(server: ServerProcess, calls: number): Promise<MemorySample> {
  const descriptors = await settledDescriptors(server.pid);
  const { rssBytes, timers } = await server.ask('memory');
  return {
    calls,
    rssMb: megabytes(Number(rssBytes)),
    descriptors: descriptors ?? null,
    timers: typeof timers === 'number' ? timers : null,
  };
}

async function settledDescriptors(pid: number): Promise<number | undefined> {
  let last = openDescriptors(pid);
  // closed connections leave the table a moment after the client has gone
  for (let equalReads = 0, reads = 0; equalReads < 4 && reads < 40; reads++) {
    await pause(SETTLE_MS);
    const current = openDescriptors(pid);
    equalReads = current === last ? equalReads + 1 : 0;
    last = current;
  }
  return last;
}

function megabytes(bytes: number): number {
  return Number((bytes / 1e6).toFixed(1));
}
