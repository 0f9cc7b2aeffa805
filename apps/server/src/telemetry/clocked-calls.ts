/** Where the time of calls of tools goes: each call that may wait for something has a count of its own. */
import type { Middleware, RequestInfo } from '@parley/kit';
import type { Spending, Spent } from '@parley/store';

export interface ClockedCalls {
  readonly middleware: Middleware;
  /** The count of a call, by what it came with; undefined where there is none. */
  spentOf(info: RequestInfo): Spent | undefined;
}

/** `spending` is asked for with the first call. */
export function createClockedCalls(spending: () => Spending): ClockedCalls {
  const counts = new WeakMap<RequestInfo, Spent>();
  return {
    middleware: {
      // What has neither services nor another server behind it waits for nothing that could be counted.
      concerns: ({ hasServices, source }) => hasServices || source !== undefined,
      call({ request, taskId }, next) {
        // The run of a task is counted from its claim on.
        const spent = taskId === null ? spending().begin() : spending().current();
        if (spent === undefined) return next();
        counts.set(request, spent);
        return spending().within(spent, next);
      },
    },
    spentOf: (info) => counts.get(info),
  };
}
