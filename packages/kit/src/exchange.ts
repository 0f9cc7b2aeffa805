/** One exchange with a client: what came with the request, and how a call that did not return is answered. */
import { randomBytes } from 'node:crypto';
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { Caller } from './caller.ts';
import type { RequestInfo } from './context.ts';
import { errorResult, internalFault, ProtocolFault, RPC, ToolError } from './errors.ts';
import type { ClientCapabilities, Interaction } from './interaction.ts';
import { InputNeeded } from './interaction.ts';
import type { Middleware } from './middleware.ts';
import type { CallRecord, Observer } from './record.ts';
import type { StateSealer } from './request-state.ts';
import type { RoundState } from './round-trip.ts';
import { RoundTrip } from './round-trip.ts';
import type { StepStore } from './steps.ts';

/** What came with one request, besides what it asks for. */
export interface Exchange {
  readonly info: RequestInfo;
  readonly signal: () => AbortSignal;
  /** Present when the channel can ask by itself (a 2025 session, a task); absent: round trips. */
  readonly io?: Interaction;
  readonly capabilities?: ClientCapabilities;
  readonly requestState?: string | undefined;
  readonly inputResponses?: Readonly<Record<string, unknown>> | undefined;
  readonly progress?: Interaction['progress'];
  readonly log?: Interaction['log'];
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
    const binding = {
      callerId: caller.id,
      organizationId: caller.organizationId,
      method,
      name,
      arguments: args,
    };
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
  io: Interaction,
  core: Core,
  call: { caller: Caller; method: string; name: string; args: unknown },
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
  if (error instanceof Error && error.name === 'AbortError') {
    return { record: { outcome: 'cancelled', code: null }, fault: internalFault() };
  }
  core.onFault(error, call.name);
  return { record: { outcome: 'error', code: 'internal' }, fault: internalFault() };
}

function inputRequired(
  io: RoundTrip,
  core: Core,
  call: { caller: Caller; method: string; name: string; args: unknown },
): InputRequired {
  const { caller, method, name, args } = call;
  const binding = {
    callerId: caller.id,
    organizationId: caller.organizationId,
    method,
    name,
    arguments: args,
  };
  // A form's schema is a plain JSON Schema to us; the wire type spells out what may stand in it.
  const inputRequests = Object.fromEntries(io.pending) as NonNullable<InputRequired['inputRequests']>;
  return {
    resultType: 'input_required',
    inputRequests,
    requestState: core.sealer.seal(io.state, binding),
  };
}
