/** A stop, step by step: none of them takes for ever, whatever a tool or a database does. */
import { STOP_MS } from './http.ts';
import { FINISH_MS } from './replica-life.ts';

// For closing what is left: records to write, connections of the database to end.
const SLACK_MS = 5_000;

/** One step, by a name for people. */
export type StopStep = readonly [name: string, work: () => Promise<unknown>];

/** Does the steps in their order; tells of the step that is not over when all of them should be. */
export async function inTime(
  steps: readonly StopStep[],
  drainMs: number,
  onLate: (step: string) => void,
): Promise<void> {
  let current = '';
  const late = setTimeout(() => onLate(current), drainMs + FINISH_MS + STOP_MS + SLACK_MS).unref();
  try {
    for (const [name, work] of steps) {
      current = name;
      await work();
    }
  } finally {
    clearTimeout(late);
  }
}
