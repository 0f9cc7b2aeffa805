/** What workflows are built from. */
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { AgentCallers } from '../../permissions/lookup.ts';
import type { ActionServices } from '../schedules/actions.ts';
import type { Graph } from './graph.ts';

export interface WorkflowParts {
  readonly store: Store;
  readonly tasks: TaskEngine;
  readonly callers: AgentCallers;
  readonly services: ActionServices;
  /** Whether there is a tool of this name. */
  readonly isRegistered: (name: string) => boolean;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

/** What a run does, whatever becomes of its workflow. */
export interface RunSnapshot {
  readonly graph: Graph;
  readonly maxConcurrency: number;
  readonly projectId: string | undefined;
}
