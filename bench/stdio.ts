/** Owns P5: the time from spawn to the first tools/list answer over stdio, in both eras. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleScript, cachePath } from './bundle.ts';
import { cpuSource, cpuTimeUs, residentBytes } from './cpu.ts';
import { ownStdioArguments, parleyStdioArguments } from './servers/parley-stdio.ts';
import { benchTools, wireDefinition } from './tools.ts';
import { modernBody } from './wire.ts';

/** How a client opens: one modern request, or the handshake of 2025 first. */
export type Opening = 'modern' | '2025';

/** The cold starts of one program opened in one way. */
export interface ColdStart {
  name: string;
  opening: Opening;
  tools: number;
  medianMs: number;
  minMs: number;
  /** On-CPU time of all threads up to the first list, the median; it hardly moves when the machine is busy. */
  cpuMs: number;
  runsMs: number[];
  rssMb: number | null;
}

/** All cold starts; `firstEverMs` is Parley on a folder that did not exist. */
export interface ColdStarts {
  starts: ColdStart[];
  firstEverMs: number | null;
}

/** A program to start; how many tools it lists is checked unless it has its own. */
interface Program {
  name: string;
  opening: Opening;
  args: string[];
  tools?: number;
}
interface Run {
  elapsedMs: number;
  cpuMs: number;
  tools: number;
  rssBytes: number | undefined;
}

const source = cpuSource();
const LIST_ID = 2;
const ANSWER_LIMIT_MS = 20_000;
const OPENINGS: Opening[] = ['modern', '2025'];
const handshake = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: LIST_ID, method: 'tools/list' },
].map((message) => `${JSON.stringify(message)}\n`);

/** Measures every program in both ways, one run of each per round, the order rotated. */
export async function measureColdStarts(
  toolCount: number,
  runs: number,
  progress: (line: string) => void,
): Promise<ColdStarts> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  try {
    const parley = await parleyStdioArguments(toolCount, dataDir);
    const firstEver = parley ? await coldStart(parley, 'modern', toolCount) : undefined;
    const programs = allPrograms(toolCount, parley, await ownStdioArguments(dataDir));
    const seen = new Map<Program, Run[]>(programs.map((program) => [program, []]));
    for (let round = 0; round <= runs; round++) {
      progress(`cold starts, round ${round} of ${runs}`);
      const shift = round % programs.length;
      for (const program of [...programs.slice(shift), ...programs.slice(0, shift)]) {
        const run = await coldStart(program.args, program.opening, program.tools);
        // the first run of each is discarded: it pays for cold disk caches
        if (round > 0) seen.get(program)?.push(run);
      }
    }
    return {
      starts: programs.map((program) => summary(program, seen.get(program) ?? [])),
      firstEverMs: firstEver ? Math.round(firstEver.elapsedMs) : null,
    };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function allPrograms(toolCount: number, parley: string[] | undefined, own: string[]): Program[] {
  const list = cachePath(`tools-${toolCount}.json`);
  writeFileSync(list, JSON.stringify(benchTools(toolCount).map(wireDefinition)));
  const bare = [bundleScript('servers/bare-stdio.ts'), list];
  const sdk = [bundleScript('servers/sdk-stdio.ts'), String(toolCount)];
  return OPENINGS.flatMap((opening) => [
    // Two openings tell servers apart, not the bare script nor the number of tools.
    ...(opening === 'modern' ? [{ name: 'bare', opening, args: bare, tools: toolCount }] : []),
    { name: 'sdk', opening, args: sdk, tools: toolCount },
    ...(parley ? [{ name: 'parley', opening, args: parley, tools: toolCount }] : []),
    ...(opening === 'modern' ? [{ name: 'parley own', opening, args: own }] : []),
  ]);
}

function summary({ name, opening }: Program, runs: Run[]): ColdStart {
  const sorted = ascending(runs.map((run) => run.elapsedMs));
  const rssBytes = runs.at(-1)?.rssBytes;
  return {
    name,
    opening,
    tools: runs.at(-1)?.tools ?? 0,
    medianMs: median(sorted),
    minMs: sorted[0] ?? Number.NaN,
    cpuMs: median(ascending(runs.map((run) => run.cpuMs))),
    runsMs: sorted,
    rssMb: rssBytes === undefined ? null : Math.round(rssBytes / 1e6),
  };
}

function ascending(values: number[]): number[] {
  return values.map((value) => Number(value.toFixed(1))).toSorted((a, b) => a - b);
}

/** The middle of sorted values; the mean of the two middle ones when their number is even. */
export function median(sorted: number[]): number {
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return Number(((lower + upper) / 2).toFixed(1));
}

/** Starts one program, waits for its list, checks it, and ends it by closing its input. */
export async function coldStart(args: string[], opening: Opening, toolCount?: number): Promise<Run> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const limit = setTimeout(() => child.kill('SIGKILL'), ANSWER_LIMIT_MS);
  // a program that died early is reported by its missing answer
  child.stdin.on('error', () => undefined);
  const [first = '', ...rest] = opening === 'modern' ? [`${modernBody('list', LIST_ID)}\n`] : handshake;
  child.stdin.write(first);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const elapsedMs = performance.now() - startedMs;
      const cpuMs = cpuTimeUs(child.pid ?? 0, source) / 1000;
      // parsed JSON has no type of its own; the two fields are checked here
      const answer = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
      if (answer.id === 1) child.stdin.write(rest.join(''));
      if (answer.id !== LIST_ID) continue;
      const tools = answer.result?.tools?.length ?? 0;
      if (tools !== (toolCount ?? Math.max(tools, 1)))
        throw new Error(`${args[0]} listed ${tools} of ${toolCount ?? 'its own'} tools.`);
      return { elapsedMs, cpuMs, tools, rssBytes: residentBytes(child.pid ?? 0) };
    }
    throw new Error(`${args[0]} ended before it listed its tools. Start it by hand to see why.`);
  } finally {
    clearTimeout(limit);
    child.stdin.end();
    const force = setTimeout(() => child.kill('SIGKILL'), 2000);
    await exited;
    clearTimeout(force);
  }
}
