/** A receiver of webhooks whose every answer a test decides, and the check of a signature by the standard's own text. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { serveForTest } from '@parley/test-support/scripted-server';
import type { SeenRequest } from '@parley/test-support/scripted-server';
import type { CloudEvent } from '../src/cloud-event.ts';

/** One request as it arrived. */
export interface Received extends SeenRequest {
  readonly event: CloudEvent;
}

/** Decides one answer; a number is a status without a body. */
export type Script = (request: Received, response: ServerResponse) => number | void;

/** A running receiver. */
export interface Receiver {
  readonly url: string;
  readonly host: string;
  /** Everything that arrived, in order. */
  readonly seen: Received[];
  /** What was answered with 200. */
  readonly taken: Received[];
  /** The most requests that were under way at once. */
  readonly mostAtOnce: () => number;
  script: Script;
}

/** Starts a receiver that takes everything until its script is changed. */
export async function startReceiver(): Promise<Receiver> {
  let underWay = 0;
  let mostAtOnce = 0;
  const { host } = await serveForTest((given, response) => {
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    response.on('close', () => (underWay -= 1));
    const request = { ...given, event: JSON.parse(given.body) as CloudEvent }; // the tests check what is in it
    receiver.seen.push(request);
    const status = receiver.script(request, response);
    if (status === 200) receiver.taken.push(request);
    if (typeof status === 'number') response.writeHead(status).end();
  });
  const receiver: Receiver = {
    url: `http://${host}/hook`,
    host,
    seen: [],
    taken: [],
    mostAtOnce: () => mostAtOnce,
    script: () => 200,
  };
  return receiver;
}

/**
 * True when one of the signatures is by the secret. From the text of Standard Webhooks: the content is
 * `msg_id.timestamp.payload`, signed with HMAC-SHA256 under the base64 part of the secret; the header is a list,
 * separated by spaces, of `version,signature` in base64.
 */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const content = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(content).digest();
  return String(headers['webhook-signature'])
    .split(' ')
    .map((signature) => signature.split(','))
    .filter(([version]) => version === 'v1')
    .map(([, value = '']) => Buffer.from(value, 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
