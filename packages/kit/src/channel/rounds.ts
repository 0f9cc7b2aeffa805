/** Multi round-trip requests: a call is left when input is missing and entered again with the answers. */
import { randomBytes } from 'node:crypto';
import { ProtocolFault, RPC } from '../call/errors.ts';
import type { Channel, ClientCapabilities, InputRequest, InputResponse, Pending } from './channel.ts';
import { InputNeeded, isSupported, missingCapability } from './channel.ts';
import type { StateBinding, StateSealer } from './sealed-state.ts';
import type { StepStore } from './steps.ts';

/** What travels through the client between two rounds, sealed. */
interface RoundState {
  readonly callId: string;
  readonly answers: Readonly<Record<string, InputResponse>>;
  /** The task that this call has become. */
  readonly taskId?: string;
  /** How often the call has been answered with a question. */
  readonly rounds?: number;
  /** The last progress that was reported of the task. */
  readonly told?: number | undefined;
  /** What another server has asked, and the state it wants back. */
  readonly outside?: { readonly asked: readonly string[]; readonly state?: string };
}

/** What rounds are sealed and remembered with. */
export interface RoundParts {
  readonly sealer: StateSealer;
  readonly steps: StepStore;
}

/** What came back for another server, as it was. */
export interface Carried {
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
}

/** What a client brought for this round. */
export interface RoundRequest {
  readonly capabilities?: ClientCapabilities;
  readonly requestState?: string | undefined;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
}

/** The rounds of one call: earlier answers, this round's answers, and what is still open. */
export class RoundTrip implements Channel {
  readonly capabilities: ClientCapabilities;
  readonly taskId: string | undefined;
  readonly rounds: number;
  readonly told: number | undefined;
  /** What another server gets back: its own state, and the answers to what it asked. */
  readonly carried: Carried;
  readonly #parts: RoundParts;
  readonly #binding: StateBinding;
  readonly #pending = new Map<string, InputRequest>();
  #callId: string | undefined;
  #answers: Record<string, InputResponse>;
  #outside: RoundState['outside'];

  /** Opens the state that the client brought back, or starts a first round. */
  constructor(parts: RoundParts, binding: StateBinding, request: RoundRequest) {
    const { capabilities = {}, requestState, inputResponses } = request;
    const state = stateOf(parts.sealer, binding, requestState);
    this.#parts = parts;
    this.#binding = binding;
    this.capabilities = capabilities;
    this.#callId = state?.callId;
    this.taskId = state?.taskId;
    this.rounds = state?.rounds ?? 0;
    this.told = state?.told;
    this.carried = carriedIn(state, inputResponses);
    this.#answers = { ...state?.answers };
    for (const [key, response] of Object.entries(inputResponses ?? {})) {
      // Untrusted: what does not look like a bare response is asked for again.
      if (!Object.hasOwn(this.#answers, key) && isResponse(response)) this.#answers[key] = response;
    }
  }

  async request(key: string, request: InputRequest): Promise<InputResponse> {
    const answer = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined;
    if (answer !== undefined && fits(request, answer)) return answer;
    if (!isSupported(this.capabilities, request.method)) throw missingCapability(key, request);
    return this.askAgain(key, request);
  }

  askAgain(key: string, request: InputRequest): never {
    const { [key]: _dropped, ...rest } = this.#answers;
    this.#answers = rest;
    this.#pending.set(key, request);
    throw new InputNeeded();
  }

  /** Leaves the call with the questions of another server and the state it wants back. */
  leaveWith(requests: Pending['requests'], state: string | undefined): never {
    for (const [key, request] of Object.entries(requests)) this.#pending.set(key, request);
    this.#outside = { asked: Object.keys(requests), ...(state !== undefined && { state }) };
    throw new InputNeeded();
  }

  left(): Pending | undefined {
    const outside = this.#outside;
    if (this.#pending.size === 0 && outside === undefined) return undefined;
    const own = { callId: this.#id(), answers: this.#answers, rounds: this.rounds + 1 };
    const state = this.#seal(outside === undefined ? own : { ...own, answers: {}, outside });
    return { requests: Object.fromEntries(this.#pending), state };
  }

  /** Seals a task that the call has become, and the progress told of it. */
  sealTask(taskId: string, told: number | undefined): string {
    return this.#seal({ callId: '', answers: {}, taskId, rounds: this.rounds + 1, told });
  }

  /** Refuses a state whose call is over, on whichever replica that was. */
  async refuseFinished(): Promise<void> {
    const isFinished = await this.step('finished?', () => {
      throw new StillOpen();
    }).catch((error: unknown) => {
      if (error instanceof StillOpen) return false;
      throw error;
    });
    if (isFinished) throw invalidState();
  }

  /** The call is over: its state is worth nothing from now on. */
  async finish(): Promise<void> {
    await this.step('finished?', () => true);
  }

  step<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const scope = { organizationId: this.#binding.organizationId, callId: this.#id() };
    return this.#parts.steps.once(scope, key, work);
  }

  #seal(state: RoundState): string {
    return this.#parts.sealer.seal(state, this.#binding);
  }

  #id(): string {
    this.#callId ??= randomBytes(16).toString('base64url');
    return this.#callId;
  }
}

function carriedIn(state: RoundState | undefined, responses: RoundRequest['inputResponses']): Carried {
  const outside = state?.outside;
  if (outside === undefined) return { requestState: undefined, inputResponses: undefined };
  const given = Object.entries(responses ?? {}).filter(([key]) => outside.asked.includes(key));
  return { requestState: outside.state, inputResponses: Object.fromEntries(given) };
}

function stateOf(sealer: StateSealer, binding: StateBinding, token: string | undefined) {
  if (token === undefined) return undefined;
  // Sealed by us, so its shape is ours.
  const state = sealer.open(token, binding) as RoundState | undefined;
  if (state !== undefined) return state;
  throw invalidState();
}

/** The one answer to a state that is altered, expired, used up or of somebody else. */
export function invalidState(): ProtocolFault {
  return new ProtocolFault(RPC.invalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  });
}

/** Thrown to leave a step undone. */
class StillOpen extends Error {
  override readonly name = 'StillOpen';
}

function isResponse(value: unknown): value is InputResponse {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('method' in value);
}

function fits(request: InputRequest, response: InputResponse): boolean {
  if (request.method === 'elicitation/create') return 'action' in response;
  if (request.method === 'roots/list') return 'roots' in response && Array.isArray(response.roots);
  return 'content' in response && 'role' in response;
}
