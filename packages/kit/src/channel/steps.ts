/** What must happen once per call, even when the call is entered again: the seam and an in-memory stand-in. */
import { ToolError } from '../call/errors.ts';

/** The call a step belongs to. */
export interface StepScope {
  readonly organizationId: string;
  readonly callId: string;
}

/** Remembers the outcome of each step of a call. */
export interface StepStore {
  once<T>(scope: StepScope, key: string, work: () => Promise<T> | T): Promise<T>;
}

/** Keeps outcomes in this process; enough for tests and single-process servers. */
export function memorySteps(maxSteps = 10_000): StepStore {
  const outcomes = new Map<string, Promise<unknown>>();
  return {
    async once<T>({ callId }: StepScope, key: string, work: () => Promise<T> | T): Promise<T> {
      const id = `${callId}\n${key}`;
      const known = outcomes.get(id);
      // The map is keyed by step, and a step always has one result type.
      if (known !== undefined) return known as Promise<T>;
      if (outcomes.size >= maxSteps) outcomes.delete(outcomes.keys().next().value ?? id);
      const outcome = Promise.resolve().then(work);
      outcomes.set(id, outcome);
      try {
        return await outcome;
      } catch (error) {
        outcomes.delete(id);
        throw error;
      }
    },
  };
}

/** The answer when the same step is already running for another copy of the same call. */
export function stepBusy(key: string): ToolError {
  return new ToolError(
    'conflict',
    `Step "${key}" of this call is already running; repeat the request in a moment.`,
  );
}
