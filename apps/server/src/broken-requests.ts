/** Requests that no surface sees: bytes that Node cannot read, requests that do not come to their end, expectations that nobody meets. */
import { STATUS_CODES } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refusalJson } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import { HttpRefusal } from '@parley/http';
import type { Pipelines } from './pipelines.ts';
import { refuseRaw } from './upgrades.ts';

/** What Node says about bytes that are no request. */
type BrokenRequest = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

const BROKEN: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What a refusal is written by. */
export interface BrokenRequestOptions {
  routesFor(url: string): RouteSet | undefined;
  readonly pipelines: Pick<Pipelines, 'isFree' | 'arrivingUrl'>;
  /** Told of each that is answered. */
  onRefused(status: number): void;
}

/** Creates the one listener for them: it answers in the form of the surface that was meant, as far as that is known. */
export function createBrokenRequests({ routesFor, pipelines, onRefused }: BrokenRequestOptions) {
  return (error: BrokenRequest, socket: Socket): void => {
    if (!socket.writable || !pipelines.isFree(socket)) {
      socket.destroy();
      return;
    }
    const status = BROKEN[error.code ?? ''] ?? 400;
    onRefused(status);
    const refusal = new HttpRefusal(status, STATUS_CODES[status] ?? '', { rpc: -32600 });
    refuseRaw(socket, refusal, routesFor(pipelines.arrivingUrl(socket) ?? urlIn(error.rawPacket)));
  };
}

const LONGEST_LINE_BYTES = 8 * 1024;

/** The URL of the request line that a packet begins with, as far as there is one. */
function urlIn(packet: Buffer | undefined): string {
  const text = packet?.toString('latin1', 0, LONGEST_LINE_BYTES) ?? '';
  return text.split('\r\n', 1)[0]?.split(' ', 2)[1] ?? '';
}

/** True for a request that expects something besides `100-continue`, which Node answers by itself. */
export function hasOddExpectation({ headers, httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 1 && !/(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');
}

/** Answers 417 in the form of the routes it was meant for. */
export function refuseExpectation(res: ServerResponse, routes: RouteSet | undefined): void {
  const refusal = new HttpRefusal(417, 'Expect: only 100-continue is understood.', { rpc: -32600 });
  const { type, body } = routes?.refusal?.(refusal.status, refusal.message) ?? {
    type: 'application/json',
    body: refusalJson(refusal),
  };
  const length = Buffer.byteLength(body);
  // A body that waits for an answer is not read.
  const headers = { 'content-type': type, 'content-length': length, connection: 'close' };
  res.writeHead(refusal.status, headers).end(body);
}
