/** What all links of one connection share: its era, what it said about itself, its conversations, its watches. */
import type { UpstreamTarget } from '@parley/connections';
import type { Egress, Line } from '@parley/kit/egress';
import type { LinkWatch, ServerFacts } from '../link.ts';
import { LinkForgotten } from '../link.ts';
import type { Address } from './address.ts';
import { lineTo } from './address.ts';
import type { WireMeans } from './modern.ts';
import { Shelf } from './shelf.ts';

type Era = ServerFacts['era'];

export interface HomeParts {
  readonly means: Omit<WireMeans, 'closing'>;
  readonly now: () => number;
  /** The era that was seen last. */
  readonly era: Era | null;
  /** How long that is believed; never longer than what is found out here. */
  readonly eraLeftMs?: number | undefined;
  /** Told of what was found out, also when it is the same again. */
  readonly onEra: (era: Era) => void;
}

/** Sets of credentials whose answers are remembered. */
const MOST_FACTS = 500;
/** Addresses of one connection: one, and the one before while it is being changed. */
const MOST_LINES = 4;

export class Home {
  readonly means: WireMeans;
  readonly shelf: Shelf;
  readonly watches = new Set<LinkWatch>();
  /** True: the connection was changed, and has another home by now. */
  isForgotten = false;
  readonly #closing = new AbortController();
  readonly #now: () => number;
  readonly #onEra: (era: Era) => void;
  readonly #facts = new Map<string, { readonly facts: ServerFacts; readonly untilMs: number }>();
  readonly #finding = new Map<string, Promise<ServerFacts>>();
  readonly #lines = new Map<string, Line>();
  #era: Era | null;
  #eraUntilMs: number;

  constructor({ means, now, era, eraLeftMs = Infinity, onEra }: HomeParts) {
    this.means = { ...means, closing: this.#closing.signal };
    this.#now = now;
    this.#onEra = onEra;
    this.#era = era;
    this.#eraUntilMs = now() + Math.min(eraLeftMs, means.limits.factsMs);
    this.shelf = new Shelf({ limits: means.limits, now, onFault: means.onFault });
  }

  /** Null: to be found out. */
  get era(): Era | null {
    return this.#era !== null && this.#now() < this.#eraUntilMs ? this.#era : null;
  }

  /** One way for all credentials, so that an address is not checked once for each of them. */
  lineFor(target: UpstreamTarget, egress: Egress): Line {
    const key = `${target.url ?? ''} ${target.allow.join(' ')}`;
    const known = this.#lines.get(key);
    if (known !== undefined) return known;
    const line = lineTo(target.url, target, egress);
    if (this.#lines.size >= MOST_LINES) this.#lines.clear();
    this.#lines.set(key, line);
    return line;
  }

  forgetEra(): void {
    this.#era = null;
    this.#facts.clear();
  }

  remember(address: Address, facts: ServerFacts): void {
    const untilMs = this.#now() + this.means.limits.factsMs;
    // What is believed already is not news; what had to be found out again is.
    const isNew = this.era !== facts.era;
    this.#era = facts.era;
    this.#eraUntilMs = untilMs;
    if (isNew) this.#onEra(facts.era);
    if (this.#facts.size >= MOST_FACTS) this.#facts.clear();
    this.#facts.set(address.digest, { facts, untilMs });
  }

  factsOf(address: Address): ServerFacts | undefined {
    const known = this.#facts.get(address.digest);
    return known !== undefined && this.#now() < known.untilMs ? known.facts : undefined;
  }

  /** One search at a time for each set of credentials. */
  finding(address: Address, find: () => Promise<ServerFacts>): Promise<ServerFacts> {
    const { digest } = address;
    const running = this.#finding.get(digest);
    if (running !== undefined) return running;
    const started = find().finally(() => this.#finding.delete(digest));
    this.#finding.set(digest, started);
    return started;
  }

  async close(): Promise<void> {
    this.isForgotten = true;
    this.#closing.abort(new LinkForgotten());
    const watches = [...this.watches];
    await Promise.allSettled([...watches.map((watch) => watch.close()), this.shelf.close()]);
  }
}
