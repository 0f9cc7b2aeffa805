/** A note in shared memory on the file that is being parsed: it can be read when the thread that wrote it hangs. */
import type { GivenUpFile } from './messages.ts';

const NUMBERS = 3;
const LONGEST_PATH = 4096;

export function newParsingNote(): SharedArrayBuffer {
  return new SharedArrayBuffer(NUMBERS * Float64Array.BYTES_PER_ELEMENT + LONGEST_PATH);
}

export class ParsingNote {
  // Since when, the time of the file, the length of its path.
  readonly #numbers: Float64Array;
  readonly #path: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.#numbers = new Float64Array(shared, 0, NUMBERS);
    this.#path = new Uint8Array(shared, this.#numbers.byteLength);
  }

  begin({ path, mtimeMs }: GivenUpFile, now: number): void {
    const bytes = Buffer.from(path).subarray(0, LONGEST_PATH);
    this.#path.set(bytes);
    this.#numbers.set([now, mtimeMs, bytes.length]);
  }

  end(): void {
    this.#numbers[0] = 0;
  }

  /** The file that has been parsed for longer than this. */
  lateSince(before: number): GivenUpFile | undefined {
    const [since = 0, mtimeMs = 0, length = 0] = this.#numbers;
    if (since === 0 || since > before) return undefined;
    // Copied, because text is not decoded from shared memory.
    return { path: Buffer.from(this.#path.slice(0, length)).toString(), mtimeMs };
  }
}
