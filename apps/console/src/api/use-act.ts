/** Owns acts of a person: one at a time, busy while it runs, and a toast that says what went wrong. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { detach } from '../detach.ts';
import { toast } from '../ui/toast-store.ts';
import { ApiError } from './client.ts';

/** An act and how it stands. */
export interface Act<A extends unknown[]> {
  /** Runs the act; a second start while it runs does nothing, or waits for its turn. */
  readonly run: (...args: A) => void;
  readonly isBusy: boolean;
  /** What the last run failed with, until the next one starts. */
  readonly error: ApiError | undefined;
  /** Forgets the error: what it was about was changed. */
  readonly forget: () => void;
}

/** What to do with the end of an act. */
export interface ActOptions<R> {
  readonly onDone?: (result: R) => void;
  /** True: the caller shows `error` itself, so no toast does while the caller is there. */
  readonly isQuiet?: boolean;
  /** True: each start is about something else, another row say, so one that comes while another runs follows it. */
  readonly inTurn?: boolean;
}

/**
 * Wraps work that a person starts.
 *
 *     const cancel = useAct((id: string) => request('POST /api/tasks/{id}/cancel', { path: { id } }));
 *     <Button isBusy={cancel.isBusy} onClick={() => cancel.run(task.id)}>Cancel</Button>
 */
export function useAct<A extends unknown[], R>(
  work: (...args: A) => Promise<R>,
  options: ActOptions<R> = {},
): Act<A> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const latest = useRef({ work, options });
  latest.current = { work, options };
  const waiting = useRef<A[]>([]);
  const isRunning = useRef(false);
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const run = useCallback((...args: A) => {
    if (isRunning.current && !latest.current.options.inTurn) return;
    waiting.current.push(args);
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(undefined);
    const one = async (next: A): Promise<void> => {
      try {
        const result = await latest.current.work(...next);
        latest.current.options.onDone?.(result);
      } catch (fault) {
        const refusal = asApiError(fault, latest.current.options.isQuiet === true);
        setError(refusal);
        if (!latest.current.options.isQuiet || !isThere.current)
          toast({ text: refusal.message, tone: 'red' });
      }
    };
    const all = async (): Promise<void> => {
      for (let next = waiting.current.shift(); next; next = waiting.current.shift()) await one(next);
      isRunning.current = false;
      setBusy(false);
    };
    detach(all(), reportError);
  }, []);
  const forget = useCallback(() => setError(undefined), []);
  return { run, isBusy, error, forget };
}

/** What the server failed with is found in its log by the request; a form, which shows its error itself, keeps what was typed. */
function withRequest(fault: ApiError, isForm: boolean): ApiError {
  const { message, code, status, fields, details, requestId } = fault;
  if (status < 500 || requestId === undefined || message.includes(requestId)) return fault;
  const text = `${message}${isForm ? ' What you typed is still here.' : ''} If it goes on, tell whoever runs the server: request ${requestId}.`;
  return new ApiError(text, { code, status, fields: { ...fields }, details, requestId });
}

function asApiError(fault: unknown, isForm: boolean): ApiError {
  if (fault instanceof ApiError) return withRequest(fault, isForm);
  const message = fault instanceof Error ? fault.message : String(fault);
  return new ApiError(message, { code: 'FAULT', status: 0 });
}
