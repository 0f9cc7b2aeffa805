/** Owns one request over a line from its first byte to its last: pushed, counted, timed, and ended once. */
import type { createGunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { decoderFor, RATIO_FLOOR_BYTES } from './body.ts';
import { invalid, timedOut, toEgressFailure, tooLarge } from './errors.ts';
import type { LineAnswer, LineHead, LineReader, LineRequest } from './line.ts';

// What a server still says after the answer is complete is let pass for a moment, so that its connection can be kept.
const AFTERWORD_MS = 1_000;
const AFTERWORD_BYTES = 64 * 1024;

/** Receives what the transport pushes, and settles `answer`. */
export class LineCall implements Dispatcher.DispatchHandler {
  readonly answer: Promise<LineAnswer>;
  readonly #request: LineRequest;
  readonly #maxRatio: number;
  readonly #settle: PromiseWithResolvers<LineAnswer>;
  readonly #startedMs = performance.now();
  #controller: Dispatcher.DispatchController | undefined;
  #head: LineHead | undefined;
  #reader: LineReader | undefined;
  #decoder: ReturnType<typeof createGunzip> | undefined;
  #chunks: Uint8Array[] = [];
  #sizeBytes = 0;
  #rawBytes = 0;
  #lastByteMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isSettled = false;

  constructor(request: LineRequest, maxRatio: number) {
    this.#request = request;
    this.#maxRatio = maxRatio;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
  }

  /** Hands itself to the transport. */
  start(dispatch: (handler: Dispatcher.DispatchHandler) => void): void {
    const { signal, limitMs } = this.#request;
    if (signal?.aborted === true) return this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (limitMs !== Infinity) this.#timer = setTimeout(this.#onTime, limitMs);
    try {
      dispatch(this);
    } catch (error) {
      this.#fail(toEgressFailure(error, undefined, false));
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Given up while it waited for a connection: nothing of it is written.
    if (this.#isSettled) controller.abort(invalid('The request was given up before it was sent.'));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: LineHead['headers'],
  ): void {
    if (status < 200 || this.#isSettled) return;
    const head = { status, headers };
    this.#head = head;
    this.#lastByteMs = performance.now();
    this.#watchSilence();
    try {
      this.#reader = this.#request.readerFor?.(head);
      if (this.#reader === undefined && Number(headers['content-length'] ?? 0) > this.#request.maxBytes)
        throw tooLarge('body');
      this.#decode(controller, headers['content-encoding']);
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#rawBytes += chunk.byteLength;
    if (this.#isSettled) {
      if (this.#rawBytes > AFTERWORD_BYTES) controller.abort(tooLarge('body'));
      return;
    }
    this.#lastByteMs = performance.now();
    if (this.#decoder === undefined) this.#take(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#isSettled) clearTimeout(this.#timer);
    else if (this.#decoder !== undefined) this.#decoder.end();
    else {
      this.#finish();
      clearTimeout(this.#timer);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (this.#isSettled) clearTimeout(this.#timer);
    else this.#fail(toEgressFailure(error, undefined, this.#controller !== undefined));
  }

  readonly #onAbort = (): void => this.#fail(this.#request.signal?.reason);

  readonly #onTime = (): void => {
    const leftMs = this.#leftMs();
    // A timer may come a fraction of a millisecond early.
    if (leftMs < 1) this.#fail(timedOut(this.#controller !== undefined));
    else this.#timer = setTimeout(this.#onTime, Math.ceil(leftMs));
  };

  /** What is left of both limits; the silence of a server counts once its answer has begun. */
  #leftMs(): number {
    const { limitMs, idleMs } = this.#request;
    const now = performance.now();
    const lastMs = Math.max(this.#lastByteMs, this.#reader?.heldUpUntilMs?.() ?? 0);
    const quietMs = this.#head === undefined ? Infinity : idleMs - (now - lastMs);
    return Math.min(quietMs, limitMs - (now - this.#startedMs));
  }

  /** One timer for both limits: it looks again when it went off too early. */
  #watchSilence(): void {
    clearTimeout(this.#timer);
    const leftMs = this.#leftMs();
    if (leftMs !== Infinity) this.#timer = setTimeout(this.#onTime, Math.max(1, Math.ceil(leftMs)));
  }

  #decode(controller: Dispatcher.DispatchController, coding: string | string[] | undefined): void {
    if (coding === undefined) return;
    const decoder = decoderFor(String(coding));
    if (decoder === undefined) return;
    this.#decoder = decoder;
    decoder.on('data', (chunk: Uint8Array) => this.#takeDecoded(chunk));
    decoder.on('drain', () => controller.resume());
    decoder.on('end', () => this.#finish());
    decoder.on('error', () => {
      // An answer without a body has nothing to decompress.
      if (this.#rawBytes === 0) this.#finish();
      else this.#fail(invalid('The compressed answer of the server is damaged. Try again later.'));
    });
  }

  #takeDecoded(chunk: Uint8Array): void {
    this.#sizeBytes += this.#reader === undefined ? 0 : chunk.byteLength;
    this.#take(chunk);
    if (this.#sizeBytes > RATIO_FLOOR_BYTES && this.#sizeBytes > this.#rawBytes * this.#maxRatio)
      this.#fail(tooLarge('body'));
  }

  #take(chunk: Uint8Array): void {
    if (this.#isSettled) return;
    try {
      if (this.#reader !== undefined) {
        if (this.#reader.read(chunk)) this.#finish();
        return;
      }
      this.#sizeBytes += chunk.byteLength;
      if (this.#sizeBytes > this.#request.maxBytes) throw tooLarge('body');
      this.#chunks.push(chunk);
    } catch (error) {
      this.#fail(error);
    }
  }

  #finish(): void {
    if (this.#isSettled || this.#head === undefined) return;
    this.#end();
    const { status, headers } = this.#head;
    this.#settle.resolve({ status, headers, text: this.#text() });
    if (this.#reader === undefined) return;
    this.#rawBytes = 0;
    this.#timer = setTimeout(() => this.#controller?.abort(timedOut()), AFTERWORD_MS).unref();
  }

  #text(): string {
    const [first, ...more] = this.#chunks;
    this.#chunks = [];
    if (first === undefined) return '';
    const bytes = more.length === 0 ? first : Buffer.concat([first, ...more]);
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.#settle.reject(error);
    this.#controller?.abort(invalid('The request was given up.'));
  }

  #end(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#decoder?.destroy();
  }
}
