/** Owns one run of a tool after the other: its progress, questions, result, and every message as it was. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { streamTool } from '../../api/call-tool.ts';
import type { ToolEvent, ToolQuestion, ToolResult } from '../../api/call-tool.ts';
import { ApiError } from '../../api/client.ts';
import type { Tool } from '../../api/schema.ts';
import { detach } from '../../detach.ts';

/** `asking`: it waits for answers; `task`: it goes on as a durable task. */
export type RunState = 'running' | 'asking' | 'done' | 'failed' | 'stopped' | 'task';

/** A run and all that came of it. */
export interface Run {
  readonly state: RunState;
  readonly args: unknown;
  readonly as: string | undefined;
  readonly startedAtMs: number;
  readonly durationMs: number | undefined;
  readonly progress:
    | { readonly done: number; readonly total?: number | null; readonly message?: string | null }
    | undefined;
  readonly logs: readonly unknown[];
  readonly question: ToolQuestion | undefined;
  readonly result: ToolResult | undefined;
  readonly error: { readonly code: string; readonly message: string } | undefined;
  readonly task: Record<string, unknown> | undefined;
  /** What was sent and what came, in order. */
  readonly exchange: readonly { readonly way: 'sent' | 'came'; readonly body: unknown }[];
}

const MOST_LOGS = 500;
const MOST_MESSAGES = 200;

/** A run, and how to steer it. */
export interface Runner {
  readonly run: Run | undefined;
  readonly start: (args: unknown, as?: string) => void;
  readonly answer: (responses: Readonly<Record<string, unknown>>) => void;
  readonly stop: () => void;
}

/** Runs a tool; a run that goes on when the screen is left is stopped. */
export function useRun(tool: Tool): Runner {
  const [run, setRun] = useState<Run>();
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const { endpoint, name } = tool;

  const send = useCallback(
    (base: Run, more: { requestState?: string; inputResponses?: Readonly<Record<string, unknown>> }) => {
      const abort = new AbortController();
      control.current = abort;
      const sent = { arguments: base.args, ...(base.as !== undefined && { as: base.as }), ...more };
      setRun({
        ...base,
        state: 'running',
        question: undefined,
        exchange: [...base.exchange, { way: 'sent', body: sent }],
      });
      const onEvent = (event: ToolEvent) => setRun((now) => now && take(now, event));
      const work = streamTool(endpoint, name, base.args, onEvent, {
        ...more,
        as: base.as,
        signal: abort.signal,
      });
      const end = work.then(() => setRun((now) => now && settle(now)));
      detach(end, (error) => setRun((now) => now && fail(now, error, abort.signal.aborted)));
    },
    [endpoint, name],
  );
  const start = useCallback(
    (args: unknown, as?: string) => {
      control.current?.abort();
      send(freshRun(args, as), {});
    },
    [send],
  );
  const answer = useCallback(
    (responses: Readonly<Record<string, unknown>>) => {
      if (run?.state !== 'asking') return;
      send(run, { requestState: run.question?.requestState, inputResponses: responses });
    },
    [run, send],
  );
  const stop = useCallback(() => {
    control.current?.abort();
    setRun(
      (now) =>
        now && { ...now, state: 'stopped', question: undefined, durationMs: Date.now() - now.startedAtMs },
    );
  }, []);
  return { run, start, answer, stop };
}

function freshRun(args: unknown, as: string | undefined): Run {
  return {
    state: 'running',
    args,
    as,
    startedAtMs: Date.now(),
    durationMs: undefined,
    progress: undefined,
    logs: [],
    question: undefined,
    result: undefined,
    error: undefined,
    task: undefined,
    exchange: [],
  };
}

function take(run: Run, event: ToolEvent): Run {
  if (run.state === 'stopped') return run;
  const exchange = [...run.exchange, { way: 'came', body: event } as const].slice(-MOST_MESSAGES);
  const durationMs = Date.now() - run.startedAtMs;
  switch (event.kind) {
    case 'progress':
      return { ...run, exchange, progress: event };
    case 'log':
      return { ...run, exchange, logs: [...run.logs, event.data].slice(-MOST_LOGS) };
    case 'question':
      return { ...run, exchange, state: 'asking', question: event.question };
    case 'task':
      return { ...run, exchange, durationMs, state: 'task', task: event.task };
    case 'result':
      return {
        ...run,
        exchange,
        durationMs,
        state: event.result.isError ? 'failed' : 'done',
        result: event.result,
      };
    case 'error':
      return { ...run, exchange, durationMs, state: 'failed', error: event };
    default:
      return event satisfies never;
  }
}

/** A stream that ends without a last word was cut. */
function settle(run: Run): Run {
  if (run.state !== 'running') return run;
  return fail(run, new Error('The connection ended before the answer came. Run it again.'), false);
}

function fail(run: Run, error: unknown, isAborted: boolean): Run {
  if (isAborted || run.state === 'stopped') return run;
  const code = error instanceof ApiError ? error.code : 'CUT';
  const message = error instanceof Error ? error.message : String(error);
  return { ...run, state: 'failed', durationMs: Date.now() - run.startedAtMs, error: { code, message } };
}
