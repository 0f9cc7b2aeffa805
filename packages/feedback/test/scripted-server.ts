/** A server whose every answer a test decides, and a clock that jumps instead of waiting. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Times } from '../src/remote/index.ts';

/** One request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request: a status with a body, or whatever the function does to the connection. */
export type Step =
  | readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]
  | ((res: ServerResponse, seen: Seen) => void);

/** A running script. */
export interface Script {
  readonly origin: string;
  readonly seen: readonly Seen[];
}

/** Serves the steps in order until the test ends; the last one answers whatever comes after. */
export async function serveScript(steps: readonly Step[]): Promise<Script> {
  const seen: Seen[] = [];
  const server = createServer((req, res) => {
    const answered = async () => {
      let body = '';
      for await (const chunk of req) body += String(chunk);
      const { method = '', url = '', headers } = req;
      const step = steps[Math.min(seen.length, steps.length - 1)];
      seen.push({ method, url, headers, body });
      if (typeof step === 'function') step(res, { method, url, headers, body });
      else if (step !== undefined) answer(res, step);
    };
    // A client that gives up breaks its request off.
    answered().catch(() => res.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
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
    pass: (ms) => void (now += ms),
    now: () => now,
    random: () => random,
    async wait(ms, signal) {
      signal.throwIfAborted();
      waits.push(ms);
      now += ms;
    },
  };
}
