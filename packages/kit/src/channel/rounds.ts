/** Multi round-trip requests: a call is left when input is missing and entered again with the answers. */
import type { ClientCapabilities, InputRequest, InputResponse, Interaction } from './channel.ts';
import { InputNeeded, isSupported, missingCapability } from './channel.ts';
import type { StepStore } from './steps.ts';

/** What travels through the client between two rounds, sealed. */
export interface RoundState {
  readonly callId: string;
  readonly answers: Readonly<Record<string, InputResponse>>;
  /** The task that this call has become. */
  readonly taskId?: string;
  /** How often the call has been answered with a question. */
  readonly rounds?: number;
  /** The last progress that was reported of the task. */
  readonly told?: number | undefined;
}

/** The rounds of one call: earlier answers, this round's answers, and what is still open. */
export class RoundTrip implements Interaction {
  readonly capabilities: ClientCapabilities;
  readonly pending = new Map<string, InputRequest>();
  readonly #steps: StepStore;
  readonly #organizationId: string;
  readonly #newCallId: () => string;
  #callId: string | undefined;
  #answers: Record<string, InputResponse>;
  /** The task that an earlier round has made. */
  readonly taskId: string | undefined;
  readonly rounds: number;
  readonly told: number | undefined;
  readonly progress: NonNullable<Interaction['progress']>;
  readonly log: NonNullable<Interaction['log']>;

  constructor(options: {
    capabilities: ClientCapabilities;
    steps: StepStore;
    organizationId: string;
    newCallId: () => string;
    state?: RoundState | undefined;
    responses?: Readonly<Record<string, unknown>> | undefined;
    progress?: Interaction['progress'];
    log?: Interaction['log'];
  }) {
    this.capabilities = options.capabilities;
    this.#steps = options.steps;
    this.#organizationId = options.organizationId;
    this.#newCallId = options.newCallId;
    this.#callId = options.state?.callId;
    this.taskId = options.state?.taskId;
    this.rounds = options.state?.rounds ?? 0;
    this.told = options.state?.told;
    this.#answers = { ...options.state?.answers };
    this.progress = options.progress ?? silent;
    this.log = options.log ?? silent;
    if (options.responses === undefined) return;
    for (const [key, response] of Object.entries(options.responses)) {
      // Untrusted: what does not look like a bare response is asked for again.
      if (!Object.hasOwn(this.#answers, key) && isResponse(response)) this.#answers[key] = response;
    }
  }

  /** The state that the next round needs. */
  get state(): RoundState {
    return { callId: this.callId, answers: this.#answers, rounds: this.rounds + 1 };
  }

  get callId(): string {
    this.#callId ??= this.#newCallId();
    return this.#callId;
  }

  async request(key: string, request: InputRequest): Promise<InputResponse> {
    const answer = Object.hasOwn(this.#answers, key) ? this.#answers[key] : undefined;
    if (answer !== undefined && fits(request, answer)) return answer;
    if (!isSupported(this.capabilities, request.method)) throw missingCapability(key, request);
    this.forget(key);
    this.pending.set(key, request);
    throw new InputNeeded();
  }

  /** Drops an answer that broke its schema, so that it is asked for again. */
  forget(key: string): void {
    const { [key]: _dropped, ...rest } = this.#answers;
    this.#answers = rest;
  }

  step<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    return this.#steps.once({ organizationId: this.#organizationId, callId: this.callId }, key, work);
  }
}

async function silent(): Promise<void> {}

function isResponse(value: unknown): value is InputResponse {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !('method' in value);
}

function fits(request: InputRequest, response: InputResponse): boolean {
  if (request.method === 'elicitation/create') return 'action' in response;
  if (request.method === 'roots/list') return 'roots' in response && Array.isArray(response.roots);
  return 'content' in response && 'role' in response;
}
