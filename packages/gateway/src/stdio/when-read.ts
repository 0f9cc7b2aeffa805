/** Waiting for a client that reads more slowly than it is written to. */
import type { Writable } from 'node:stream';

/** Resolves when the output takes more; at once when it does, and also when nobody reads it any more. */
export function whenRead(output: Writable): Promise<void> {
  if (!output.writableNeedDrain || output.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      output.off('drain', done).off('close', done);
      resolve();
    };
    output.on('drain', done).on('close', done);
  });
}
