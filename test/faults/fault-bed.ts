/** Owns the bed of the fault runs: servers with counted tasks, a webhook that hears of events, a board, and the ledger. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';
import { runParley } from '../product/parley.ts';
import { Acknowledged, listTasks } from './acknowledged.ts';
import type { Verdict } from './acknowledged.ts';
import type { Asked } from './fault-client.ts';
import { rest } from './fault-client.ts';
import type { Fleet, FleetOptions } from './fleet.ts';
import { CHORES, SECRET, startFleet, until } from './fleet.ts';

export interface FaultBed extends AsyncDisposable {
  readonly fleet: Fleet;
  /** Through the balancer. */
  readonly door: Asked;
  readonly ledger: Acknowledged;
  /** Subjects of events that the webhook was told of. */
  readonly arrived: ReadonlySet<string>;
  /** When the webhook was told of each subject, by a clock that nobody sets. */
  readonly attempts: ReadonlyMap<string, readonly number[]>;
  readonly boardId: string;
  /** Waits until every task has ended and every event has arrived, as long as that may take, and checks everything. */
  settled(limitMs: number): Promise<Verdict>;
}

export interface BedOptions extends Omit<FleetOptions, 'program' | 'argsOf'> {
  /** How long a task stays with a process that does not move. */
  readonly leaseMs: number;
  /** How soon after that another has it; absent: the same part of a lease as by default. */
  readonly takeoverMs?: number;
  /** Sleeps that are longer are parked. */
  readonly heldSleepMs?: number;
  /** Whether there is no load but tasks: then nothing is made for posts and events, which saves a start its time. */
  readonly isForTasks?: boolean;
  /** Where steps leave their lines; absent: beside the data. */
  readonly effects?: string;
}

/** Subjects that begin like this are refused by the webhook once. */
export const REFUSED_ONCE = 'refused-once ';

/** What events of the load are called. */
export const EVENT_TYPE = 'load.made';

/** Starts everything. */
export async function startFaultBed(options: BedOptions): Promise<FaultBed> {
  const { leaseMs, takeoverMs = leaseMs / 6, heldSleepMs = 5_000, args = [], dataDir, databaseUrl } = options;
  mkdirSync(dataDir, { recursive: true });
  const { effects = join(dataDir, 'effects.txt') } = options;
  writeFileSync(effects, '');
  const receiver = await startReceiver();
  const allow = ['--allow-egress', receiver.host];
  const limits = Object.entries({ lease: leaseMs, takeover: takeoverMs, held: heldSleepMs }).flatMap(
    ([name, ms]) => [`--task-${name}`, String(Math.ceil(ms))],
  );
  const fleet = await startFleet({
    ...options,
    program: CHORES,
    args: [...args, ...allow, ...limits, '--effects', effects],
    argsOf: (index) => ['--worker', `server-${index}`],
  });
  const door = { url: fleet.balancer.url, key: fleet.key };
  const boardId = options.isForTasks === true ? '' : await makeBoard(door);
  if (options.isForTasks !== true) {
    const where = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    const data = fleet.servers[0]?.data ?? '';
    const hook = ['webhooks', 'add', `http://${receiver.host}/hook`, '--events', EVENT_TYPE];
    const added = await runParley([...hook, '--data', data, ...where, ...allow], { env: SECRET });
    if (added.code !== 0) throw new Error(`The webhook was not added: ${added.stderr}`);
  }
  const ledger = new Acknowledged(effects);
  const hasArrived = () => [...ledger.events].every((subject) => receiver.arrived.has(subject));
  // A server that has just come back may still refuse.
  const isAtRest = async () =>
    hasArrived() &&
    (await listTasks(door, 'working').then(
      ({ length }) => length === 0,
      () => false,
    ));
  return {
    fleet,
    door,
    ledger,
    arrived: receiver.arrived,
    attempts: receiver.attempts,
    boardId,
    async settled(limitMs) {
      // What is not at rest then is in the verdict.
      await until('everything is at rest', isAtRest, limitMs).catch(() => undefined);
      return ledger.check(door, receiver.arrived);
    },
    async [Symbol.asyncDispose]() {
      await fleet[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

async function makeBoard(to: Asked): Promise<string> {
  const { status, json, text } = await rest(to, 'POST', '/api/v1/boards', { name: 'Ideas' });
  if (status !== 201) throw new Error(`The board was answered with ${status}: ${text}`);
  return String(json.data.id);
}

/** A webhook that takes everything, some of it not at once. */
async function startReceiver() {
  const arrived = new Set<string>();
  const attempts = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const take = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const { subject } = JSON.parse(Buffer.concat(chunks).toString()) as { subject?: string };
      const before = attempts.get(subject ?? '') ?? [];
      if (subject !== undefined) attempts.set(subject, [...before, performance.now()]);
      if (before.length === 0 && subject?.startsWith(REFUSED_ONCE)) {
        response.writeHead(500).end();
        return;
      }
      if (subject !== undefined) arrived.add(subject);
      response.writeHead(204).end();
    };
    // A server that is killed breaks its request off.
    detach(take, () => response.destroy());
  });
  const { port, ...rest } = await listening(server);
  return { ...rest, host: `127.0.0.1:${port}`, arrived, attempts };
}
