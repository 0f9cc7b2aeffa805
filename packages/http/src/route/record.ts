/** Every call of a route is recorded as calls of tools are: who, what, how it ended, how long it took. */
import type { Caller, CallRecord, Observer } from '@parley/kit';
import type { ErrorCode } from '../refusal.ts';
import type { RouteFacts } from './route.ts';
import { routeName } from './route-name.ts';

/** The name under which paths are recorded that no route has. */
export const UNKNOWN_ROUTE = 'unknown route';

/** A call that is under way. */
export interface Recording {
  /** Hands the record over; `code` is null for a success. */
  end(route: RouteFacts | undefined, code: ErrorCode | null): void;
}

/** Begins the record of a call of a toolset's routes. */
export function beginRecord(
  {
    observe,
    toolset,
    prefix,
  }: { readonly observe: Observer | undefined; readonly toolset: string; readonly prefix: string },
  caller: Caller,
  traceparent: string | undefined,
): Recording {
  const startMs = performance.now();
  return {
    end(route, code) {
      if (code === null && route !== undefined && isUntold(route, caller)) return;
      observe?.({
        caller,
        method: 'rest',
        name: route === undefined ? UNKNOWN_ROUTE : routeName(prefix, route),
        toolset,
        outcome: outcomeOf(code),
        code: code === null ? null : code.toLowerCase(),
        durationMs: performance.now() - startMs,
        info: { id: null, era: 'rest', client: null, traceparent },
      });
    },
  };
}

/** What people look at in a browser is no call that anybody has to know of: screens read again and again. */
function isUntold({ isQuiet, method }: RouteFacts, { source }: Caller): boolean {
  return isQuiet || (source === 'web' && method === 'GET');
}

const DENIALS: ReadonlySet<ErrorCode> = new Set(['FORBIDDEN', 'CSRF', 'FRESH_SIGN_IN']);

function outcomeOf(code: ErrorCode | null): CallRecord['outcome'] {
  if (code === null) return 'ok';
  return DENIALS.has(code) ? 'denied' : 'error';
}
