/**
 * Writes the answers of one turn of the event loop together. Each write may wake the client, and waking it once per
 * answer costs about as much as making the answer; done back to back, one wake serves them all.
 */
import type { ServerResponse } from 'node:http';

/**
 * A finished answer. Text leaves together with the headers in one write; bytes, and a tail behind them, are for a large
 * part that many answers share, which is never copied.
 */
export interface Answer {
  readonly status: number;
  /** Absent: those of JSON. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly tail?: string;
}

interface Waiting {
  readonly res: ServerResponse;
  readonly answer: Answer;
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** Collects answers until the end of the turn. */
export class AnswerBatch {
  #waiting: Waiting[] = [];

  add(res: ServerResponse, answer: Answer): void {
    if (this.#waiting.length === 0) setImmediate(() => this.#flush());
    this.#waiting.push({ res, answer });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { res, answer } of waiting) write(res, answer);
  }
}

function write(res: ServerResponse, { status, headers = JSON_HEADERS, body, tail }: Answer): void {
  if (res.destroyed || res.headersSent) return;
  const length = Buffer.byteLength(body) + (tail === undefined ? 0 : Buffer.byteLength(tail));
  res.writeHead(status, { ...headers, 'content-length': length });
  if (tail === undefined) {
    // As many bytes as characters means plain ASCII, which goes out without being encoded.
    if (typeof body === 'string' && length === body.length) res.end(body, 'latin1');
    else res.end(body);
    return;
  }
  res.write(body);
  res.end(tail);
}
