/** Owns the measured points over HTTP: warm-up, interleaved windows, CPU per request, body checks. */
import { cpuTimeUs } from './cpu.ts';
import { runWindow } from './load.ts';
import type { WindowResult } from './load.ts';
import type { Method } from './machine.ts';
import { checkedExchange } from './wire.ts';
import type { RequestKind } from './wire.ts';

/** One thing to measure: a kind of request against a running server. */
export interface Target {
  name: string;
  pid: number;
  url: string;
  key: string;
  kind: RequestKind;
  toolCount: number;
}

/** How long and how often. */
export interface PointSettings {
  warmUpSeconds: number;
  windowSeconds: number;
  rounds: number;
}

/** What was measured; `voidReason` means that the figures must not be used. */
export interface Point {
  name: string;
  cpuUs: number;
  windowsCpuUs: number[];
  rate: number;
  p50Us: number;
  saturated: boolean;
  connections: number;
  requests: number;
  errors: number;
  bodyChecked: boolean;
  bodyBytes: number;
  /** Time of the first request of this kind on a server just started. */
  firstAnswerMs: number;
  voidReason?: string;
}

type State = Point & { target: Target; windowSeconds: number };

const SATURATED_SHARE = 0.95;
let nextId = 10_000_000;

/** Measures all targets, one window of each per round, the order rotated from round to round. */
export async function measurePoints(
  targets: Target[],
  settings: PointSettings,
  method: Method,
  progress: (line: string) => void,
): Promise<Point[]> {
  const states: State[] = [];
  for (const target of targets) states.push(await firstCheck(target, settings));
  for (const state of states) {
    progress(`warming up ${state.name}`);
    await guarded(state, () => warmUp(state, settings, method));
  }
  for (let round = 0; round < settings.rounds; round++) {
    progress(`round ${round + 1} of ${settings.rounds}`);
    const shift = round % states.length;
    for (const state of [...states.slice(shift), ...states.slice(0, shift)]) {
      await guarded(state, () => measureWindow(state, method));
    }
  }
  for (const state of states) {
    await guarded(state, async () => {
      await checkedExchange(state.target);
      state.bodyChecked = true;
    });
  }
  return states.map(({ target: _target, windowSeconds: _seconds, ...point }) => point);
}

async function firstCheck(target: Target, settings: PointSettings): Promise<State> {
  const state: State = {
    name: target.name,
    cpuUs: Number.POSITIVE_INFINITY,
    windowsCpuUs: [],
    rate: 0,
    p50Us: 0,
    saturated: false,
    connections: 32,
    requests: 0,
    errors: 0,
    bodyChecked: false,
    bodyBytes: 0,
    firstAnswerMs: 0,
    target,
    windowSeconds: settings.windowSeconds,
  };
  await guarded(state, async () => {
    const first = await checkedExchange(target);
    const second = await checkedExchange(target);
    state.firstAnswerMs = round(first.elapsedMs, 2);
    state.bodyBytes = Buffer.byteLength(second.body);
  });
  return state;
}

async function guarded(state: State, step: () => Promise<void>): Promise<void> {
  if (state.voidReason !== undefined) return;
  try {
    await step();
  } catch (error) {
    state.voidReason = error instanceof Error ? error.message : String(error);
  }
}

async function warmUp(state: State, settings: PointSettings, method: Method): Promise<void> {
  const first = await load(state, settings.warmUpSeconds, method);
  const rate = first.requests / first.seconds;
  Object.assign(state, gentler(rate, settings.windowSeconds));
  // a slow server has seen too few requests to be compiled
  if (rate < 2000) await load(state, settings.warmUpSeconds, method);
}

/** Fewer connections and longer windows for slow points, so that queued requests weigh little. */
export function gentler(rate: number, windowSeconds: number) {
  if (rate < 200) return { connections: 4, windowSeconds: Math.max(4, windowSeconds) };
  return { connections: rate < 2000 ? 8 : 32, windowSeconds };
}

async function measureWindow(state: State, method: Method): Promise<void> {
  const { pid } = state.target;
  const beforeUs = cpuTimeUs(pid, method.cpuSource);
  const result = await load(state, state.windowSeconds, method);
  const usedUs = cpuTimeUs(pid, method.cpuSource) - beforeUs;
  const cpuUs = round(usedUs / result.requests, 1);
  state.windowsCpuUs.push(cpuUs);
  if (cpuUs >= state.cpuUs) return;
  state.cpuUs = cpuUs;
  state.rate = Math.round(result.requests / result.seconds);
  state.p50Us = result.p50Us;
  state.saturated = usedUs / 1e6 / result.seconds >= SATURATED_SHARE;
}

async function load(state: State, seconds: number, method: Method): Promise<WindowResult> {
  const { url, key, kind } = state.target;
  const { connections } = state;
  const window = { url, key, kind, connections, seconds, firstId: nextId, answerBytes: state.bodyBytes };
  const result = await runWindow(window, method);
  nextId += result.requests + connections;
  state.requests += result.requests;
  state.errors += result.errors;
  if (result.errors > 0)
    throw new Error(
      `${result.errors} of ${result.requests} answers under load were not like the checked one.`,
    );
  if (result.requests === 0) throw new Error('No request was answered.');
  return result;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
