/** Owns the bed of one check: a fresh database, replicas in processes of their own, and the effects they had. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JobInput, State } from './contract.ts';
import { LIMITS } from './contract.ts';
import type { EngineName } from './engines.ts';
import type { Asked, Command, ReplicaOptions, Told } from './replica.ts';

/** One effect: when, of which task, what, by which replica. */
export interface Effect {
  readonly at: number;
  readonly label: string;
  readonly what: string;
  readonly by: string;
}

/** A replica as the check sees it. */
export interface Remote {
  readonly name: string;
  readonly pid: number;
  ask<T = unknown>(command: Command): Promise<T>;
  create(input: Partial<JobInput> & Pick<JobInput, 'label' | 'does'>): Promise<string>;
  state(id: string): Promise<State>;
  /** When the signal of the step that hangs fired. */
  readonly stopped: Promise<number>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  isAlive(): boolean;
  kill(): Promise<void>;
}

export interface Bed {
  readonly engine: EngineName;
  start(name: string, options?: Partial<ReplicaOptions>): Promise<Remote>;
  effects(label?: string): Effect[];
  /** Looks again and again; gives how long it took in ms, or undefined when it was not so in time. */
  until(isSo: () => boolean | Promise<boolean>, limitMs: number): Promise<number | undefined>;
  close(): Promise<void>;
}

const START_LIMIT_MS = 60_000;
const LOOK_MS = 20;

/** A bed on a database of its own; an empty address is SQLite. */
export function openBed(engine: EngineName, url: string): Bed {
  const folder = mkdtempSync(join(tmpdir(), 'parley-engines-bed-'));
  const effects = join(folder, 'effects.txt');
  writeFileSync(effects, '');
  const remotes: Remote[] = [];
  const until: Bed['until'] = async (isSo, limitMs) => {
    const startedMs = performance.now();
    while (!(await isSo())) {
      if (performance.now() - startedMs > limitMs) return undefined;
      await pause(LOOK_MS);
    }
    return performance.now() - startedMs;
  };
  return {
    engine,
    until,
    async start(name, options = {}) {
      const remote = await startReplica({
        engine,
        url,
        name,
        effects,
        version: 1,
        works: true,
        mayHang: false,
        isQuick: false,
        countsTimers: false,
        limits: LIMITS,
        organizations: ['one', 'two'],
        ...options,
      });
      remotes.push(remote);
      return remote;
    },
    effects(label) {
      const lines = readFileSync(effects, 'utf8').split('\n').filter(Boolean);
      const all = lines.map((line) => {
        const [at = '', name = '', what = '', by = ''] = line.split(' ');
        return { at: Number(at), label: name, what, by };
      });
      return label === undefined ? all : all.filter((effect) => effect.label === label);
    },
    async close() {
      await Promise.all(remotes.map((remote) => remote.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startReplica(options: ReplicaOptions): Promise<Remote> {
  const program = join(import.meta.dirname, 'replica.ts');
  const child = fork(program, [JSON.stringify(options)], {
    execArgv: ['--disable-warning=DeprecationWarning'],
  });
  const gone = once(child, 'exit');
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  const ready = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<number>();
  let asked = 0;
  child.on('message', (told: Told) => {
    if ('ready' in told) return ready.resolve();
    if ('stopped' in told) return stopped.resolve(told.stopped);
    const { resolve, reject } = waiting.get(told.number)!;
    waiting.delete(told.number);
    if (told.fault === undefined) resolve(told.value);
    else reject(new Error(told.fault));
  });
  child.once('exit', () => {
    ready.reject(new Error(`${options.engine} ended before it was ready; its output says why.`));
    for (const { reject } of waiting.values()) reject(new Error(`${options.name} is gone.`));
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS);
  await ready.promise.finally(() => clearTimeout(limit));
  // each command has its own kind of answer, which its asker knows
  const ask = <T>(command: Command) =>
    new Promise<T>((resolve, reject) => {
      const number = (asked += 1);
      waiting.set(number, { resolve, reject });
      child.send({ number, command } satisfies Asked);
    });
  return {
    name: options.name,
    pid: child.pid ?? 0,
    ask,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stopped: stopped.promise,
    async create(input) {
      const whole = { owner: 'A', organization: 'one', ...input };
      const [id = ''] = await ask<string[]>({ do: 'create', inputs: [whole] });
      return id;
    },
    state: (id) => ask<State>({ do: 'state', id }),
    signal: (signal) => {
      child.kill(signal);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
