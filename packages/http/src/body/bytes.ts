/** The bytes of a body: counted and timed while they arrive, whoever reads them. */
import type { IncomingMessage } from 'node:http';
import { RPC } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';
import type { InboundLimits } from './limits.ts';

/** How much a body may have, and how long it may take. */
export type BodyLimits = Pick<InboundLimits, 'bodyBytes' | 'bodyTimeoutMs'>;

// What is left of a refused body is not read, so the connection cannot be used again.
const headers = { connection: 'close' };

/** Reads a body to its end; every way it can fail is a refusal, a client that leaves too. */
export function readBytes(
  req: IncomingMessage,
  limits: BodyLimits,
  tooLarge = `The body is larger than ${limits.bodyBytes} bytes.`,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    let isSettled = false;
    const refuse = (status: number, message: string, rpc?: number) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      req.pause();
      reject(new HttpRefusal(status, message, { headers, ...(rpc !== undefined && { rpc }) }));
    };
    const timer = setTimeout(() => refuse(408, 'The body did not arrive in time.'), limits.bodyTimeoutMs);
    const lost = () => refuse(400, 'Parse error: the request body could not be read', RPC.parseError);
    if (isEncoded(req)) {
      refuse(415, 'Unsupported Media Type: the body must not be compressed');
    } else if (Number(req.headers['content-length'] ?? 0) > limits.bodyBytes) {
      refuse(413, tooLarge);
    } else if (req.destroyed && !req.readableEnded) {
      lost();
    } else {
      req.on('data', (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes > limits.bodyBytes) refuse(413, tooLarge);
        else chunks.push(chunk);
      });
      // A stream ends and closes once, so nothing has to be taken off again.
      req.on('end', () => {
        isSettled = true;
        clearTimeout(timer);
        resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks));
      });
      req.on('close', lost);
    }
    req.on('error', lost);
  });
}

/** True for a transfer coding besides chunks: Node takes such a body as it is, and so would its reader. */
function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  return encoding !== undefined && encoding.toLowerCase() !== 'chunked';
}
