/** The last resort: an error that nothing caught is reported, and the process goes on serving everybody else. */

/** Told of an error that nothing caught. */
export type Report = (error: unknown, where: string) => void;

/** Keeps the process alive from now on; only a command does this, never a library. */
export function keepServing(report: Report): void {
  // A log that nobody reads any more must not become the next uncaught error, for ever.
  process.stderr.on('error', () => undefined);
  const tell = (where: string) => (error: unknown) => {
    try {
      report(error, where);
    } catch {
      // There is nobody left to tell.
    }
  };
  process.on('uncaughtException', tell('uncaught exception'));
  process.on('unhandledRejection', tell('unhandled rejection'));
}
