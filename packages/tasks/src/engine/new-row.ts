/** The row of a new task. */
import { randomBytes } from 'node:crypto';
import { ToolError } from '@parley/kit';
import { toJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow } from '../schema.ts';
import type { NewTask } from '../task.ts';
import type { Kind } from './kinds.ts';
import { poolNameOf } from './pools.ts';

export interface NewRowOptions {
  /** The code of its kind, if there is any. */
  readonly kind: Kind | undefined;
  readonly limits: TaskLimits;
  readonly now: number;
}

/** A task that is ready and belongs to nobody; refuses an unknown kind and an input that is too large. */
export function newRow(input: NewTask, { kind, limits, now }: NewRowOptions): TaskRow {
  if (kind === undefined) throw new Error(`No code is registered for tasks of the kind "${input.kind}".`);
  const text = toJson(input.input);
  if (Buffer.byteLength(text) > limits.inputBytes) {
    throw new ToolError('invalid', `The input of a task may have at most ${limits.inputBytes} bytes.`);
  }
  const ttlMs = Math.round(Math.min(Math.max(input.ttlMs ?? limits.ttlMs, limits.minTtlMs), limits.maxTtlMs));
  return {
    id: `task_${randomBytes(32).toString('base64url')}`,
    organization_id: input.caller.organizationId,
    owner_id: input.caller.id,
    kind: input.kind,
    kind_version: kind.version,
    state: 'ready',
    outcome: null,
    input: text,
    capabilities: toJson(input.capabilities),
    priority: input.priority ?? 0,
    due_at: input.runAt === undefined ? AT_ONCE : Math.round(input.runAt),
    worker_id: null,
    lease_until: null,
    fence: 0,
    crashes: 0,
    cancel_reason: null,
    parent_id: input.parentId ?? null,
    idempotency_key: input.idempotencyKey ?? null,
    status_message: null,
    progress_done: null,
    progress_total: null,
    result: null,
    error: null,
    ttl_ms: ttlMs,
    created_at: now,
    updated_at: now,
    finished_at: null,
    expires_at: null,
    pool: poolNameOf(kind),
    turn: null,
    served_turn: null,
  };
}

/** The due time of a task that waits for no time: a clock that is set back does not put it off. */
const AT_ONCE = 0;
