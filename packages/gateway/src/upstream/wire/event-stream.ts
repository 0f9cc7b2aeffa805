/** Events of a `text/event-stream`, read as the bytes come, each within a size. */
import { StringDecoder } from 'node:string_decoder';
import { tooLarge } from './faults.ts';

const LINE_END = /\r\n|\n|\r/g;

/** Tells each event; one without data only moves `lastId`. */
export class EventParser {
  /** The id that was seen last, to go on after. */
  lastId: string | undefined;
  /** How long the server wants a client to wait before it comes back. */
  retryMs: number | undefined;
  readonly #decoder = new StringDecoder('utf8');
  readonly #maxBytes: number;
  readonly #onEvent: (data: string, type: string) => void;
  /** The line that has not ended yet, in pieces. */
  #line: string[] = [];
  #data: string[] = [];
  #type = '';
  #size = 0;
  #isFirst = true;
  #isAfterReturn = false;

  constructor(maxBytes: number, onEvent: (data: string, type: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onEvent = onEvent;
  }

  push(chunk: Uint8Array): void {
    // Both are views of the same bytes.
    let text = this.#decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (text === '') return;
    if (this.#isFirst && text.startsWith('\ufeff')) text = text.slice(1);
    this.#isFirst = false;
    if (this.#isAfterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#isAfterReturn = text.endsWith('\r');
    let from = 0;
    LINE_END.lastIndex = 0;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      this.#grow(text.slice(from, end.index));
      from = end.index + end[0].length;
      const line = this.#line.length === 1 ? (this.#line[0] ?? '') : this.#line.join('');
      this.#line = [];
      const next = LINE_END.lastIndex;
      this.#take(line);
      // A handler that reads another stream has used the expression meanwhile.
      LINE_END.lastIndex = next;
    }
    if (from < text.length) this.#grow(text.slice(from));
  }

  #grow(piece: string): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) throw tooLarge(this.#maxBytes);
    this.#line.push(piece);
  }

  #take(line: string): void {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    // A comment keeps the stream awake and says nothing.
    if (colon === 0) {
      if (this.#data.length === 0) this.#size = 0;
      return;
    }
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#type = value;
    else if (field === 'id' && value.length <= 1_024 && !value.includes('\0')) this.lastId = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  #dispatch(): void {
    const [data, type] = [this.#data, this.#type];
    this.#data = [];
    this.#type = '';
    this.#size = 0;
    if (data.length === 0) return;
    const text = data.length === 1 ? (data[0] ?? '') : data.join('\n');
    if (text === '') return;
    if (text.length * 3 > this.#maxBytes && Buffer.byteLength(text) > this.#maxBytes)
      throw tooLarge(this.#maxBytes);
    this.#onEvent(text, type);
  }
}
