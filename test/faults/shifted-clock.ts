/**
 * Loaded before a program, where libfaketime is not at hand: lets its wall clock run ahead of that of the machine, or
 * behind it, by the milliseconds that stand in a file. The monotonic clock stays, as it does when somebody sets the time.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 20;
const file = process.env['SHIFTED_CLOCK'] ?? '';
const RealDate = Date;
let shiftMs = 0;

function look(): void {
  const text = readFileSync(file, 'utf8').trim();
  if (text !== '') shiftMs = Number(text);
}

const now = (): number => RealDate.now() + shiftMs;

class ShiftedDate extends RealDate {
  constructor(...given: [] | [number | string | Date] | Parameters<typeof RealDate.UTC>) {
    if (given.length === 0) super(now());
    // The parts of a date are passed on as they came.
    else super(...(given as [number]));
  }

  static override now(): number {
    return now();
  }
}

look();
setInterval(look, LOOK_EVERY_MS).unref();
globalThis.Date = ShiftedDate as DateConstructor;
