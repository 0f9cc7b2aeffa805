/** Ctrl-C and SIGTERM: the first asks to stop, the second does not wait. */
import { isUnderNpm } from '../config.ts';

// Ctrl-C reaches every process of a terminal, and npm hands the same Ctrl-C on.
const ECHO_MS = 1000;
const WATCH_PARENT_MS = 250;

/** Who told of a signal: the kernel, or the launcher that this process goes on for. */
type Teller = 'kernel' | 'launcher';

/** What a process that was asked to stop waits for before it ends. */
export interface Signals {
  /**
   * Waits for the Ctrl-C that npm hands on: one that arrives while the process ends, when nothing listens any more,
   * would make npm say that the server died of it.
   */
  readonly echoed: () => Promise<void>;
  /** Listens no more: what was to be stopped has ended. */
  readonly forget: () => void;
}

/** `asked` resolves with the first signal; the second ends the process with 1. */
export function untilSignal(): Signals & { readonly asked: Promise<void> } {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  return { ...onSignal(resolve), asked };
}

/**
 * Calls `stop` with the first signal; the second ends the process with 1. The launcher's word that it heard a signal
 * is counted apart: Ctrl-C reaches both, and how late the word comes says nothing.
 */
export function onSignal(stop: () => void): Signals {
  const echoMs = isUnderNpm() ? ECHO_MS : 0;
  const firstHeardMs: Partial<Record<Teller, number>> = {};
  let isStopping = false;
  const echo = Promise.withResolvers<void>();
  // npm's child gets the second Ctrl-C: the launcher, where there is one.
  const npmTells: Teller = process.connected ? 'launcher' : 'kernel';
  const stopOnce = () => {
    if (!isStopping) stop();
    isStopping = true;
  };
  const heard = (signal: NodeJS.Signals, from: unknown) => {
    const teller = from === 'launcher' ? from : 'kernel';
    const first = firstHeardMs[teller];
    // As safe as a crash, which the store survives.
    if (first !== undefined && performance.now() - first >= echoMs) process.exit(1);
    if (teller === npmTells && (first !== undefined || signal !== 'SIGINT')) echo.resolve();
    firstHeardMs[teller] ??= performance.now();
    stopOnce();
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
  if (isUnderNpm()) onOrphaned(stopOnce);
  return {
    forget() {
      process.off('SIGINT', heard);
      process.off('SIGTERM', heard);
    },
    async echoed() {
      const first = firstHeardMs[npmTells];
      if (first === undefined) return;
      const leftMs = Math.max(0, first + echoMs - performance.now());
      const patience = setTimeout(echo.resolve, leftMs);
      await echo.promise;
      clearTimeout(patience);
    },
  };
}

/** Calls when the shell between npm and this process is gone: it took the signal that npm sent, and died of it. */
function onOrphaned(stop: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    stop();
  }, WATCH_PARENT_MS).unref();
}

const LEFT_OVER_MS = 1000;

/** Ends the process although something is left that would keep it, such as the timer of a tool that ignored its signal. */
export function endSoon(): void {
  setInterval(() => {
    // Without a code it is the one that the command answered.
    if (process.stdout.writableLength === 0) process.exit();
  }, LEFT_OVER_MS).unref();
}
