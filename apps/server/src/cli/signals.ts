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
