/** The era bridge: calls, reads, prompts and completions of any client, carried to an upstream of any era. */
import type { Caller, OutsideCall, ToolAnswer } from '@parley/kit';
import { invalidState, ToolError } from '@parley/kit';
import type { ServedConnection, UpstreamTarget } from '@parley/connections';
import { AskingCall } from './asking-call.ts';
import { cleaned } from './clean-result.ts';
import type { Asked } from './errors.ts';
import { errorOf, lostCall } from './errors.ts';
import type { Isolation, Lane } from './isolation.ts';
import { endingOf } from './isolation.ts';
import type { Link, LinkRequest } from './link.ts';
import { UpstreamFault } from './link.ts';
import type { Wanted } from './link-request.ts';
import { canBeAsked, limitOf, requestOf, THEIR_STATE, withAnswers } from './link-request.ts';
import type { ParkedCalls, ParkedElsewhere, ParkedOwner } from './parked.ts';

/** A way to an upstream with the credentials of one caller. */
export interface Opened {
  readonly link: Link;
  readonly target: Pick<UpstreamTarget, 'secrets'>;
  /** Headers of this one request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Through how many servers of this kind the request has come, as they signed it. */
  readonly hops?: string | undefined;
  /** Tries to get other credentials after the upstream refused these; undefined: there are none. */
  renew?(fault: UpstreamFault): Promise<Opened | undefined>;
}

export interface BridgeParts {
  /** Throws an `UpstreamFault` where there is nothing to sign in with. */
  open(caller: Caller, connection: ServedConnection, call: OutsideCall): Promise<Opened> | Opened;
  readonly isolation: Isolation;
  readonly parked: ParkedCalls;
  readonly elsewhere?: ParkedElsewhere | undefined;
  /** A refresh of the catalog that was announced and is not done; undefined: there is none. */
  refreshing?(connectionId: string): Promise<void> | undefined;
  /** Where a caller signs in to an upstream. */
  signInAt?(connection: ServedConnection): string | undefined;
  /** Takes out of words of an upstream whatever looks like a credential. */
  redact?(text: string): string;
  /** Told of secrets that were cut out of a result. */
  onSecrets?(connection: ServedConnection, count: number): void;
  readonly onFault: (error: unknown, where: string) => void;
}

type Result = Readonly<Record<string, unknown>>;

/** States are told apart by their first letter: this one is of a call that waits here. */
const PARKED = 'p';
/** A question may be open this long in all; the time of the upstream itself is counted apart. */
const ASKING_MS = 100 * 60_000;

export class Bridge {
  readonly #parts: BridgeParts;
  /** What a call that waits was begun with. */
  readonly #openedFor = new WeakMap<AskingCall, Opened>();

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Asks the upstream, and returns what it gave, cleaned; questions come back with a state for the next round. */
  async ask(connection: ServedConnection, wanted: Wanted, call: OutsideCall): Promise<Result> {
    const state = call.requestState;
    if (state?.startsWith(PARKED) === true) return this.#goOn(connection, wanted, call, state.slice(1));
    const isOld = connection.era === 'legacy';
    const request = isOld ? wanted : { ...wanted, params: withAnswers(wanted.params, call) };
    const lane = this.#parts.isolation.lane(connection.id);
    const waiting = lane.enter(connection.title, call.signal);
    if (waiting !== undefined) await waiting;
    // A server of 2026 asks with its result, and nobody asks a client that cannot answer.
    const isAsking = connection.era !== 'modern' && canBeAsked(call);
    return isAsking
      ? this.#converse(connection, request, call, lane)
      : this.#exchange(connection, request, call, lane);
  }

  /** Lets go of a call whose client will not answer. */
  abandon(state: string): void {
    if (state.startsWith(PARKED)) this.#parts.parked.abandon(state.slice(1));
  }

  /** A refresh that was announced and is not done; undefined: nobody has to wait. */
  refreshing(connectionId: string): Promise<void> | undefined {
    return this.#parts.refreshing?.(connectionId);
  }

  async #exchange(
    connection: ServedConnection,
    wanted: Wanted,
    call: OutsideCall,
    lane: Lane,
  ): Promise<Result> {
    let opened: Opened | undefined;
    let ending: Parameters<Lane['leave']>[0] = 'neither';
    try {
      const opening = this.#parts.open(call.caller, connection, call);
      // What is known already is not waited for: a turn of waiting costs more than the look-up.
      opened = opening instanceof Promise ? await opening : opening;
      const result = await this.#send(opened, requestOf(connection, wanted, call, opened), call);
      ending = 'ok';
      return this.#passed(connection, opened, result);
    } catch (error) {
      if (error instanceof UpstreamFault && !error.isOfCaller) ending = endingOf(error.kind);
      throw this.#failure(error, { connection, wanted, call, opened });
    } finally {
      lane.leave(ending);
    }
  }

  /** Sends it, and once more with new credentials when the upstream refused it for those it had: nothing ran then. */
  async #send(opened: Opened, request: LinkRequest, call: OutsideCall): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await opened.link.request(request);
    } catch (error) {
      if (!(error instanceof UpstreamFault) || error.kind !== 'auth_required') throw error;
      const renewed = await opened.renew?.(error);
      if (renewed === undefined) throw error;
      return await this.#sendAgain(renewed, request);
    } finally {
      call.addUpstreamMs(performance.now() - startedMs);
    }
  }

  /** The second time; whoever gave the credentials knows what a refusal of new ones means. */
  async #sendAgain({ link, headers, renew }: Opened, request: LinkRequest): Promise<Result> {
    try {
      return await link.request({ ...request, ...(headers !== undefined && { headers }) });
    } catch (error) {
      if (error instanceof UpstreamFault && error.kind === 'auth_required') await renew?.(error);
      throw error;
    }
  }

  async #converse(
    connection: ServedConnection,
    wanted: Wanted,
    call: OutsideCall,
    lane: Lane,
  ): Promise<Result> {
    const limitMs = limitOf(connection);
    const asking = new AskingCall(call, limitMs, (error) => this.#parts.onFault(error, 'progress'));
    let opened: Opened;
    try {
      opened = await this.#parts.open(call.caller, connection, call);
    } catch (error) {
      lane.leave('neither');
      throw this.#failure(error, { connection, wanted, call, opened: undefined });
    }
    this.#openedFor.set(asking, opened);
    asking.start(({ signal, onAsk, onProgress }) => {
      const request = requestOf(connection, wanted, call, opened);
      const own = { signal, onAsk, limitMs: limitMs + ASKING_MS };
      return this.#send(opened, { ...request, ...own, ...(call.wantsProgress && { onProgress }) }, call);
    });
    return this.#turnOf(asking, { connection, wanted, call, opened, lane, isInside: true });
  }

  /** Goes on with a call that waited for this answer. */
  async #goOn(connection: ServedConnection, wanted: Wanted, call: OutsideCall, id: string): Promise<Result> {
    const { parked, elsewhere, isolation } = this.#parts;
    const owner = ownerOf(connection, call);
    const found = parked.take(id, owner);
    if (found === undefined) throw invalidState();
    if ('replicaId' in found) {
      const answer = await elsewhere?.resume(found.replicaId, found.id, owner, call.inputResponses ?? {});
      if (answer === undefined) throw lostCall(connection.title);
      return answer;
    }
    const asking = found.call;
    asking.resume(call, call.inputResponses ?? {});
    const lane = isolation.lane(connection.id);
    const opened = this.#openedFor.get(asking);
    return this.#turnOf(asking, { connection, wanted, call, opened, lane, isInside: false });
  }

  async #turnOf(asking: AskingCall, about: TurnOf): Promise<Result> {
    const { connection, wanted, call, opened, lane, isInside } = about;
    let ending: Parameters<Lane['leave']>[0] = 'neither';
    let isAside = false;
    try {
      const turn = await asking.nextTurn();
      ending = 'ok';
      if ('result' in turn)
        return this.#passed(connection, opened, withDecline(turn.result, asking, connection));
      isAside = true;
      const id = this.#parts.parked.park(ownerOf(connection, call), asking);
      const inputRequests = cleaned(turn.questions, opened?.target.secrets ?? []);
      return { resultType: 'input_required', inputRequests, requestState: PARKED + id };
    } catch (error) {
      if (error instanceof UpstreamFault && !error.isOfCaller) ending = endingOf(error.kind);
      if (asking.declined !== undefined && error instanceof UpstreamFault && error.kind === 'rpc')
        throw cannotAnswer(asking.declined, connection);
      throw this.#failure(error, { connection, wanted, call, opened });
    } finally {
      if (!isInside) lane.count(ending);
      else if (isAside) lane.stepAside();
      else lane.leave(ending);
    }
  }

  /** The result as it may be passed on. */
  #passed(connection: ServedConnection, opened: Opened | undefined, result: Result): Result {
    const { onSecrets } = this.#parts;
    const secrets = opened?.target.secrets ?? [];
    const clean = cleaned(result, secrets, (count) => onSecrets?.(connection, count));
    if (clean['resultType'] !== 'input_required' || typeof clean['requestState'] !== 'string') return clean;
    // What the upstream wants back is not looked into: it is sealed before it leaves.
    return { ...clean, requestState: THEIR_STATE + String(result['requestState']) };
  }

  #failure(error: unknown, about: Pick<TurnOf, 'connection' | 'wanted' | 'call' | 'opened'>): unknown {
    const { connection, wanted, call, opened } = about;
    if (!(error instanceof UpstreamFault)) return error;
    const { redact = (text: string) => text, signInAt } = this.#parts;
    const secrets = opened?.target.secrets ?? [];
    const asked: Asked = {
      title: connection.title,
      method: wanted.method,
      isRead: wanted.isRead,
      isModern: call.request.era === 'modern',
      shown: (text) => redact(cleaned(text, secrets)),
      ...(error.kind === 'auth_required' && { signInAt: signInAt?.(connection) }),
    };
    return errorOf(error, asked);
  }
}

interface TurnOf {
  readonly connection: ServedConnection;
  readonly wanted: Wanted;
  readonly call: OutsideCall;
  readonly opened: Opened | undefined;
  readonly lane: Lane;
  /** True: it has a place of the lane. */
  readonly isInside: boolean;
}

function ownerOf({ id: connectionId }: ServedConnection, { caller }: OutsideCall): ParkedOwner {
  return { organizationId: caller.organizationId, callerId: caller.id, connectionId };
}

/** A server that gave up because its client could not answer: the client is told why in words of ours. */
function withDecline(result: Result, { declined }: AskingCall, connection: ServedConnection): Result {
  if (declined !== undefined && result['isError'] === true) throw cannotAnswer(declined, connection);
  return result;
}

function cannotAnswer(method: string, { title }: ServedConnection): ToolError {
  return new ToolError('declined', `${title} asked for ${method}, which this client cannot answer.`, {
    reason: 'unsupported',
  });
}

/** A tool answer of an upstream. */
export function asToolAnswer(result: Result): ToolAnswer {
  // The kit looks at its shape before it passes it on.
  return result as ToolAnswer;
}
