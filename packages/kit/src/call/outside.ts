/** Calls of code that stands for another server: its answers are checked, and its questions travel in both eras. */
import type { Channel, ClientCapabilities, InputRequest, LogLevel } from '../channel/channel.ts';
import { isSupported, Leave, missingCapability } from '../channel/channel.ts';
import type { ContextCall } from '../channel/call-context.ts';
import { CallContext } from '../channel/call-context.ts';
import type { Carried } from '../channel/rounds.ts';
import type { OutsideCall } from '../define/outside-tool.ts';
import type { Call } from './call.ts';
import { ProtocolFault, ToolError } from './errors.ts';
import type { CreatedTask } from './tool-answer.ts';

/** The questions of another server. */
interface Questions {
  readonly requests: Readonly<Record<string, InputRequest>>;
  readonly state: string | undefined;
}

/** What a round is entered with. */
interface Round extends Carried {
  /** The task of the other server that the last round ended with. */
  readonly followed?: CreatedTask | undefined;
}

/** How a round ends. A fault is told and not thrown, since a step keeps only what it is given back. */
type Outcome<Answer> =
  | { readonly answer: Answer }
  | { readonly task: CreatedTask }
  | { readonly fault: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | Questions;

const FIRST: Round = { requestState: undefined, inputResponses: undefined };
const MOST_ROUNDS = 10;
const MOST_QUESTIONS = 32;
const LONGEST_KEY = 200;
const LONGEST_STATE = 64 * 1024;
const LONGEST_TASK_ID = 1024;
// Each of them looks for half a minute and then rests for up to a minute: a day in all.
const MOST_LOOKS = 1_000;
const SHORTEST_REST_MS = 6_000;
const LONGEST_REST_MS = 60_000;
// Whether the other server did its work is not known after a failure, so nothing is sent twice.
const ONCE = { retry: { attempts: 1 } };

/** The context of one round. */
class OutsideContext extends CallContext<unknown> implements OutsideCall {
  readonly requestState: string | undefined;
  readonly inputResponses: Readonly<Record<string, unknown>> | undefined;
  readonly followed: CreatedTask | undefined;
  readonly #call: ContextCall;

  constructor(call: ContextCall, services: unknown, { requestState, inputResponses, followed }: Round) {
    super(call, services);
    this.#call = call;
    this.requestState = requestState;
    this.inputResponses = inputResponses;
    this.followed = followed;
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
  finished(answer: Readonly<Record<string, unknown>>): Answer | Promise<Answer>;
  /** Nobody will answer what was asked with this state. */
  abandon(requestState: string): void;
  /** Present where the other server may give a task: what becomes of it when the client follows tasks itself. */
  readonly tasks?: OutsideTasks<Answer>;
}

/** How tasks of another server are followed. */
export interface OutsideTasks<Answer> {
  /** The task that this call does nothing but follow. */
  readonly followed: CreatedTask | undefined;
  /** True: it changes nothing, so it may be done again when nobody knows whether it was. */
  readonly isRepeatable: boolean;
  /** The answer for a client that follows tasks; undefined: it is followed here, for as long as the call may last. */
  handOn(task: CreatedTask): Answer | undefined;
}

/**
 * Enters the code until it gives a finished answer. A channel that can ask does so in between; without one the call
 * is left with the questions, and the round that follows brings the answers and the state of the other server.
 */
export async function throughRounds<Answer>(
  call: Call,
  services: unknown,
  code: OutsideCode<Answer>,
): Promise<Answer> {
  const { enter, finished, abandon, tasks } = code;
  const attempt = async (round: Round): Promise<Outcome<Answer>> => {
    const given = objectOf(await enter(new OutsideContext(call, services, round)), 'an answer');
    if (given.resultType === 'input_required') return questionsIn(given);
    if (given.resultType === 'task' && tasks !== undefined) return { task: taskIn(given) };
    const answer = finished(given);
    // A turn of waiting costs more than to look.
    return { answer: answer instanceof Promise ? await answer : answer };
  };
  const { channel } = call.exchange;
  const letGo = ({ state }: Questions) => {
    if (state !== undefined) abandon(state);
  };
  return channel === undefined
    ? inOneRound(call, attempt, { letGo, tasks })
    : inAllRounds(channel, attempt, { letGo, tasks, isTask: call.taskId !== null });
}

type Attempt<Answer> = (round: Round) => Promise<Outcome<Answer>>;

interface Ways<Answer> {
  letGo(questions: Questions): void;
  readonly tasks: OutsideTasks<Answer> | undefined;
}

async function inOneRound<Answer>(call: Call, attempt: Attempt<Answer>, ways: Ways<Answer>): Promise<Answer> {
  const isFirst = call.exchange.requestState === undefined;
  // A client that knows the question may bring its answer along; what it is worth, the other server decides.
  const { inputResponses } = call.exchange;
  const entered = (round: Round) => untilNoTask(attempt, round, ways);
  const outcome = isFirst ? await entered({ ...FIRST, inputResponses }) : await laterRound(call, entered);
  if ('answer' in outcome) return outcome.answer;
  const rounds = call.rounds();
  const unfit = Object.entries(outcome.requests).find(
    ([, request]) => !canAnswer(rounds.capabilities, request),
  );
  if (rounds.rounds < MOST_ROUNDS && unfit === undefined)
    return rounds.leaveWith(outcome.requests, outcome.state);
  ways.letGo(outcome);
  throw unfit === undefined ? tooManyRounds() : missingCapability(...unfit);
}

type Turn<Answer> = { readonly answer: Answer } | Questions;

/** One round; a task of the other server is handed on, or followed right here. */
async function untilNoTask<Answer>(
  attempt: Attempt<Answer>,
  round: Round,
  { tasks }: Ways<Answer>,
): Promise<Turn<Answer>> {
  const first = await attempt(round);
  const answer = 'task' in first ? tasks?.handOn(first.task) : undefined;
  if (answer !== undefined) return { answer };
  const outcome = 'task' in first ? await attempt({ ...FIRST, followed: first.task }) : first;
  if ('fault' in outcome) throw faultOf(outcome);
  // Whoever follows it does so for as long as the call may last.
  if ('task' in outcome) throw endlessTask();
  return outcome;
}

/** A round with answers. What a call was finished with, well or not, cannot be brought a second time. */
async function laterRound<Answer>(call: Call, entered: (round: Round) => Promise<Turn<Answer>>) {
  const rounds = call.rounds();
  await rounds.refuseFinished();
  try {
    const outcome = await entered(rounds.carried);
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
  { letGo, tasks, isTask }: Ways<Answer> & { readonly isTask: boolean },
): Promise<Answer> {
  let round: Round = { ...FIRST, followed: tasks?.followed };
  let looks = 0;
  for (let count = 1; count <= MOST_ROUNDS;) {
    const entered = round;
    const isLook = entered.followed !== undefined;
    const name = isLook ? `look ${(looks += 1)}` : `round ${count}`;
    // To look again changes nothing; what was sent before this process took over may have been done.
    const isOnce = isTask && !isLook && tasks?.isRepeatable === false;
    const isFresh = !isOnce || (await isBegun(channel, name));
    const work = () => (isFresh ? told(attempt, entered) : refuseAgain());
    const outcome = await channel.step(name, work, ONCE);
    if ('answer' in outcome) return outcome.answer;
    if ('fault' in outcome) throw faultOf(outcome);
    if ('task' in outcome) {
      if (isLook && !isTask) throw endlessTask();
      if (looks >= MOST_LOOKS) throw tooLong();
      if (isLook) await rest(channel, looks, outcome.task);
      round = { ...FIRST, followed: outcome.task };
      continue;
    }
    // What is asked in the middle of a task is answered to that task.
    round = { ...(await answered(channel, outcome, letGo)), followed: entered.followed };
    if (count === MOST_ROUNDS) letGo(outcome);
    count += 1;
  }
  throw tooManyRounds();
}

async function answered(channel: Channel, questions: Questions, letGo: (left: Questions) => void) {
  const answers = Object.entries(questions.requests).map(async ([key, request]) => {
    if (!canAnswer(channel.capabilities, request)) throw cannotAnswer(key, request);
    return [key, await channel.request(key, request)] as const;
  });
  try {
    return {
      requestState: questions.state,
      inputResponses: Object.fromEntries(await Promise.all(answers)),
    };
  } catch (error) {
    // A task that is left comes back with the answer.
    if (!(error instanceof Leave)) letGo(questions);
    throw error;
  }
}

/** Writes down that a round is about to be sent; false when that stands there already. */
async function isBegun(channel: Channel, name: string): Promise<boolean> {
  let isFirst = false;
  await channel.step(`${name} begins`, () => {
    isFirst = true;
    return true;
  });
  return isFirst;
}

function refuseAgain(): never {
  throw new ToolError(
    'unavailable',
    'The server stopped while the other server was at work. The outcome is unknown: look whether it was done before you try again.',
    { outcome: 'unknown' },
  );
}

async function told<Answer>(attempt: Attempt<Answer>, round: Round): Promise<Outcome<Answer>> {
  try {
    return await attempt(round);
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error;
    const { code, message, data } = error;
    return { fault: { code, message, ...(data !== undefined && { data }) } };
  }
}

function faultOf({ fault }: Extract<Outcome<never>, { fault: unknown }>): ProtocolFault {
  return new ProtocolFault(fault.code, fault.message, fault.data);
}

/** Lets go of the worker for a while: what takes long needs no place until it is looked at again. */
async function rest(channel: Channel, looks: number, { pollIntervalMs }: CreatedTask): Promise<void> {
  const wanted = typeof pollIntervalMs === 'number' && pollIntervalMs > 0 ? pollIntervalMs : 0;
  const restMs = Math.min(Math.max(wanted, SHORTEST_REST_MS * looks), LONGEST_REST_MS);
  await channel.sleep?.(`rest ${looks}`, restMs);
}

function endlessTask(): ToolError {
  return badAnswer('a task in place of what became of a task');
}

function tooLong(): ToolError {
  return new ToolError(
    'timeout',
    'The task of the other server did not end in time. Its outcome is unknown.',
    {
      outcome: 'unknown',
    },
  );
}

/** What a task of ours is prepared with that follows one of another server. */
export function followingOf(task: CreatedTask): { readonly followed: CreatedTask } {
  return { followed: task };
}

/** The task that was prepared to be followed; undefined: this is no such call. */
export function followedIn(prepared: unknown): CreatedTask | undefined {
  if (typeof prepared !== 'object' || prepared === null || !('followed' in prepared)) return undefined;
  return taskIn(objectOf(prepared.followed, 'a task'));
}

/** A task as another server hands it out. */
function taskIn(answer: Readonly<Record<string, unknown>>): CreatedTask {
  const { taskId } = answer;
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > LONGEST_TASK_ID)
    throw badAnswer('a task without an id that can be kept');
  return { ...answer, resultType: 'task', taskId };
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
