/** Owns clocks that tests set for whole processes: by libfaketime where it is installed, else by a module that they load first. */
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A clock that several processes may share. */
export interface TestClock {
  /** What a process is started with to have this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets it so far from that of the machine, within `HEARD_MS` also for those that run. */
  set(shiftMs: number): void;
}

/** Every process has heard of a new time by then. */
export const HEARD_MS = 1_500;

/** Where Debian, Fedora, Alpine and Homebrew put it. */
const PLACES = ['/usr/lib/*/faketime/libfaketimeMT.so.1', '/usr/lib*/faketime/libfaketimeMT.so.1'];

/** What is said where the module stands in. */
export const NO_LIBFAKETIME =
  'libfaketime is not installed (apt-get install faketime); the clock is set inside of Node instead.';

/** The library, if there is one. */
export function libfaketime(): string | undefined {
  return PLACES.flatMap((place) => globSync(place)).find((path) => existsSync(path));
}

/** Makes a clock that keeps its time in a file. */
export function createClock(file: string, library = libfaketime()): TestClock {
  const isNative = library !== undefined;
  const set = (shiftMs: number) =>
    // The library reads seconds with a sign.
    writeFileSync(
      file,
      isNative ? `${shiftMs < 0 ? '-' : '+'}${Math.abs(shiftMs) / 1000}s\n` : `${shiftMs}\n`,
    );
  set(0);
  const env = isNative
    ? {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: file,
        // In seconds; to read the file at every look at the clock would be all that the process does.
        FAKETIME_CACHE_DURATION: '1',
        // Setting the time moves only the wall clock; timers and deadlines go on.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      }
    : {
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'shifted-clock.ts')}`,
        SHIFTED_CLOCK: file,
      };
  return { env, set };
}
