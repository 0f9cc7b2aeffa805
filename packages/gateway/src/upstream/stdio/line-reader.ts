/** Lines of the output of a program, each within its size; of a longer one only the two ends are kept. */

/** Who is told of lines. */
export interface LineListener {
  onLine(text: string, sizeBytes: number): void;
  /** Of a line that was too long to keep: the ends, where its id may stand. */
  onLongLine(head: string, tail: string): void;
}

const END_BYTES = 256;
const NEWLINE = 10;

export class LineReader {
  readonly #mostBytes: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #sizeBytes = 0;
  /** The ends of a line that is too long already. */
  #ends: { readonly head: string; tail: Buffer } | undefined;

  constructor(mostBytes: number, listener: LineListener) {
    this.#mostBytes = mostBytes;
    this.#listener = listener;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      from = end + 1;
      this.#finish();
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    if (this.#ends !== undefined) {
      this.#ends.tail = endOf(Buffer.concat([this.#ends.tail, endOf(part)]));
      return;
    }
    this.#parts.push(part);
    this.#sizeBytes += part.length;
    if (this.#sizeBytes <= this.#mostBytes) return;
    const whole = Buffer.concat(this.#parts);
    // Copies: a view would keep all of it in memory.
    const head = whole.subarray(0, END_BYTES).toString('utf8');
    this.#ends = { head, tail: Buffer.from(endOf(whole)) };
    this.#parts = [];
  }

  #finish(): void {
    const { [0]: first, length } = this.#parts;
    const bytes = length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    const ends = this.#ends;
    const sizeBytes = this.#sizeBytes;
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#ends = undefined;
    if (ends !== undefined) this.#listener.onLongLine(ends.head, ends.tail.toString('utf8'));
    else if (sizeBytes > 0) this.#listener.onLine(bytes.toString('utf8'), sizeBytes);
  }
}

function endOf(bytes: Buffer): Buffer {
  return bytes.subarray(-END_BYTES);
}
