/** All programs of this process: which connection has which, how many there are, and who gives way to another. */
import type { UpstreamTarget } from '@parley/connections';
import type { Link, Links } from '../link.ts';
import { LinkForgotten, UpstreamFault } from '../link.ts';
import type { LinkOptions } from '../links.ts';
import type { ProgramOptions } from './allowed-start.ts';
import { startOf } from './allowed-start.ts';
import { Child } from './child.ts';
import { unreachable } from './faults.ts';
import { SharedProgram } from './shared-program.ts';
import type { ProgramTimes } from './times.ts';
import { MOST_PROGRAMS, PROGRAM_TIMES } from './times.ts';

export interface StdioOptions {
  /** Undefined: no program is ever started. */
  readonly programs: ProgramOptions | undefined;
  /** How this server introduces itself. */
  readonly info: { readonly name: string; readonly version: string };
  readonly onFault: (error: unknown, where: string) => void;
  /** Told when the era of a program was found out, whether it has changed or not. */
  readonly onEra?: LinkOptions['onEra'];
  readonly now?: () => number;
  /** Tests have less. */
  readonly times?: Partial<ProgramTimes>;
  readonly mostPrograms?: number;
}

export interface StdioLinks extends Links {
  /** The last of what the programs of a connection wrote for people: at most 64 KiB of each, without its secrets. */
  stderrOf(connectionId: string): readonly string[];
}

// One for each connection and principal that was ever asked, until it has nothing to remember.
const MOST_KNOWN = 1_000;
// Longer ago than so many others, nobody holds a link from before any more.
const MOST_FORGOTTEN = 10_000;
const RETRY_MS = 5_000;

/** Times are measured, not dated: a clock that is set must neither forget crashes nor count them twice. */
const measured = () => performance.now();

export function createStdioLinks(options: StdioOptions): StdioLinks {
  const { programs, info, onEra, now = measured, mostPrograms = MOST_PROGRAMS } = options;
  const onFault = (error: unknown) => options.onFault(error, 'stdio');
  const times = { ...PROGRAM_TIMES, ...options.times };
  const running = new Set<Child>();
  const known = new Map<string, SharedProgram>();
  const ending = new Set<Promise<void>>();
  /** When a connection was forgotten last, counted; the first is the oldest. */
  const forgotten = new Map<string, number>();
  let forgets = 0;
  let isClosed = false;

  function noteForgotten(connectionId: string): void {
    forgotten.delete(connectionId);
    forgotten.set(connectionId, (forgets += 1));
    const [oldest] = forgotten.size > MOST_FORGOTTEN ? forgotten.keys() : [];
    if (oldest !== undefined) forgotten.delete(oldest);
  }

  /** Ends what has had nothing to do for the longest time; throws when all are at work. */
  async function makePlace(): Promise<void> {
    const idle = [...known.values()]
      .filter(({ idleSince }) => idleSince !== undefined)
      .toSorted((a, b) => (a.idleSince ?? 0) - (b.idleSince ?? 0))[0];
    if (idle !== undefined) return track(idle.endIdle());
    if (ending.size === 0)
      throw unreachable(`${mostPrograms} programs are at work already. Try again later.`, RETRY_MS);
    await Promise.race(ending);
  }

  async function track(work: Promise<void>): Promise<void> {
    ending.add(work);
    try {
      await work;
    } finally {
      ending.delete(work);
    }
  }

  async function start(target: UpstreamTarget): Promise<Child> {
    const described = startOf(programs, target.id, target.program);
    while (running.size >= mostPrograms) await makePlace();
    if (isClosed) throw unreachable('The server is stopping.');
    try {
      return new Child(described, running, target.secrets);
    } catch (error) {
      if (error instanceof UpstreamFault) throw error;
      onFault(error);
      throw unreachable('No program could be started on this machine. Try again later.', RETRY_MS);
    }
  }

  /** What is forgotten is when it crashed, and what it wrote. */
  function forgetOne(): void {
    for (const [key, program] of known) {
      if (!program.isQuiet) continue;
      known.delete(key);
      return;
    }
  }

  function programOf(target: UpstreamTarget): SharedProgram {
    const key = keyOf(target);
    const found = known.get(key);
    found?.use(target);
    if (found !== undefined) return found;
    const onRest = (program: SharedProgram) => {
      if (known.get(key) === program) known.delete(key);
    };
    if (known.size >= MOST_KNOWN) forgetOne();
    const made = new SharedProgram(target, { info, times, now, onFault, onEra, start, onRest });
    known.set(key, made);
    return made;
  }

  return {
    of(target): Link {
      const madeAt = forgets;
      // Looked up for each request: a program that was at rest is forgotten, and comes back as another one. What was
      // begun before its connection was switched off brings none back.
      const program = () => {
        if ((forgotten.get(target.id) ?? 0) > madeAt) throw new LinkForgotten();
        return programOf(target);
      };
      return {
        facts: async (signal) => program().facts(signal),
        request: async (request) => program().request(request),
        watch: async (on, uris) => program().watch(on, uris),
      };
    },
    stderrOf: (connectionId) =>
      [...known.values()]
        .filter((program) => program.connectionId === connectionId)
        .map((program) => program.stderr()),
    async forget(connectionId) {
      noteForgotten(connectionId);
      const gone = [...known].filter(([, program]) => program.connectionId === connectionId);
      for (const [key] of gone) known.delete(key);
      await Promise.all(gone.map(([, program]) => track(program.close())));
    },
    async close() {
      isClosed = true;
      const all = [...known.values()];
      known.clear();
      await Promise.all([
        ...all.map((program) => program.close()),
        ...[...running].map((child) => child.end(times)),
      ]);
    },
  };
}

/** Programs of two principals are never shared. */
function keyOf({ organizationId, id, principal }: UpstreamTarget): string {
  return JSON.stringify([organizationId, id, principal]);
}
