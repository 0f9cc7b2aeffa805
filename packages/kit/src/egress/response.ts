/** Owns the shape of an answer, collected or streamed. */
import { invalid } from './errors.ts';
import { collect } from './body.ts';

/** The answer to an outbound request. */
export interface EgressResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** The body, decompressed; a streamed body can be read once. */
  readonly body: AsyncIterable<Uint8Array>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
  /** Ends a stream that will not be read; a collected answer needs no such call. */
  cancel(): void;
}

/** What stands before the body. */
export type ResponseHead = Pick<EgressResponse, 'status' | 'headers' | 'url'>;

/** An answer whose body is already here. */
export function collectedResponse(head: ResponseHead, bytes: Uint8Array): EgressResponse {
  return withReaders(head, {
    body: { [Symbol.asyncIterator]: () => oneChunk(bytes) },
    bytes: async () => bytes,
    cancel: () => undefined,
  });
}

/** An answer whose body is still arriving. */
export function streamedResponse(
  head: ResponseHead,
  stream: AsyncIterable<Uint8Array>,
  options: { maxBytes: number; cancel: () => void },
): EgressResponse {
  let isTaken = false;
  const body: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => {
      if (isTaken) throw invalid('The body was already read. Keep what the first read gave.');
      isTaken = true;
      return cancelAfter(stream, options.cancel);
    },
  };
  return withReaders(head, {
    body,
    bytes: () => collect(body, options.maxBytes),
    cancel: options.cancel,
  });
}

function withReaders(
  head: ResponseHead,
  content: Pick<EgressResponse, 'body' | 'bytes' | 'cancel'>,
): EgressResponse {
  const text = async (): Promise<string> => new TextDecoder().decode(await content.bytes());
  return { ...head, ...content, text, json: async () => parseJson(await text()) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The server did not answer with valid JSON. Check that the address is the right one.');
  }
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}

async function* cancelAfter(
  stream: AsyncIterable<Uint8Array>,
  cancel: () => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } finally {
    // a reader that leaves early frees the connection at once
    cancel();
  }
}
