/** Whether this process may act by itself: what a hold keeps back begins when it is lifted, by whichever process. */
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Held } from './held-row.ts';
import { HOLD_CHANGED, liftHold, readHold } from './held-row.ts';

/** The hold of the database, as this process last saw it. */
export interface Hold {
  /** Undefined once nothing is held, which stays so while the process lives. */
  held(): Held | undefined;
  /** Begins what the server does without being asked: now, or in the background as soon as nothing is held. */
  whenFree(begin: () => void | Promise<void>): Promise<void>;
  /** Lets this and every other process act. */
  resume(): Promise<void>;
  /** What has not begun by now never does. */
  close(): void;
}

export interface HoldOptions {
  readonly onFault: (error: unknown, where: string) => void;
  /** How often a held process looks, beside the signal; for tests. */
  readonly lookEveryMs?: number;
}

// The signal of a process that was killed at the wrong moment is lost.
const LOOK_EVERY_MS = 2_000;

/** Reads the hold, and watches it while there is one. */
export async function openHold(
  store: Store,
  { onFault, lookEveryMs = LOOK_EVERY_MS }: HoldOptions,
): Promise<Hold> {
  let held = await readHold(store);
  let waiting: (() => void | Promise<void>)[] = [];
  let stopWatching = (): void => undefined;

  function free(): void {
    held = undefined;
    stopWatching();
    const begun = waiting;
    waiting = [];
    for (const begin of begun)
      detach(
        async () => begin(),
        (error) => onFault(error, 'resume'),
      );
  }
  async function look(): Promise<void> {
    if (held !== undefined && (await readHold(store)) === undefined) free();
  }

  if (held !== undefined) {
    const soon = () => detach(look(), (error) => onFault(error, 'hold'));
    const unsubscribe = store.signal.subscribe(HOLD_CHANGED, soon);
    const timer = setInterval(soon, lookEveryMs).unref();
    stopWatching = () => {
      unsubscribe();
      clearInterval(timer);
    };
  }
  return {
    held: () => held,
    async whenFree(begin) {
      if (held === undefined) await begin();
      else waiting.push(begin);
    },
    async resume() {
      await liftHold(store);
      if (held !== undefined) free();
    },
    close() {
      stopWatching();
      waiting = [];
    },
  };
}
