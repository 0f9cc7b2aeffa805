/** Ctrl-C and SIGTERM: the first asks to stop, the second does not wait. */

/** Resolves with the first signal; the second ends the process with 1. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = () => {
      // As safe as a crash, which the store survives.
      if (isStopping) process.exit(1);
      isStopping = true;
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

const LEFT_OVER_MS = 1000;

/** Ends the process although something is left that would keep it, such as the timer of a tool that ignored its signal. */
export function endSoon(): void {
  setInterval(() => {
    // Without a code it is the one that the command answered.
    if (process.stdout.writableLength === 0) process.exit();
  }, LEFT_OVER_MS).unref();
}
