/** Calls that wait for an answer of their client: in memory, for a while, each for the caller that made it. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { OutsideCall } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { AskingCall } from './asking-call.ts';

/** Whose call it is. */
export interface ParkedOwner {
  readonly organizationId: string;
  readonly callerId: string;
  readonly connectionId: string;
}

/** What a client that has come back brings, wherever it came to. */
export type Resuming = Pick<OutsideCall, 'capabilities' | 'inputResponses' | 'signal' | 'progress'>;

/** Goes on with calls that wait in another process. */
export interface ParkedElsewhere {
  /** Undefined: the process is gone, and the call with it. */
  resume(
    replicaId: string,
    id: string,
    owner: ParkedOwner,
    call: Resuming,
  ): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface ParkedLimits {
  readonly perCaller: number;
  readonly inAll: number;
  readonly keepMs: number;
}

const LIMITS: ParkedLimits = { perCaller: 16, inAll: 1_000, keepMs: 10 * 60_000 };

interface Parked {
  readonly owner: ParkedOwner;
  readonly call: AskingCall;
  readonly timer: NodeJS.Timeout;
}

/** What an id of a parked call leads to. */
export type Found =
  | { readonly call: AskingCall }
  | { readonly replicaId: string; readonly id: string }
  | undefined;

export class ParkedCalls {
  /** Part of every id, so that a call is looked for in the process that has it. */
  readonly replicaId: string;
  readonly #limits: ParkedLimits;
  readonly #parked = new Map<string, Parked>();
  readonly #counts = new Map<string, number>();

  constructor(replicaId: string = randomUUID(), limits: Partial<ParkedLimits> = {}) {
    this.replicaId = replicaId;
    this.#limits = { ...LIMITS, ...limits };
  }

  get size(): number {
    return this.#parked.size;
  }

  /** Keeps a call until it is taken, or too old; without room for it the call is ended. */
  park(owner: ParkedOwner, call: AskingCall): string {
    const { perCaller, inAll, keepMs } = this.#limits;
    const mine = this.#counts.get(owner.callerId) ?? 0;
    if (mine >= perCaller || this.#parked.size >= inAll) {
      const error = new ToolError(
        'rate_limited',
        'Too many calls wait for an answer. Answer or leave some of them first.',
      );
      call.cancel(error);
      throw error;
    }
    const key = randomBytes(16).toString('base64url');
    const timer = setTimeout(() => this.abandon(this.#idOf(key)), keepMs).unref();
    this.#parked.set(key, { owner, call, timer });
    this.#counts.set(owner.callerId, mine + 1);
    call.stepAside();
    return this.#idOf(key);
  }

  /** Takes a call out, once; undefined for one that is unknown, used, too old or somebody else's. */
  take(id: string, owner: ParkedOwner): Found {
    const at = id.indexOf('.');
    const [replicaId, key] = [id.slice(0, at), id.slice(at + 1)];
    if (replicaId !== this.replicaId) return { replicaId, id };
    const parked = this.#parked.get(key);
    if (parked === undefined || !isSame(parked.owner, owner)) return undefined;
    this.#remove(key, parked);
    return { call: parked.call };
  }

  /** Ends a call whose client never comes back. */
  abandon(id: string): void {
    const key = id.slice(id.indexOf('.') + 1);
    const parked = this.#parked.get(key);
    if (parked === undefined) return;
    this.#remove(key, parked);
    parked.call.cancel(new Error('Nobody came back with the answer.'));
  }

  /** Ends all that wait. */
  close(): void {
    for (const key of this.#parked.keys()) this.abandon(this.#idOf(key));
  }

  #idOf(key: string): string {
    return `${this.replicaId}.${key}`;
  }

  #remove(key: string, { owner: { callerId }, timer }: Parked): void {
    clearTimeout(timer);
    this.#parked.delete(key);
    const left = (this.#counts.get(callerId) ?? 1) - 1;
    if (left === 0) this.#counts.delete(callerId);
    else this.#counts.set(callerId, left);
  }
}

function isSame(one: ParkedOwner, other: ParkedOwner): boolean {
  return (
    one.callerId === other.callerId &&
    one.organizationId === other.organizationId &&
    one.connectionId === other.connectionId
  );
}
