/** Owns the rolling restart: three servers as users start them are replaced in turn, and no request may fail for it. */
import type { SteadyReport } from './steady-requests.ts';
import { startFleet } from './fleet.ts';
import { whileAsking } from './steady-requests.ts';

export interface RollingOptions {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly perSecond: number;
  /** How often each server is replaced. */
  readonly rounds: number;
  say?(line: string): void;
}

export interface RollingReport extends SteadyReport {
  readonly restarts: number;
  /** The longest time from the signal to the end of a server. */
  readonly longestStopMs: number;
}

const REPLICAS = 3;

/** Replaces each of them so many times under a steady stream of requests. */
export async function rollingRestart(options: RollingOptions): Promise<RollingReport> {
  const { perSecond, rounds, say = () => undefined } = options;
  await using fleet = await startFleet({ ...options, replicas: REPLICAS });
  let restarts = 0;
  let longestStopMs = 0;
  const report = await whileAsking({ url: fleet.balancer.url, key: fleet.key }, perSecond, async () => {
    for (let round = 1; round <= rounds; round += 1) {
      for (let index = 0; index < REPLICAS; index += 1) {
        const toldMs = performance.now();
        await fleet.stop(index);
        const stopMs = performance.now() - toldMs;
        longestStopMs = Math.max(longestStopMs, stopMs);
        await fleet.start(index);
        restarts += 1;
        say(`round ${round}: server ${index} took ${Math.round(stopMs)} ms to stop`);
      }
    }
  });
  return { ...report, restarts, longestStopMs: Math.round(longestStopMs) };
}
