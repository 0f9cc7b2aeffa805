/** Calls of code that stands for another server: its answers are checked, and its questions travel in both eras. */
import type { Channel, ClientCapabilities, InputRequest, LogLevel } from '../channel/channel.ts';
import { isSupported, missingCapability } from '../channel/channel.ts';
import type { ContextCall } from '../channel/call-context.ts';
import { CallContext } from '../channel/call-context.ts';
import type { Carried } from '../channel/rounds.ts';
import type { OutsideCall } from '../define/outside-tool.ts';
import type { Call } from './call.ts';
import { ToolError } from './errors.ts';

/** The questions of another server. */
interface Questions {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: string | undefined;
}

const FIRST: Carried = { requestState: undefined, inputResponses: undefined };
const MOST_ROUNDS = 10;
const MOST_QUESTIONS = 32;
const LONGEST_KEY = 200;
const LONGEST_STATE = 64 * 1024;
// Whether the other server did its work is not known after a failure, so nothing is sent twice.
const ONCE = { retry: { attempts: 1 } };

/** The context of one round. */
class OutsideContext extends CallContext<unknown> implements OutsideCall {
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly #call: ContextCall;

  constructor(call: ContextCall, services: unknown, { requestState, inputResponses }: Carried) {
    super(call, services);
    this.#call = call;
    this.requestState = requestState;
    this.inputResponses = inputResponses;
  }

  header(name: string): string | undefined {
    return this.#call.exchange.header?.(name);
  }

  get wantsProgress(): boolean {
    const { exchange } = this.#call;
    return (exchange.channel ?? exchange).progress !== undefined;
  }

  get logLevel(): LogLevel | undefined {
    return this.#call.exchange.logLevel;
  }

  addUpstreamMs(ms: number): void {
    this.#call.upstreamMs = (this.#call.upstreamMs ?? 0) + ms;
  }
}

/** The context of code that is entered once and cannot ask. */
export function outsideContext(call: ContextCall, services: unknown): OutsideCall {
  return new OutsideContext(call, services, FIRST);
}

/** The code that stands for another server. */
export interface OutsideCode<Answer> {
  enter(call: OutsideCall): unknown;
  finished(answer: Readonly<Record<string, unknown>>): Answer;
  /** Nobody will answer what was asked with this state. */
  abandon(requestState: string): void;
}

/**
 * Enters the code until it gives a finished answer. A channel that can ask does so in between; without one the call
 * is left with the questions, and the round that follows brings the answers and the state of the other server.
 */
export async function throughRounds<Answer>(
  call: Call,
  services: unknown,
  { enter, finished, abandon }: OutsideCode<Answer>,
): Promise<Answer> {
  const attempt = async (round: Carried): Promise<{ answer: Answer } | Questions> => {
    const given = objectOf(await enter(new OutsideContext(call, services, round)), 'an answer');
    return given.resultType === 'input_required' ? questionsIn(given) : { answer: finished(given) };
  };
  const { channel } = call.exchange;
  const letGo = ({ state }: Questions) => {
    if (state !== undefined) abandon(state);
  };
  return channel === undefined ? inOneRound(call, attempt, letGo) : inAllRounds(channel, attempt, letGo);
}

type Attempt<Answer> = (round: Carried) => Promise<{ answer: Answer } | Questions>;

type LetGo = (questions: Questions) => void;

async function inOneRound<Answer>(call: Call, attempt: Attempt<Answer>, letGo: LetGo): Promise<Answer> {
  const isFirst = call.exchange.requestState === undefined;
  // A client that knows the question may bring its answer along; what it is worth, the other server decides.
  const { inputResponses } = call.exchange;
  const outcome = isFirst ? await attempt({ ...FIRST, inputResponses }) : await laterRound(call, attempt);
  if ('answer' in outcome) return outcome.answer;
  const rounds = call.rounds();
  const unfit = Object.entries(outcome.requests).find(
    ([, request]) => !canAnswer(rounds.capabilities, request),
  );
  if (rounds.rounds < MOST_ROUNDS && unfit === undefined)
    return rounds.leaveWith(outcome.requests, outcome.state);
  letGo(outcome);
  throw unfit === undefined ? tooManyRounds() : missingCapability(...unfit);
}

/** A round with answers. What a call was finished with, well or not, cannot be brought a second time. */
async function laterRound<Answer>(call: Call, attempt: Attempt<Answer>) {
  const rounds = call.rounds();
  await rounds.refuseFinished();
  try {
    const outcome = await attempt(rounds.carried);
    if ('answer' in outcome) await rounds.finish();
    return outcome;
  } catch (error) {
    await rounds.finish();
    throw error;
  }
}

async function inAllRounds<Answer>(
  channel: Channel,
  attempt: Attempt<Answer>,
  letGo: LetGo,
): Promise<Answer> {
  let round = FIRST;
  for (let count = 1; count <= MOST_ROUNDS; count += 1) {
    const entered = round;
    const outcome = await channel.step(`round ${count}`, () => attempt(entered), ONCE);
    if ('answer' in outcome) return outcome.answer;
    const answers = Object.entries(outcome.requests).map(async ([key, request]) => {
      if (!canAnswer(channel.capabilities, request)) throw cannotAnswer(key, request);
      return [key, await channel.request(key, request)] as const;
    });
    try {
      round = { requestState: outcome.state, inputResponses: Object.fromEntries(await Promise.all(answers)) };
    } catch (error) {
      letGo(outcome);
      throw error;
    }
    if (count === MOST_ROUNDS) letGo(outcome);
  }
  throw tooManyRounds();
}

function questionsIn({ inputRequests = {}, requestState }: Readonly<Record<string, unknown>>): Questions {
  const requests = Object.entries(objectOf(inputRequests, 'inputRequests'));
  if (requests.length > MOST_QUESTIONS) throw badAnswer(`more than ${MOST_QUESTIONS} questions`);
  if (requestState !== undefined && typeof requestState !== 'string')
    throw badAnswer('requestState is not a text');
  if ((requestState?.length ?? 0) > LONGEST_STATE)
    throw badAnswer(`requestState has more than ${LONGEST_STATE} characters`);
  if (requests.length === 0 && requestState === undefined) throw badAnswer('a question without content');
  for (const [key, request] of requests) refuseBadRequest(key, request);
  // Looked at one by one.
  return { requests: inputRequests as Questions['requests'], state: requestState };
}

const METHODS = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);

function refuseBadRequest(key: string, request: unknown): void {
  if (key.length > LONGEST_KEY)
    throw badAnswer(`a question whose key has more than ${LONGEST_KEY} characters`);
  const { method, params } = objectOf(request, `the question "${key}"`);
  if (typeof method !== 'string' || !METHODS.has(method))
    throw badAnswer(`the question "${key}" has no method that clients know`);
  if (method !== 'roots/list' || params !== undefined) objectOf(params, `params of the question "${key}"`);
}

function canAnswer(capabilities: ClientCapabilities, request: InputRequest): boolean {
  const isUrl = 'params' in request && 'mode' in request.params && request.params.mode === 'url';
  return isUrl ? capabilities.elicitation?.url !== undefined : isSupported(capabilities, request.method);
}

function cannotAnswer(key: string, { method }: InputRequest): ToolError {
  const message = `This client cannot answer "${key}" (${method}).`;
  return new ToolError('declined', message, { reason: 'unsupported' });
}

function tooManyRounds(): ToolError {
  return badAnswer(`a question after ${MOST_ROUNDS} rounds`);
}

/** The value, when it is an object; anything else is refused as what it is named. */
export function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badAnswer(`${what} is not an object`);
  // Just looked at; its fields are still unknown.
  return value as Readonly<Record<string, unknown>>;
}

/** The refusal of an answer that no client would understand. */
export function badAnswer(what: string): ToolError {
  return new ToolError(
    'invalid_result',
    `The other server gave an answer that cannot be passed on: ${what}.`,
  );
}
