/** Owns the mixed load of the fault runs: clients that make tasks, posts, events and annotations, and note what was acknowledged. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProductPage } from '../product/annotations-page.ts';
import { openPage, tokenOf } from '../product/annotations-page.ts';
import type { FaultBed } from './fault-bed.ts';
import { EVENT_TYPE } from './fault-bed.ts';
import type { Asked, Outcome, Told } from './fault-client.ts';
import { mcp, outcomeOf, outcomeOfNone, rest } from './fault-client.ts';

/** What clients do. */
export const DOINGS = ['task', 'post', 'event', 'note'] as const;
export type Doing = (typeof DOINGS)[number];

/** A running load. */
export interface Load {
  /** How often each thing came out how, such as `task done`. */
  readonly tally: ReadonlyMap<string, number>;
  /** How long each acknowledged creation of a task took, with the moment it was asked for. */
  readonly creations: readonly { readonly atMs: number; readonly tookMs: number }[];
  /** Lets each client finish what it does. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** How many clients do each thing. */
  readonly lanes: Readonly<Partial<Record<Doing, number>>>;
  readonly steps?: number;
  readonly workMs?: number;
  /** Whom a client asks now; absent: the balancer. */
  door?(): Asked;
}

/** One key may publish a hundred events a second, and one page write ten annotations. */
const PACE_MS: Readonly<Record<Doing, number>> = { task: 5, post: 5, event: 25, note: 150 };
const AFTER_REFUSAL_MS = 50;

/** Starts the clients. */
export function startLoad(bed: FaultBed, options: LoadOptions): Load {
  const { ledger, boardId } = bed;
  const { steps = 3, workMs = 5, door = () => bed.door } = options;
  const tally = new Map<string, number>();
  const creations: { atMs: number; tookMs: number }[] = [];
  const over = new AbortController();

  async function counted(ask: () => Promise<Told>, keep: (told: Told) => void): Promise<Outcome> {
    try {
      const told = await ask();
      const outcome = outcomeOf(told);
      if (outcome === 'done') keep(told);
      return outcome;
    } catch (error) {
      return outcomeOfNone(error);
    }
  }

  const doings: Record<Exclude<Doing, 'note'>, (mark: string) => Promise<Outcome>> = {
    task(mark) {
      const atMs = performance.now();
      const params = { name: 'do_chore', arguments: { mark, steps, workMs } };
      return counted(
        () => mcp(door(), 'tools/call', params),
        ({ json }) => {
          ledger.tasks.set(json.result.taskId, { mark, steps });
          creations.push({ atMs, tookMs: performance.now() - atMs });
        },
      );
    },
    post: (mark) =>
      counted(
        () => rest(door(), 'POST', '/api/v1/posts', { boardId, title: `Post ${mark}`, content: 'Words' }),
        ({ json }) => ledger.posts.add(json.data.id),
      ),
    event: (subject) =>
      counted(
        () => rest(door(), 'POST', '/api/events', { type: EVENT_TYPE, subject, data: { subject } }),
        () => ledger.events.add(subject),
      ),
  };

  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);

  async function run(doing: Doing): Promise<void> {
    const annotate = doing === 'note' ? annotator(bed) : undefined;
    while (!over.signal.aborted) {
      const mark = randomUUID();
      const outcome = await (doing === 'note' ? annotate!.write(mark) : doings[doing](mark));
      count(`${doing} ${outcome}`);
      await delay(outcome === 'done' ? PACE_MS[doing] : AFTER_REFUSAL_MS);
    }
    annotate?.close();
  }

  const clients = DOINGS.flatMap((doing) =>
    Array.from({ length: options.lanes[doing] ?? 0 }, () => run(doing)),
  );
  return {
    tally,
    creations,
    async stop() {
      over.abort();
      await Promise.all(clients);
    },
  };
}

/** A page that goes to another server when its own is gone, and stays the same page session. */
function annotator({ fleet, ledger }: FaultBed) {
  let page: ProductPage | undefined;
  let sessionToken: string | undefined;
  let turn = 0;
  const connect = async (): Promise<ProductPage> => {
    const server = fleet.servers[(turn += 1) % fleet.servers.length];
    const ready = JSON.parse(server?.stdout().split('\n')[0] ?? '') as { overlayTag: string };
    const opened = await openPage(server?.url ?? '', tokenOf(ready.overlayTag), sessionToken);
    ({ sessionToken } = opened.ready);
    return opened;
  };
  const leave = () => {
    page?.close();
    page = undefined;
  };
  return {
    async write(text: string): Promise<Outcome> {
      try {
        page ??= await connect();
        const { ready, closed } = page;
        const note = await Promise.race([
          page.annotate(text),
          closed,
          delay(20_000, undefined, { ref: false }),
        ]);
        if (typeof note !== 'string') throw new Error('The page was left alone.');
        ledger.notes.set(note, ready.session.id);
        return 'done';
      } catch (error) {
        leave();
        return /unavailable/.test(String(error)) ? 'unavailable' : 'cut';
      }
    },
    close: leave,
  };
}

/** What may come of a request while a process is killed: what it was asked is done, refused, or nobody knows. */
const OF_A_KILL = ['done', 'unavailable', 'rate_limited', 'cut'] as const;

/** The outcomes that the fault does not excuse. A page may always be cut off: it connects again, as the overlay does. */
export function wrongAnswers({ tally }: Load, excused: readonly Outcome[] = OF_A_KILL): string[] {
  const isExcused = (what: string) => what === 'note cut' || excused.includes(what.replace(/^\w+ /, ''));
  return [...tally].filter(([what]) => !isExcused(what)).map(([what, times]) => `${times} x ${what}`);
}
