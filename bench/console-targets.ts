/** Owns the targets of the console: what P19 promises, and whether the figures keep it. */
import type { ConsoleFigures } from './console.ts';
import { ruled } from './verdict.ts';
import type { Verdict } from './verdict.ts';

const ID = 'P19';
const ROWS = 100_000;
const LIVE_PER_SECOND = 1000;
// The server joins changes that come together: fewer messages than changes are no fault, none would be.
const LEAST_MESSAGES = 10;
// Each second has a frame or two that a busy machine gives to somebody else.
const FRAMES_PER_SECOND = 58;

/** Judges each promise of the console by itself. */
export function judgeConsole(figures: ConsoleFigures | undefined): Verdict[] {
  const under = { id: ID, better: 'under', unit: ' ms' } as const;
  const routes = Object.entries(figures?.routes ?? {});
  const slowest = routes.toSorted(([, left], [, right]) => right.p50Ms - left.p50Ms).at(0);
  const { scrolled, live, shown, interactive } = figures ?? {};
  return [
    ruled(
      { ...under, what: 'console interactive, empty cache, warm server', limit: 1000 },
      interactive?.p50Ms,
      interactive && { text: `slowest ${interactive.p99Ms} ms`, isBroken: false },
    ),
    ruled(
      { ...under, what: 'route change, slowest screen', limit: 100 },
      slowest?.[1].p50Ms,
      slowest && {
        text: routes.map(([path, { p50Ms }]) => `${path} ${p50Ms} ms`).join(', '),
        isBroken: false,
      },
    ),
    ruled(
      {
        id: ID,
        what: '100,000 rows scroll, frames',
        limit: FRAMES_PER_SECOND,
        better: 'higher',
        unit: ' per s',
      },
      scrolled && scrolled.frames / scrolled.seconds,
      scrolled && {
        text: `${scrolled.rows} rows, slowest frame ${scrolled.slowestMs.toFixed(1)} ms`,
        isBroken: scrolled.rows < ROWS,
      },
    ),
    ruled(
      { ...under, what: 'longest task at 1,000 live changes per second', limit: 100 },
      live?.longestMs,
      live && {
        text: `${live.told} changes in ${live.seconds} s, ${live.messages} messages; a task under 50 ms counts as 0`,
        isBroken:
          live.told < LIVE_PER_SECOND * live.seconds * 0.95 || live.messages < LEAST_MESSAGES * live.seconds,
      },
    ),
    ruled(
      { ...under, what: 'a change of one person at another', limit: 1000 },
      shown?.p50Ms,
      shown && { text: `slowest ${shown.p99Ms} ms`, isBroken: false },
    ),
  ];
}
