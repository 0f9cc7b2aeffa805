/** Signals that wait to be told to other processes: each once, joined into messages that PostgreSQL carries. */
import type { SignalEvent } from '../signals/change-signal.ts';

/** PostgreSQL takes less than 8,000 bytes in one message. */
const MOST_BYTES = 7_999;
/** The brackets and the comma of one part. */
const PART_BYTES = 3;
/** More than this at once waits for the next turn. */
const MOST_MESSAGES = 16;
/** What waits while the link is down; beyond it others are told to read everything again. */
const MOST_WAITING = 10_000;
const MOST_WAITING_BYTES = 4 * 1024 ** 2;

const EVERYTHING: SignalEvent = { topic: '*', payload: null };

/** What waits in one process. */
export class SignalOutbox {
  readonly #origin: string;
  readonly #roomBytes: number;
  /** Topic and payload as they stand in a message, and their bytes. */
  readonly #waiting = new Map<string, number>();
  #waitingBytes = 0;

  constructor(origin: string) {
    this.#origin = JSON.stringify(origin);
    this.#roomBytes = MOST_BYTES - this.#wrap([]).length;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(events: readonly SignalEvent[]): void {
    for (const { topic, payload } of events) {
      const part = `${JSON.stringify(topic)},${JSON.stringify(payload)}`;
      // Whoever hears it once looks at all that was committed before.
      if (this.#waiting.has(part)) continue;
      const bytes = Buffer.byteLength(part);
      this.#waiting.set(part, bytes);
      this.#waitingBytes += bytes;
      const isTooMuch = this.#waiting.size > MOST_WAITING || this.#waitingBytes > MOST_WAITING_BYTES;
      if (isTooMuch || bytes + PART_BYTES > this.#roomBytes) return this.#giveUp();
    }
  }

  /** Takes out the messages of one turn, oldest first. */
  take(): string[] {
    const messages: string[] = [];
    let parts: string[] = [];
    let bytes = 0;
    for (const [part, partBytes] of this.#waiting) {
      if (bytes + partBytes + PART_BYTES > this.#roomBytes) {
        messages.push(this.#wrap(parts));
        if (messages.length === MOST_MESSAGES) return messages;
        parts = [];
        bytes = 0;
      }
      parts.push(part);
      bytes += partBytes + PART_BYTES;
      this.#waiting.delete(part);
      this.#waitingBytes -= partBytes;
    }
    if (parts.length > 0) messages.push(this.#wrap(parts));
    return messages;
  }

  /** The events of a message that another process sent; none for one of this process. */
  read(message: string): SignalEvent[] {
    const { origin, events } = read(message);
    return JSON.stringify(origin) === this.#origin ? [] : events;
  }

  /** What was taken and may not have arrived; hearing it twice does no harm. */
  putBack(messages: readonly string[]): void {
    this.add(messages.flatMap((message) => read(message).events));
  }

  /** One signal as ever; several so that a process of an older version, which knows no parts, reads everything again. */
  #wrap(parts: readonly string[]): string {
    if (parts.length === 1) return `[${this.#origin},${parts[0]}]`;
    return `[${this.#origin},"*",null,[${parts.map((part) => `[${part}]`).join()}]]`;
  }

  #giveUp(): void {
    this.#waiting.clear();
    this.#waitingBytes = 0;
    this.add([EVERYTHING]);
  }
}

type Part = [topic: string, payload: string | null];

function read(message: string): { origin: string; events: SignalEvent[] } {
  // Only an outbox, of this version or an older one, sends on the channel.
  const [origin, topic, payload, parts = [[topic, payload]]]: [string, ...Part, Part[]?] =
    JSON.parse(message);
  return { origin, events: parts.map(([each, its]) => ({ topic: each, payload: its })) };
}
