/** A server whose every answer a test decides, and a clock that jumps instead of waiting. */
import type { ServerResponse } from 'node:http';
import { serveForTest } from '@parley/test-support/scripted-server';
import type { SeenRequest } from '@parley/test-support/scripted-server';
import type { Times } from '../src/remote/index.ts';

/** Answers one request: a status with a body, or whatever the function does to the connection. */
export type Step =
  | readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]
  | ((res: ServerResponse, seen: SeenRequest) => void);

/** A running script. */
export interface Script {
  readonly origin: string;
  readonly seen: readonly SeenRequest[];
}

/** Serves the steps in order until the test ends; the last one answers whatever comes after. */
export async function serveScript(steps: readonly Step[]): Promise<Script> {
  let at = 0;
  return serveForTest((seen, res) => {
    const step = steps[Math.min(at++, steps.length - 1)];
    if (typeof step === 'function') step(res, seen);
    else if (step !== undefined) answer(res, step);
  });
}

function answer(
  res: ServerResponse,
  [status, body, headers = {}]: Exclude<Step, (...args: never[]) => void>,
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}

/** A clock that stands still until somebody waits. */
export interface FakeTimes extends Times {
  readonly waits: number[];
  /** Lets time pass without anybody waiting. */
  pass(ms: number): void;
}

/** Creates the clock; `random` is what every throw of the dice gives. */
export function fakeTimes(random = 0.5, startMs = Date.UTC(2026, 0, 1)): FakeTimes {
  const waits: number[] = [];
  let now = startMs;
  return {
    waits,
    pass: (ms) => {
      now += ms;
    },
    now: () => now,
    random: () => random,
    async wait(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}
