/** Lines of the output of a program, each within its size; with the first that is longer the reading ends. */

/** Who is told of lines. */
export interface LineListener {
  onLine(text: string, sizeBytes: number): void;
  /** Told once, as soon as a line is too long; nothing is told after it. */
  onTooLong(): void;
}

const NEWLINE = 10;

export class LineReader {
  readonly #mostBytes: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #sizeBytes = 0;
  #isOver = false;

  constructor(mostBytes: number, listener: LineListener) {
    this.#mostBytes = mostBytes;
    this.#listener = listener;
  }

  take(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      if (this.#isOver) return;
      from = end + 1;
      this.#finish();
    }
    if (from < chunk.length) this.#add(chunk.subarray(from));
  }

  #add(part: Buffer): void {
    if (this.#isOver) return;
    this.#parts.push(part);
    this.#sizeBytes += part.length;
    if (this.#sizeBytes <= this.#mostBytes) return;
    this.#isOver = true;
    this.#parts = [];
    this.#listener.onTooLong();
  }

  #finish(): void {
    const { [0]: first, length } = this.#parts;
    const bytes = length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    const sizeBytes = this.#sizeBytes;
    this.#parts = [];
    this.#sizeBytes = 0;
    if (sizeBytes > 0) this.#listener.onLine(bytes.toString('utf8'), sizeBytes);
  }
}
