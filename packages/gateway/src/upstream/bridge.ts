/** The era bridge: calls, reads, prompts and completions of any client, carried to an upstream of any era. */
import type { Caller, OutsideCall, RequestInfo, ToolAnswer } from '@parley/kit';
import { detach, invalidState, ToolError } from '@parley/kit';
import type { ServedConnection, UpstreamTarget } from '@parley/connections';
import type { Spending } from '@parley/store';
import type { Asker } from './asking-call.ts';
import { AskingCall } from './asking-call.ts';
import { cleaned } from './clean-result.ts';
import { followedIdOf, followTask, isCancelled, LOOK_MS, needsTasks, withTasks } from './followed-task.ts';
import type { Asked } from './errors.ts';
import { errorOf, lostCall } from './errors.ts';
import type { Isolation, Lane } from './isolation.ts';
import { endingOf } from './isolation.ts';
import type { Link, LinkRequest } from './link.ts';
import { UpstreamFault } from './link.ts';
import type { Wanted } from './link-request.ts';
import type { Clean } from './link-request.ts';
import {
  canBeAsked,
  fitTrace,
  limitOf,
  requestOf,
  THEIR_STATE,
  withAnswers,
  withFitNotices,
} from './link-request.ts';
import type { ForeignSecrets } from './secret-marks.ts';
import type { ParkedCalls, ParkedElsewhere, ParkedOwner, Resuming } from './parked.ts';

/** A way to an upstream with the credentials of one caller. */
export interface Opened {
  readonly link: Link;
  readonly target: Pick<UpstreamTarget, 'secrets'>;
  /** The secrets of others in the organization; undefined: there are none. */
  readonly foreign?: ForeignSecrets | undefined;
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
  /** An upstream says that its lists are others. */
  announce?(connection: ServedConnection): void;
  /** A refresh of the catalog that was announced and is not done; undefined: there is none. */
  refreshing?(connectionId: string): Promise<void> | undefined;
  /** Where a caller signs in to an upstream. */
  signInAt?(connection: ServedConnection): string | undefined;
  /** Takes out of words of an upstream whatever looks like a credential. */
  redact?(text: string): string;
  /** Told which secrets go with a call: what is kept of it has to be without them. */
  carries?(request: RequestInfo, secrets: readonly string[]): void;
  /** Told of secrets that were cut out of a result. */
  onSecrets?(connection: ServedConnection, count: number): void;
  /** Where the time of calls is counted; absent: nowhere. */
  readonly spending?: Spending | undefined;
  /** What a request came with as another server shall see it, with the span of its call instead of that of its client. */
  traced?(info: RequestInfo): RequestInfo;
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
  readonly #begun = new WeakMap<AskingCall, Begun>();
  /** What was opened anew after its credentials were refused. */
  readonly #renewedFor = new WeakMap<Opened, Opened>();

  constructor(parts: BridgeParts) {
    this.#parts = parts;
  }

  /** Asks the upstream, and returns what it gave, cleaned; questions come back with a state for the next round. */
  async ask(connection: ServedConnection, wanted: Wanted, call: OutsideCall): Promise<Result> {
    const taskId = followedIdOf(call);
    if (taskId !== undefined) return this.#follow(connection, call, taskId);
    const state = call.requestState;
    if (state?.startsWith(PARKED) === true) return this.#goOn(connection, wanted, call, state.slice(1));
    const isOld = connection.era === 'legacy';
    const request = isOld ? wanted : { ...wanted, params: withAnswers(wanted.params, call) };
    const lane = this.#parts.isolation.lane(connection.id);
    const waiting = lane.enter(connection.title, call.signal);
    if (waiting !== undefined) await this.#queued(waiting);
    // A server of 2026 asks with its result, and nobody asks a client that cannot answer.
    const isAsking = connection.era !== 'modern' && canBeAsked(call);
    return isAsking
      ? this.#converse(connection, request, call, lane)
      : this.#exchange(connection, request, call, lane);
  }

  /** Goes on with a call that waits here, for a client that has come back to another process; undefined: it is gone. */
  async resume(id: string, owner: ParkedOwner, call: Resuming): Promise<Result | undefined> {
    const found = this.#parts.parked.take(id, owner);
    if (found === undefined) throw invalidState();
    // The other process tells its client when to let go, and waits no longer than it does.
    const request = { id: null, era: 'modern', client: null } as const;
    return 'call' in found ? this.#resumed(found.call, { ...call, request, taskId: null }, owner) : undefined;
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
      this.#parts.carries?.(call.request, opened.target.secrets);
      const result = await this.#send(
        connection,
        opened,
        this.#requestOf(connection, wanted, call, opened),
        call,
      );
      ending = 'ok';
      return this.#passed(connection, opened, result);
    } catch (error) {
      if (error instanceof UpstreamFault) ending = endingOf(error);
      throw this.#failure(error, { connection, wanted, isModern: isModern(call), opened });
    } finally {
      lane.leave(ending);
    }
  }

  /** What a call changed in the lists is read before anybody comes to listen; other requests change nothing. */
  #requestOf(connection: ServedConnection, wanted: Wanted, call: OutsideCall, opened: Opened): LinkRequest {
    const request = this.#tracedRequest(connection, wanted, call, opened);
    if (wanted.method !== 'tools/call') return request;
    return { ...request, onLists: () => this.#parts.announce?.(connection) };
  }

  #tracedRequest(
    connection: ServedConnection,
    wanted: Wanted,
    call: OutsideCall,
    opened: Opened,
  ): LinkRequest {
    const request = requestOf(connection, wanted, call, opened);
    const { traced } = this.#parts;
    const { traceparent } = traced === undefined ? call.request : traced(call.request);
    return { ...request, traceparent: fitTrace(traceparent) };
  }

  async #queued(waiting: Promise<void>): Promise<void> {
    const { spending } = this.#parts;
    await (spending === undefined ? waiting : spending.wait('queue', 'place', waiting));
  }

  /** Sends it, and once more with new credentials when the upstream refused it for those it had: nothing ran then. */
  async #send(
    connection: ServedConnection,
    opened: Opened,
    given: LinkRequest,
    call: OutsideCall,
  ): Promise<Result> {
    const request = withFitNotices(given, this.#cleanerOf(connection, opened));
    const startedMs = performance.now();
    const end = this.#parts.spending?.current()?.begin('upstream');
    try {
      return await opened.link.request(request);
    } catch (error) {
      // It was refused before anything ran. A client of 2025 cannot declare what is done for it here anyway.
      if (needsTasks(error) && call.request.era === 'legacy')
        return await opened.link.request({ ...request, capabilities: withTasks(request.capabilities) });
      if (!(error instanceof UpstreamFault) || error.kind !== 'auth_required') throw error;
      const renewed = await opened.renew?.(error);
      if (renewed === undefined) throw error;
      this.#renewedFor.set(opened, renewed);
      this.#parts.carries?.(call.request, renewed.target.secrets);
      return await this.#sendAgain(renewed, request);
    } finally {
      call.addUpstreamMs(performance.now() - startedMs);
      end?.(given.method);
    }
  }

  /** Follows a task of the upstream: each look takes a place of the lane only while it is asked. */
  async #follow(connection: ServedConnection, call: OutsideCall, taskId: string): Promise<Result> {
    const lane = this.#parts.isolation.lane(connection.id);
    const capabilities = withTasks(call.capabilities);
    const ask = async (method: 'tasks/get' | 'tasks/update', params: Result): Promise<Result> => {
      const wanted = { method, params, isRead: true, capabilities, limitMs: LOOK_MS };
      const waiting = lane.enter(connection.title, call.signal);
      if (waiting !== undefined) await this.#queued(waiting);
      return this.#exchange(connection, wanted, call, lane);
    };
    const { redact } = this.#parts;
    const limitMs = limitOf(connection);
    const following = followTask(taskId, call, { ask, title: connection.title, limitMs, redact });
    const ended = await following.catch((error: unknown) => {
      // A process that only stops leaves the task to the next one.
      const isOver = call.signal.aborted ? isCancelled(call.signal) : call.taskId === null;
      if (isOver) this.#cancelTask(connection, call, taskId);
      throw error;
    });
    if ('failure' in ended) throw ended.failure;
    return ended.result;
  }

  /** Tells the upstream that nobody waits for its task any more. */
  #cancelTask(connection: ServedConnection, call: OutsideCall, taskId: string): void {
    const tell = async () => {
      const opened = await this.#parts.open(call.caller, connection, call);
      const capabilities = withTasks(call.capabilities);
      const wanted = { method: 'tasks/cancel', params: { taskId }, isRead: true, capabilities } as const;
      const request = this.#tracedRequest(connection, wanted, call, opened);
      await opened.link.request({ ...request, limitMs: LOOK_MS, signal: AbortSignal.timeout(LOOK_MS) });
    };
    detach(tell, (error) => {
      // One that has ended meanwhile, or a server that is gone, needs no telling.
      if (!(error instanceof UpstreamFault)) this.#parts.onFault(error, 'task cancel');
    });
  }

  /** Whatever the upstream has been sent and may say back. */
  #secretsOf(opened: Opened | undefined): readonly string[] {
    if (opened === undefined) return [];
    const renewed = this.#renewedFor.get(opened);
    return renewed === undefined
      ? opened.target.secrets
      : [...opened.target.secrets, ...renewed.target.secrets];
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
      throw this.#failure(error, { connection, wanted, isModern: isModern(call), opened: undefined });
    }
    this.#parts.carries?.(call.request, opened.target.secrets);
    const begun = { connection, wanted, isModern: isModern(call), opened };
    this.#begun.set(asking, begun);
    asking.start(({ signal, onAsk, onProgress }) => {
      const request = this.#requestOf(connection, wanted, call, opened);
      const own = { signal, onAsk, limitMs: limitMs + ASKING_MS };
      const asked = { ...request, ...own, ...(call.wantsProgress && { onProgress }) };
      return this.#send(connection, opened, asked, call);
    });
    return this.#turnOf(asking, begun, { owner: ownerOf(connection, call), lane, isInside: true });
  }

  /** Goes on with a call that waited for this answer. */
  async #goOn(
    connection: ServedConnection,
    { isRead }: Wanted,
    call: OutsideCall,
    id: string,
  ): Promise<Result> {
    const { parked, elsewhere } = this.#parts;
    const owner = ownerOf(connection, call);
    const found = parked.take(id, owner);
    if (found === undefined) throw invalidState();
    if ('replicaId' in found) {
      const answer = await elsewhere?.resume(found.replicaId, found.id, owner, call);
      if (answer === undefined) throw lostCall(connection.title, isRead);
      return answer;
    }
    return this.#resumed(found.call, call, owner);
  }

  async #resumed(asking: AskingCall, call: Asker & Resuming, owner: ParkedOwner): Promise<Result> {
    const begun = this.#begun.get(asking);
    if (begun === undefined) throw invalidState();
    this.#parts.carries?.(call.request, this.#secretsOf(begun.opened));
    asking.resume(call, call.inputResponses ?? {});
    const lane = this.#parts.isolation.lane(begun.connection.id);
    return this.#turnOf(asking, begun, { owner, lane, isInside: false });
  }

  async #turnOf(asking: AskingCall, begun: Begun, about: TurnOf): Promise<Result> {
    const { connection, opened } = begun;
    const { owner, lane, isInside } = about;
    let ending: Parameters<Lane['leave']>[0] = 'neither';
    let isAside = false;
    try {
      const turn = await asking.nextTurn();
      ending = 'ok';
      if ('result' in turn)
        return this.#passed(connection, opened, withDecline(turn.result, asking, connection));
      isAside = true;
      const id = this.#parts.parked.park(owner, asking);
      const inputRequests = this.#cleanerOf(connection, opened)(turn.questions);
      return { resultType: 'input_required', inputRequests, requestState: PARKED + id };
    } catch (error) {
      if (error instanceof UpstreamFault) ending = endingOf(error);
      if (asking.declined !== undefined && error instanceof UpstreamFault && error.kind === 'rpc')
        throw cannotAnswer(asking.declined, connection);
      throw this.#failure(error, begun);
    } finally {
      if (!isInside) lane.count(ending);
      else if (isAside) lane.stepAside();
      else lane.leave(ending);
    }
  }

  /** Cuts out of whatever an upstream says what must not pass, and counts the secrets in it. */
  #cleanerOf(connection: ServedConnection, opened: Opened | undefined): Clean {
    const { onSecrets } = this.#parts;
    const onFound = (count: number) => onSecrets?.(connection, count);
    // There are more of them once credentials were renewed.
    return (value) => cleaned(value, this.#secretsOf(opened), onFound, opened?.foreign);
  }

  /** The result as it may be passed on. */
  #passed(connection: ServedConnection, opened: Opened | undefined, result: Result): Result {
    const clean = this.#cleanerOf(connection, opened)(result);
    if (clean['resultType'] !== 'input_required' || typeof clean['requestState'] !== 'string') return clean;
    // What the upstream wants back is not looked into: it is sealed before it leaves.
    return { ...clean, requestState: THEIR_STATE + String(result['requestState']) };
  }

  #failure(error: unknown, about: Omit<Begun, 'opened'> & { readonly opened: Opened | undefined }): unknown {
    const { connection, wanted, opened } = about;
    if (!(error instanceof UpstreamFault)) return error;
    const { redact = (text: string) => text, signInAt } = this.#parts;
    const clean = this.#cleanerOf(connection, opened);
    const asked: Asked = {
      title: connection.title,
      method: wanted.method,
      isRead: wanted.isRead,
      isModern: about.isModern,
      shown: once((text) => redact(clean(text))),
      ...(error.kind === 'auth_required' && { signInAt: signInAt?.(connection) }),
    };
    return errorOf(error, asked);
  }
}

interface Begun {
  readonly connection: ServedConnection;
  readonly wanted: Wanted;
  /** Whether a client of 2026 began it. */
  readonly isModern: boolean;
  readonly opened: Opened;
}

interface TurnOf {
  readonly owner: ParkedOwner;
  readonly lane: Lane;
  /** True: it has a place of the lane. */
  readonly isInside: boolean;
}

/** The same words may stand in an error twice, and are looked at and counted once. */
function once(show: (text: string) => string): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const shown = known.get(text) ?? show(text);
    known.set(text, shown);
    return shown;
  };
}

function isModern({ request }: OutsideCall): boolean {
  return request.era === 'modern';
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
