/** Owns reading an answer's body: silence, decompression, growth and size are all bounded here. */
import { Readable, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EgressError, invalid, toEgressFailure, tooLarge } from './errors.ts';
import type { Timer } from './timer.ts';

/** Small texts may compress very well and harm nobody. */
export const RATIO_FLOOR_BYTES = 64 * 1024;

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** Reads the transfer as it comes; with `idleMs` every wait for more has that limit. */
export async function* readRaw(
  source: AsyncIterable<Uint8Array>,
  timer: Timer,
  idleMs?: number,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) {
      // a slow reader is not a silent server
      if (idleMs !== undefined) timer.stop();
      yield chunk;
      if (idleMs !== undefined) timer.restart(idleMs);
    }
  } catch (error) {
    throw toEgressFailure(error, timer.signal);
  } finally {
    timer.stop();
  }
}

/** Undoes one content coding, and stops a body that grows out of proportion. */
export function decode(
  raw: AsyncIterable<Uint8Array>,
  coding: string | null,
  maxRatio: number,
): AsyncIterable<Uint8Array> {
  const decoder = decoderFor(coding ?? '');
  return decoder === undefined ? raw : inflate(raw, decoder, maxRatio);
}

/** What undoes one content coding; undefined for none. */
export function decoderFor(coding: string): ReturnType<typeof createGunzip> | undefined {
  const name = coding.trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  const createDecoder = DECODERS.get(name);
  if (createDecoder === undefined) {
    throw invalid('The server used a content encoding that is not supported. Ask for gzip, br or none.');
  }
  return createDecoder();
}

async function* inflate(
  raw: AsyncIterable<Uint8Array>,
  decoder: ReturnType<typeof createGunzip>,
  maxRatio: number,
): AsyncGenerator<Uint8Array> {
  let inBytes = 0;
  let outBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of raw) {
      inBytes += chunk.byteLength;
      yield chunk;
    }
  }
  // errors of the pipeline reach the loop below through the decoder
  pipeline(Readable.from(counted()), decoder, () => undefined);
  try {
    for await (const chunk of decoder as AsyncIterable<Uint8Array> /* a decoder without encoding yields buffers */) {
      outBytes += chunk.byteLength;
      if (outBytes > RATIO_FLOOR_BYTES && outBytes > inBytes * maxRatio) throw tooLarge('body');
      yield chunk;
    }
  } catch (error) {
    if (inBytes === 0 && isDecoderError(error)) return;
    throw isDecoderError(error)
      ? invalid('The compressed answer of the server is damaged. Try again or ask for no compression.')
      : error;
  }
}

function isDecoderError(error: unknown): boolean {
  return error instanceof Error && !(error instanceof EgressError) && 'errno' in error;
}

/** Collects a body up to a size. */
export async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge('body');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}
