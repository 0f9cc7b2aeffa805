/** Lines of JSON from a stream that nobody vouches for: each is bounded before it is looked at. */
import type { Readable } from 'node:stream';

/** Reads lines until the stream ends or one of them is no JSON, or too long; then `onFault` is told once. */
export function readLines(
  from: Readable,
  mostBytes: number,
  onLine: (value: unknown) => void,
  onFault: () => void,
): void {
  let parts: Buffer[] = [];
  let size = 0;
  const stop = () => {
    from.off('data', take);
    from.resume();
    parts = [];
    onFault();
  };
  const take = (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]);
      start = end + 1;
      parts = [];
      size = 0;
      const value = line.length > mostBytes ? undefined : parsed(line);
      if (value === undefined) return stop();
      onLine(value);
    }
    const rest = chunk.subarray(start);
    size += rest.length;
    if (size > mostBytes) return stop();
    parts.push(rest);
  };
  from.on('data', take);
  from.on('error', onFault);
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}
