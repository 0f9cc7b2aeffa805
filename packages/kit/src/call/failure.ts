/** How a call that did not return is answered: a question, a typed error, a protocol fault, or a fault of ours. */
import { randomUUID } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CatalogTool } from '../catalog/compiled-tool.ts';
import { InputNeeded } from '../channel/channel.ts';
import type { Call, Core } from './call.ts';
import { cancelledFault, errorResult, internalFault, ProtocolFault, ToolError } from './errors.ts';
import type { CallRecord } from './record.ts';
import type { InputRequired } from './tool-answer.ts';

/** How a call that did not return ended: an answer for the client, or a fault to throw. */
export type Failure = { readonly record: Pick<CallRecord, 'outcome' | 'code'> } & (
  | { readonly answer: CallToolResult | InputRequired }
  | { readonly fault: ProtocolFault }
);

/** Sorts what was thrown. */
export function failureOf(
  error: unknown,
  call: Call,
  { onFault }: Pick<Core, 'onFault'>,
  tool?: Pick<CatalogTool, 'faults'>,
): Failure {
  const question = error instanceof InputNeeded ? questionOf(call) : undefined;
  if (question !== undefined) {
    return { record: { outcome: 'ok', code: 'input_required' }, answer: question };
  }
  if (error instanceof ToolError) {
    return { record: { outcome: 'error', code: error.code }, answer: errorResult(error) };
  }
  if (error instanceof ProtocolFault) {
    return { record: { outcome: 'error', code: String(error.code) }, fault: error };
  }
  // Whatever a tool throws once its client has gone is the cancelling, not a fault; each transport has its own reason.
  const signal = call.exchange.signal();
  if (signal.aborted || (error instanceof Error && error.name === 'AbortError')) {
    // Not the client but this server ended it, and says how.
    const reason: unknown = signal.reason;
    if (reason instanceof ToolError)
      return { record: { outcome: 'error', code: reason.code }, answer: errorResult(reason) };
    return { record: { outcome: 'cancelled', code: null }, fault: cancelledFault() };
  }
  const record = { outcome: 'error', code: 'internal' } as const;
  if (tool?.faults === 'result') {
    const reference = randomUUID();
    onFault(error, `${call.name} ${reference}`);
    return { record, answer: errorResult(faultOf(reference)) };
  }
  onFault(error, call.name);
  return { record, fault: internalFault() };
}

function faultOf(reference: string): ToolError {
  return new ToolError('internal', `The server failed, not you. Its log has this as ${reference}.`, {
    reference,
  });
}

function questionOf({ opened }: Call): InputRequired | undefined {
  const left = opened?.left?.();
  if (left === undefined) return undefined;
  // A form's schema is a plain JSON Schema to us; the wire type spells out what may stand in it.
  const inputRequests = left.requests as NonNullable<InputRequired['inputRequests']>;
  return { resultType: 'input_required', inputRequests, requestState: left.state };
}
