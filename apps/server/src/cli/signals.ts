/** Ctrl-C and SIGTERM: the first asks to stop, the second does not wait. */
import { isUnderNpm } from '../config.ts';

// Ctrl-C reaches every process of a terminal, and each launcher above this one hands the same Ctrl-C on.
const ECHO_MS = 1000;
const WATCH_PARENT_MS = 250;

/** Resolves with the first signal; the second ends the process with 1. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    onSignal(resolve);
  });
}

/** Calls `stop` with the first signal; the second ends the process with 1. */
export function onSignal(stop: () => void): void {
  // The bundled Node has a channel to the launcher that started it.
  const echoMs = isUnderNpm() || process.connected ? ECHO_MS : 0;
  let stoppingSinceMs: number | undefined;
  let isStopping = false;
  const stopOnce = () => {
    if (!isStopping) stop();
    isStopping = true;
  };
  const heard = () => {
    // As safe as a crash, which the store survives.
    if (stoppingSinceMs !== undefined && performance.now() - stoppingSinceMs >= echoMs) process.exit(1);
    stoppingSinceMs ??= performance.now();
    stopOnce();
  };
  process.on('SIGINT', heard);
  process.on('SIGTERM', heard);
  if (isUnderNpm()) onOrphaned(stopOnce);
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
