/** Structured logs on stderr; secrets are cut out before anything is written. */
import { pino } from 'pino';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { printableLine } from './printable.ts';
import { redact } from './redaction/credentials.ts';

/** Creates the log. Standard output belongs to the protocol and to `--json`. */
export function createLog(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: serializeError },
    },
    { write: (line: string) => process.stderr.write(printableLine(redact(line))) },
  );
}

function serializeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {};
  const file = 'file' in error && typeof error.file === 'string' ? { file: error.file } : {};
  return { type: error.name, message: error.message, ...file, stack: error.stack, ...cause };
}
