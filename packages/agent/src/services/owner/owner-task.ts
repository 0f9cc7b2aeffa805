/** Work of the server itself for the line to the owner: how it is asked for, and what may be shown when it fails. */
import { systemCaller, ToolError } from '@parley/kit';
import { EgressError } from '@parley/kit/egress';
import { StoreUnavailableError } from '@parley/store';
import type { NewTask } from '@parley/tasks';
import * as z from 'zod';
import type { OwnerParts } from './parts.ts';

// Nobody reads the result; the engine keeps it as short as it can.
const TTL_MS = 1;

/** The same key means the same work. */
export function ownerTask(
  organizationId: string,
  kind: string,
  input: object,
  key: string,
  runAt?: number,
): NewTask {
  return {
    kind,
    input,
    // No person or key has this id, so none finds these among its tasks.
    caller: systemCaller('system_owner', 'Line to the owner', organizationId),
    capabilities: {},
    idempotencyKey: `${kind}:${key}`,
    ttlMs: TTL_MS,
    ...(runAt !== undefined && { runAt }),
  };
}

/** What may be shown of a failure; a fault of our own is told, and a stop from outside goes on. */
export function errorOf(
  { onFault }: Pick<OwnerParts, 'onFault'>,
  error: unknown,
  signal: AbortSignal,
): string {
  signal.throwIfAborted();
  if (error instanceof StoreUnavailableError) throw error;
  if (error instanceof ToolError || error instanceof EgressError) return error.message;
  if (error instanceof DOMException) return 'The other side did not answer in time.';
  if (!(error instanceof z.ZodError)) onFault(error, 'line to the owner');
  return 'The other side gave an answer that is not understood.';
}
