/** Time across processes whose wall clocks differ, and across starts after a clock was set back. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../../test/child-program.ts';
import { onBothEngines } from '../testing/index.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const program = join(import.meta.dirname, '../../test/clock-program.ts');

onBothEngines('the clock of a store', (_open, engine, where) => {
  /** How far the time of a fresh process is ahead of the right one, and what it had to say. */
  const ask = async (wrongByMs: number): Promise<{ aheadMs: number; errors: string[] }> => {
    const child = startProgram(program, { ...(await where()), wrongByMs });
    const line = await child.lines.next();
    expect(await child.exit).toBe(0);
    return JSON.parse(String(line.value)) as { aheadMs: number; errors: string[] };
  };
  // A process needs a moment to start and to tell.
  const about = (ms: number) => expect.closeTo(ms / 60_000, 0) as number;
  const minutes = ({ aheadMs }: { aheadMs: number }) => aheadMs / 60_000;

  test('a process that starts after the clock was set back goes on where time had come to', async () => {
    expect(minutes(await ask(HOUR))).toEqual(about(engine === 'sqlite' ? HOUR : 0));
    const after = await ask(0);
    expect(minutes(after)).toEqual(about(engine === 'sqlite' ? HOUR : 0));
    expect(after.errors).toEqual([]);
  });

  test('a clock that was days ahead was wrong: what it left does not count, and that is said', async () => {
    const ahead = await ask(3 * DAY);
    const after = await ask(0);
    expect(minutes(after)).toEqual(about(0));
    expect([ahead.errors, after.errors]).toEqual(
      engine === 'sqlite' ? [[], [expect.stringContaining('72 hours behind')]] : [[], []],
    );
    // Said once: the mark is where time is now.
    expect((await ask(0)).errors).toEqual([]);
  });

  test('a process whose clock is ahead tells the time of the others, where the database has one', async () => {
    expect(minutes(await ask(0))).toEqual(about(0));
    expect(minutes(await ask(25 * 60_000))).toEqual(about(engine === 'sqlite' ? 25 * 60_000 : 0));
    expect(minutes(await ask(-25 * 60_000))).toEqual(about(engine === 'sqlite' ? 25 * 60_000 : 0));
  });
});
