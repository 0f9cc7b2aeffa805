/** Denials in the audit log: written after the answer, a few at a time, and once a minute for the same caller and tool. */
import type { Caller } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { AgentCallers } from './agent-keys.ts';
import type { AuditCaller } from './audit.ts';
import { writeAudit } from './audit.ts';
import { getOrganization } from './organizations.ts';
import { RecentMap } from './recent-map.ts';

/** What else is known of a denial, such as its reason. A `session` that is null is looked up when it is written. */
export type DenialFacts = Readonly<Record<string, string | null>>;

/** What was asked for: `isTool` is false for a name that nothing has. */
export interface DeniedName {
  readonly name: string;
  readonly isTool: boolean;
}

export type DeniedCaller = Caller & Pick<AuditCaller, 'requestId'>;

interface Denial {
  readonly caller: DeniedCaller;
  readonly tool: string;
  readonly about: DenialFacts;
  times: number;
  readonly dueAt: number;
}

const FLUSH_EVERY_MS = 500;
const AGAIN_AFTER_MS = 60_000;
const MAX_WAITING = 1000;
const MAX_REMEMBERED = 10_000;
// More than there are tools.
const MAX_TOOLS = 200;
// Whoever asks for names that nothing has must neither fill the log with them, nor hide there which tools were tried.
const MAX_OTHER_NAMES = 20;
/** The target of the entry that stands for those which are not written. */
const MORE = 'and more';

/** Gathers denials until they are written. */
export class Denials {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #agents: Pick<AgentCallers, 'sessionOf'>;
  readonly #waiting = new Map<string, Denial>();
  readonly #writtenAt = new RecentMap<number>(MAX_REMEMBERED);
  /** How many different denials of a caller were noted, of tools or of other names, and since when. */
  readonly #noted = new RecentMap<{ readonly since: number; count: number }>(MAX_REMEMBERED);
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();

  constructor(
    store: Store,
    options: {
      now: () => number;
      onError: (error: unknown) => void;
      agents: Pick<AgentCallers, 'sessionOf'>;
    },
  ) {
    this.#store = store;
    this.#now = options.now;
    this.#onError = options.onError;
    this.#agents = options.agents;
  }

  /** Notes a denial; constant time, never throws. Where there are too many, one entry counts the others: the call records have them. */
  note(caller: DeniedCaller, { name, isTool }: DeniedName, about: DenialFacts = {}): void {
    const who = `${caller.organizationId} ${caller.id}`;
    const key = JSON.stringify([who, name, about]);
    if (this.#countAgain(key)) return;
    if (this.#waiting.size < MAX_WAITING && this.#hasRoom(who, isTool)) {
      this.#wait(key, { caller, tool: name, about });
      return;
    }
    const kind = isTool ? 'tools' : 'other names';
    const moreKey = JSON.stringify([who, null, kind]);
    if (this.#countAgain(moreKey) || this.#waiting.size >= 2 * MAX_WAITING) return;
    const { reason: _ofOne, ...whose } = about;
    this.#wait(moreKey, { caller, tool: MORE, about: { ...whose, dropped: kind } });
  }

  /** True for one that waits already. */
  #countAgain(key: string): boolean {
    const known = this.#waiting.get(key);
    if (known !== undefined) known.times += 1;
    return known !== undefined;
  }

  #wait(key: string, denial: Pick<Denial, 'caller' | 'tool' | 'about'>): void {
    const dueAt = (this.#writtenAt.get(key) ?? -Infinity) + AGAIN_AFTER_MS;
    this.#waiting.set(key, { ...denial, times: 1, dueAt });
    this.#schedule();
  }

  #hasRoom(who: string, isTool: boolean): boolean {
    const now = this.#now();
    const key = `${isTool} ${who}`;
    const known = this.#noted.get(key);
    const noted =
      known !== undefined && now - known.since < AGAIN_AFTER_MS ? known : { since: now, count: 0 };
    noted.count += 1;
    this.#noted.set(key, noted);
    return noted.count <= (isTool ? MAX_TOOLS : MAX_OTHER_NAMES);
  }

  /** Writes what waits, whether it is due or not. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write(Infinity);
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const written = this.#write(this.#now()).then(() => {
        if (this.#waiting.size > 0) this.#schedule();
      });
      detach(written, this.#onError);
    }, FLUSH_EVERY_MS).unref();
  }

  /** One after the other, so that whoever flushes waits for what is being written already. */
  #write(until: number): Promise<void> {
    const written = this.#last.then(() => this.#writeDue(until));
    // Whoever asked for it is told; the next one writes all the same.
    this.#last = written.catch(() => undefined);
    return written;
  }

  async #writeDue(until: number): Promise<void> {
    const due = [...this.#waiting].filter(([, { dueAt }]) => dueAt <= until);
    const ofOrganizations = Map.groupBy(due, ([, { caller }]) => caller.organizationId);
    for (const denials of ofOrganizations.values()) {
      for (const [key] of denials) {
        this.#waiting.delete(key);
        this.#writtenAt.set(key, this.#now());
      }
      const facts = await Promise.all(denials.map(([, denial]) => this.#factsOf(denial)));
      await this.#store.transaction(async (tx) => {
        // One that was deleted meanwhile has no log any more.
        if ((await getOrganization(tx, denials[0]?.[1].caller.organizationId ?? '')) === undefined) return;
        for (const [index, [, { caller, tool, times }]] of denials.entries()) {
          const entry = { caller, action: 'call.denied', target: tool, outcome: 'denied' } as const;
          await writeAudit(tx, { ...entry, changed: { ...facts[index], times } }, { now: this.#now() });
        }
      });
    }
  }

  /** The call itself could not wait for its session to be looked up. */
  async #factsOf({ caller, about }: Denial): Promise<DenialFacts> {
    if (about['session'] !== null) return about;
    // An agent that is gone meanwhile has no session, and its denial is worth more than that.
    const session = await this.#agents.sessionOf(caller).catch(() => undefined);
    return { ...about, session: session ?? null };
  }
}
