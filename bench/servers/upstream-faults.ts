/** Owns what a broken upstream of the bench answers to calls, in place of an answer. */
import type { ServerResponse } from 'node:http';

/** Breaks one answer; `body` is what would have been answered. */
type Fault = (res: ServerResponse, body: string) => void;

const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE = Buffer.alloc(1024 * 1024, 120);
const LARGE_CHUNKS = 50;
const DRIP_MS = 1000;

export const FAULTS = {
  // accepted and never answered, as a server does whose work never ends
  hang: () => undefined,
  drip(res, body) {
    res.writeHead(200, { ...JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    let sent = 0;
    const timer = setInterval(() => res.write(body.charAt(sent++)), DRIP_MS);
    res.once('close', () => clearInterval(timer));
  },
  drop(res) {
    const progress = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', data: 'so far' },
    };
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(`event: message\ndata: ${JSON.stringify(progress)}\n\n`, () => res.destroy());
  },
  'wrong-id': (res, body) => {
    res.writeHead(200, JSON_TYPE).end(body.replace(/"id":[^,]+,/, '"id":"of-somebody-else",'));
  },
  large(res) {
    res.writeHead(200, { ...JSON_TYPE, 'content-length': LARGE.length * LARGE_CHUNKS });
    let left = LARGE_CHUNKS;
    const more = () => {
      while (left > 0 && !res.destroyed) {
        left -= 1;
        if (!res.write(LARGE)) return;
      }
      res.end();
    };
    res.on('drain', more);
    more();
  },
  busy: (res) => {
    res.writeHead(429, { 'retry-after': '1' }).end();
  },
} satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

/** The fault of a name; undefined: there is none of it. */
export function faultOf(name: string): Fault | undefined {
  return Object.entries<Fault>(FAULTS).find(([known]) => known === name)?.[1];
}
