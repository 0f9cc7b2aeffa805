/** The program of one replica: an engine that does what its parent asks over the channel. */
import { createHook } from 'node:async_hooks';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { detach } from '@parley/kit';
import { collector } from '../servers/serving.ts';
import type { JobInput, Limits, Replica } from './contract.ts';
import type { EngineName } from './engines.ts';
import { ENGINES } from './engines.ts';
import { jobs, MEANT } from './jobs.ts';

/** What a replica is started with. */
export interface ReplicaOptions {
  readonly engine: EngineName;
  readonly url: string;
  readonly name: string;
  readonly effects: string;
  readonly version: number;
  readonly works: boolean;
  readonly mayHang: boolean;
  readonly isQuick: boolean;
  /** Counting timers costs time, so rates go without. */
  readonly countsTimers: boolean;
  readonly limits: Limits | null;
  readonly organizations: readonly string[];
}

/** What the parent may ask for, with a number to answer to. */
export type Command =
  | { readonly do: 'create'; readonly inputs: readonly JobInput[] }
  | { readonly do: 'create with'; readonly input: JobInput; readonly end: 'commit' | 'rollback' }
  | { readonly do: 'cancel' | 'state' | 'answer'; readonly id: string }
  | { readonly do: 'take over'; readonly name: string }
  | { readonly do: 'flood'; readonly creators: number; readonly ms: number }
  | { readonly do: 'go' | 'unfinished' | 'footprint' | 'needs a hand' };

export interface Asked {
  readonly number: number;
  readonly command: Command;
}

export type Told =
  | { readonly ready: true }
  | { readonly stopped: number }
  | { readonly number: number; readonly value: unknown; readonly fault?: string };

const options: ReplicaOptions = JSON.parse(process.argv[2] ?? '{}');
const timers = new Set<number>();
if (options.countsTimers) {
  createHook({
    trackPromises: false,
    init: (id, type) => {
      if (type === 'Timeout') timers.add(id);
    },
    destroy: (id) => {
      timers.delete(id);
    },
  }).enable();
}
const going = Promise.withResolvers<void>();
const run = jobs({ ...options, going: going.promise, onStopped: () => tell({ stopped: Date.now() }) });
const onFault = (error: unknown) => {
  if (String(error) === String(MEANT)) return;
  process.stderr.write(`${options.engine} ${options.name}: ${String(error)}\n`);
};
// an engine may leave a promise of a cancelled task to nobody
process.on('unhandledRejection', onFault);
const replica: Replica = await ENGINES[options.engine]({
  ...options,
  folder: dirname(options.effects),
  limits: options.limits ?? undefined,
  run,
  onFault,
});

function tell(told: Told): void {
  process.send?.(told);
}

/** Creates by so many at once for so long; each waits for its acknowledgement. */
async function flood(creators: number, ms: number): Promise<object> {
  const until = performance.now() + ms;
  const cpu = process.cpuUsage();
  let created = 0;
  const create = async (_: unknown, creator: number) => {
    const owner = `${options.name}-${creator}`;
    const organization = options.organizations[creator % options.organizations.length] ?? '';
    while (performance.now() < until) {
      await replica.create({ label: '-', does: 'nothing', owner, organization });
      created += 1;
    }
  };
  await Promise.all(Array.from({ length: creators }, create));
  const { user, system } = process.cpuUsage(cpu);
  return { created, cpuMs: (user + system) / 1000 };
}

/** CPU while nothing is asked of it, then timers and the memory that cannot be given back. */
async function footprint(): Promise<object> {
  const idleMs = 5000;
  const before = process.cpuUsage();
  await pause(idleMs);
  const { user, system } = process.cpuUsage(before);
  const cpuPercent = (user + system) / idleMs / 10;
  collector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return { timers: timers.size, neededMb: process.memoryUsage.rss() / 1e6, cpuPercent };
}

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'create':
      return createAll(command.inputs);
    case 'create with':
      return replica.createWith(command.input, command.end);
    case 'cancel':
      return replica.cancel(command.id);
    case 'state':
      return replica.state(command.id);
    case 'answer':
      return replica.answer(command.id, 'yes');
    case 'take over':
      return replica.takeOver?.(command.name);
    case 'needs a hand':
      return replica.takeOver !== undefined;
    case 'flood':
      return flood(command.creators, command.ms);
    case 'unfinished':
      return replica.unfinished();
    case 'footprint':
      return footprint();
    case 'go':
      return going.resolve();
  }
}

const AT_ONCE = 16;

/** Creates in their order, some at once. */
async function createAll(inputs: readonly JobInput[]): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < inputs.length; first += AT_ONCE) {
    const some = inputs.slice(first, first + AT_ONCE);
    ids.push(...(await Promise.all(some.map((input) => replica.create(input)))));
  }
  return ids;
}

async function answer({ number, command }: Asked): Promise<void> {
  try {
    tell({ number, value: await obey(command) });
  } catch (error) {
    tell({ number, value: null, fault: String(error) });
  }
}

process.on('message', (asked: Asked) => detach(answer(asked), onFault));
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () =>
  detach(
    replica.stop().then(() => process.exit(0)),
    () => process.exit(1),
  ),
);
tell({ ready: true });
