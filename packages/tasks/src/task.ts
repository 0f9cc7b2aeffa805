/** A task as every layer above the tables sees it. */
import type { Caller, ClientCapabilities } from '@parley/kit';

/** The statuses of the tasks extension; the last three are final. */
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Who owns a task; every request for it must come from the same caller and organization. */
export interface TaskOwner {
  readonly organizationId: string;
  readonly ownerId: string;
}

/** The outcome of a JSON-RPC fault. */
export interface TaskFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** How far the work is. */
export interface TaskProgress {
  readonly done: number;
  readonly total: number | null;
}

export interface Task extends TaskOwner {
  readonly id: string;
  readonly kind: string;
  readonly status: TaskStatus;
  readonly statusMessage: string | null;
  readonly progress: TaskProgress | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  readonly ttlMs: number;
  readonly expiresAt: number | null;
  readonly input: unknown;
  /** Outstanding questions by key, in wire form; only while `input_required`. */
  readonly inputRequests: Readonly<Record<string, unknown>>;
  /** The result of a completed task. */
  readonly result: unknown;
  readonly error: TaskFault | null;
}

export interface NewTask {
  readonly kind: string;
  readonly input: unknown;
  readonly caller: Caller;
  /** What the client declared on the creating call; decides which questions may be asked. */
  readonly capabilities: ClientCapabilities;
  readonly idempotencyKey?: string;
  readonly ttlMs?: number;
  readonly priority?: number;
  readonly runAt?: number;
  readonly parentId?: string;
}

/** True for a status that never changes again. */
export function isFinal(status: TaskStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** The owner that a caller is. */
export function ownerOf(caller: Caller): TaskOwner {
  return { organizationId: caller.organizationId, ownerId: caller.id };
}
