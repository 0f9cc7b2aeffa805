/** Lines of a byte stream, within a size. */
import type { Readable } from 'node:stream';

/** A line that was too long to keep. */
export const TOO_LONG = Symbol('too long');

/** Yields each line; one that is too long is named instead of being kept in memory. */
export async function* linesOf(input: Readable, maxBytes: number): AsyncGenerator<string | typeof TOO_LONG> {
  let parts: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of untilClosed(input)) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      sizeBytes += end - from;
      from = end + 1;
      const line = sizeBytes > maxBytes ? TOO_LONG : Buffer.concat(parts).toString('utf8').trim();
      [parts, sizeBytes] = [[], 0];
      if (line !== '') yield line;
    }
    sizeBytes += chunk.length - from;
    if (sizeBytes <= maxBytes) parts.push(chunk.subarray(from));
    else parts = [];
  }
}

/** The chunks of a stream; a stream that was closed from this side simply ends. */
async function* untilClosed(input: Readable): AsyncGenerator<Buffer> {
  try {
    // Standard input without an encoding gives buffers.
    yield* input as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  }
}
