/** One exchange with a client: what came with the request, and how a call that did not return is answered. */
import { randomBytes } from 'node:crypto';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Caller } from '../access/caller.ts';
import type { Connection } from '../channel/connection.ts';
import type { RequestInfo } from '../channel/call-context.ts';
import { errorResult, internalFault, ProtocolFault, RPC, ToolError } from './errors.ts';
import type { ClientCapabilities, Interaction } from '../channel/channel.ts';
import { InputNeeded } from '../channel/channel.ts';
import type { Middleware } from './middleware.ts';
import type { CallRecord, Observer } from './record.ts';
import type { StateSealer } from '../channel/sealed-state.ts';
import type { RoundState } from '../channel/rounds.ts';
import { RoundTrip } from '../channel/rounds.ts';
import type { StepStore } from '../channel/steps.ts';
import type { TaskSeam } from './task-seam.ts';

/** What came with one request, besides what it asks for. */
export interface Exchange {
  readonly info: RequestInfo;
  readonly signal: () => AbortSignal;
  /** Present when the request came over something that outlives it. */
  readonly connection?: Connection | undefined;
  /** Present when the channel can ask by itself (a 2025 session, a task); absent: round trips. */
  readonly io?: Interaction;
  readonly capabilities?: ClientCapabilities;
  readonly requestState?: string | undefined;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly progress?: Interaction['progress'];
  readonly log?: Interaction['log'];
  /** Present when the call is the run of a task. */
  readonly task?: { readonly id: string; readonly prepared: unknown };
}

/** The interim answer that asks the client for input. */
export type InputRequired = InputRequiredResult;

/** Tells the interim answer from a finished one. */
export function isInputRequired(answer: object): answer is InputRequired {
  return 'resultType' in answer && answer.resultType === 'input_required';
}

/** The parts that an engine and its narrowed copies share. */
export interface Core {
  readonly sealer: StateSealer;
  readonly steps: StepStore;
  readonly observe: Observer;
  readonly onFault: (error: unknown, where: string) => void;
  readonly middleware: readonly Middleware[];
  readonly tasks: TaskSeam | undefined;
  readonly maxResultBytes: number;
}

/** Opens the state a client brought back, or starts a first round. */
export function openRoundTrip(
  core: Core,
  caller: Caller,
  method: string,
  name: string,
  args: unknown,
  exchange: Exchange,
): RoundTrip {
  let state: RoundState | undefined;
  if (exchange.requestState !== undefined) {
    const { id: callerId, organizationId } = caller;
    const binding = { callerId, organizationId, method, name, arguments: args };
    // Sealed by us, so its shape is ours.
    state = core.sealer.open(exchange.requestState, binding) as RoundState | undefined;
    if (state === undefined) {
      throw new ProtocolFault(RPC.invalidParams, 'Invalid or expired requestState', {
        reason: 'invalid_request_state',
      });
    }
  }
  return new RoundTrip({
    capabilities: exchange.capabilities ?? {},
    steps: core.steps,
    organizationId: caller.organizationId,
    newCallId: () => randomBytes(16).toString('base64url'),
    state,
    responses: exchange.inputResponses,
    progress: exchange.progress,
    log: exchange.log,
  });
}

/** How a call that did not return ended: an answer for the client, or a fault to throw. */
export type Failure = { readonly record: Pick<CallRecord, 'outcome' | 'code'> } & (
  | { readonly answer: CallToolResult | InputRequired }
  | { readonly fault: ProtocolFault }
);

/** Sorts what was thrown: a question, a typed error, a protocol fault, or a fault of ours. */
export function failureOf(
  error: unknown,
  io: Interaction | undefined,
  core: Core,
  call: { caller: Caller; method: string; name: string; args: unknown; exchange: Exchange },
): Failure {
  if (error instanceof InputNeeded && io instanceof RoundTrip) {
    return { record: { outcome: 'ok', code: 'input_required' }, answer: inputRequired(io, core, call) };
  }
  if (error instanceof ToolError) {
    return { record: { outcome: 'error', code: error.code }, answer: errorResult(error) };
  }
  if (error instanceof ProtocolFault) {
    return { record: { outcome: 'error', code: String(error.code) }, fault: error };
  }
  // Whatever a tool throws once its client has gone is the cancelling, not a fault; each transport has its own reason.
  if (call.exchange.signal().aborted || (error instanceof Error && error.name === 'AbortError')) {
    return { record: { outcome: 'cancelled', code: null }, fault: internalFault() };
  }
  core.onFault(error, call.name);
  return { record: { outcome: 'error', code: 'internal' }, fault: internalFault() };
}

/** Seals the state that the next round of the same call brings back. */
export function sealState(
  core: Core,
  state: RoundState,
  caller: Caller,
  name: string,
  args: unknown,
  method = 'tools/call',
): string {
  const { id: callerId, organizationId } = caller;
  return core.sealer.seal(state, { callerId, organizationId, method, name, arguments: args });
}

function inputRequired(
  io: RoundTrip,
  core: Core,
  call: { caller: Caller; method: string; name: string; args: unknown },
): InputRequired {
  const { caller, method, name, args } = call;
  // A form's schema is a plain JSON Schema to us; the wire type spells out what may stand in it.
  const inputRequests = Object.fromEntries(io.pending) as NonNullable<InputRequired['inputRequests']>;
  const requestState = sealState(core, io.state, caller, name, args, method);
  return { resultType: 'input_required', inputRequests, requestState };
}
