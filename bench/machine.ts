/** Owns the facts about the machine, the versions and the tools at hand. */
import { execFileSync, spawnSync } from 'node:child_process';
import type { ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { cpuSource } from './cpu.ts';
import type { CpuSource } from './cpu.ts';

/** How this run measures: what was found, and what it falls back to. */
export interface Method {
  generator: 'wrk' | 'own';
  cpuSource: CpuSource;
  /** Undefined when taskset or a second core is missing. */
  cores: { server: number; generator: number } | undefined;
}

const root = new URL('../', import.meta.url);

/** Looks for wrk, taskset and the CPU source. */
export function findMethod(): Method {
  const cores = allowedCores();
  const [generator] = cores;
  const server = cores.at(-1);
  const canPin = cores.length > 1 && isInstalled('taskset', '--version');
  return {
    generator: isInstalled('wrk', '-v') ? 'wrk' : 'own',
    cpuSource: cpuSource(),
    cores: canPin && generator !== undefined && server !== undefined ? { server, generator } : undefined,
  };
}

/** A command line that runs on one core where that is possible. */
export function pinned(core: number | undefined, command: string, args: string[]): [string, string[]] {
  return core === undefined ? [command, args] : ['taskset', ['-c', String(core), command, ...args]];
}

/** The facts that go into the result file. */
export function machineFacts() {
  return {
    cpuCount: cpus().length,
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    memoryMb: Math.round(totalmem() / 1e6),
    platform: `${platform()} ${arch()} ${release()}`,
  };
}

/** Load averages over 1, 5 and 15 minutes. */
export function loadAverages(): number[] {
  return loadavg().map((load) => Number(load.toFixed(2)));
}

/** The commit that was measured, marked when the checkout differs from it. */
export function currentCommit(): string | null {
  try {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    };
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], options).trim();
    const changes = execFileSync('git', ['status', '--porcelain', '-uno'], options).trim();
    return changes ? `${commit} with changes` : commit;
  } catch {
    return null;
  }
}

/** Versions of everything that takes part. */
export function versions(): Record<string, string | null> {
  return {
    node: process.versions.node,
    v8: process.versions.v8,
    parley: packageVersion('apps/server/package.json'),
    '@modelcontextprotocol/server': packageVersion('node_modules/@modelcontextprotocol/server/package.json'),
    '@modelcontextprotocol/node': packageVersion('node_modules/@modelcontextprotocol/node/package.json'),
    zod: packageVersion('node_modules/zod/package.json'),
  };
}

function packageVersion(path: string): string | null {
  const file = new URL(path, root);
  if (!existsSync(file)) return null;
  const { version }: { version?: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version ?? null;
}

function isInstalled(command: string, flag: string): boolean {
  // wrk answers its version with a non-zero code, so only a failed start counts as missing
  return spawnSync(command, [flag], { stdio: 'ignore' }).error === undefined;
}

function allowedCores(): number[] {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return parseCoreList(/Cpus_allowed_list:\s*(\S+)/.exec(status)?.[1] ?? '');
  } catch {
    return [];
  }
}

/** Core numbers out of a list such as `0-2,5`. */
export function parseCoreList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last] = range.split('-').map(Number);
    if (first === undefined || Number.isNaN(first) || range === '') return [];
    return Array.from({ length: (last ?? first) - first + 1 }, (_, index) => first + index);
  });
}
