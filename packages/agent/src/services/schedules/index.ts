/** Schedules in one process: what agents do with them, what people say to them, and the look at the clock. */
import type { Approvals } from './approvals.ts';
import { createApprovals } from './approvals.ts';
import { schedulesAbout } from './audience.ts';
import { executionKind } from './execute.ts';
import { checkSchedules, wake } from './fire.ts';
import type { ScheduleParts } from './parts.ts';
import type { Schedules } from './schedules.ts';
import { createScheduleStore } from './schedules.ts';

export interface ScheduleService extends Schedules {
  readonly executions: Approvals;
  /** Looks at the clock once, as every process does each 30 seconds. */
  check(): Promise<void>;
}

/** The targets of events that schedules are. */
const LISTENERS = 'schedule';

export function createSchedules(parts: ScheduleParts): ScheduleService {
  parts.tasks.register(executionKind(parts));
  const listeners = parts.events.inside(
    LISTENERS,
    (listener, event) => parts.store.transaction((tx) => wake(waking, tx, listener, event)),
    schedulesAbout,
  );
  const waking = { ...parts, listeners };
  return {
    ...createScheduleStore(waking),
    executions: createApprovals(parts),
    check: () => checkSchedules(parts),
  };
}
