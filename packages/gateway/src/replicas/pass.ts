/** Passes: what one replica signs so that another takes a request from it, once, within moments, and no other request. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';

/** Never trusted without its signature; a request that has it is not passed on again. */
export const PASS_HEADER = 'x-parley-replica';

export const PASS_LIFE_MS = 30_000;
const LONGEST_PASS = 8_000;
const NONCE_BYTES = 16;

/** The request that a pass is for. */
export interface PassedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** What a pass says besides. */
export interface Claims {
  readonly from: string;
  readonly to: string;
  /** Whose request it is. */
  readonly callerId: string;
  /** Of the body; that of nothing where there is none. */
  readonly digest: string;
}

const payloadShape = z.object({
  from: z.string().max(64),
  to: z.string().max(64),
  callerId: z.string().max(200),
  digest: z.string().max(64),
  atMs: z.number(),
  nonce: z.string().max(64),
  /** The headers that are the client's; what the network adds on the way is not looked at. */
  headers: z.array(z.string().max(1000)).max(200),
});

export function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url');
}

/** Makes and checks passes with keys that all replicas have, the newest first. */
export class Passes {
  readonly #keys: readonly [Buffer, ...Buffer[]];
  readonly #now: () => number;
  /** Passes that were used, oldest first. Only replicas can make one, so nobody else fills this. */
  readonly #used = new Map<string, number>();

  constructor(keys: readonly Buffer[], now: () => number = Date.now) {
    const [newest, ...older] = keys;
    if (newest === undefined) throw new Error('Passes need a key.');
    this.#keys = [newest, ...older];
    this.#now = now;
  }

  make(request: PassedRequest, claims: Claims): string {
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const headers = Object.keys(request.headers);
    const payload = encoded({ ...claims, atMs: this.#now(), nonce, headers });
    return `${payload}.${macOf(this.#keys[0], payload, request, headers).toString('base64url')}`;
  }

  /** What the pass of a request to this replica says; undefined: it is not good, for whatever reason. */
  check(request: PassedRequest, to: string): Claims | undefined {
    const pass = request.headers[PASS_HEADER];
    if (typeof pass !== 'string' || pass.length > LONGEST_PASS) return undefined;
    const at = pass.indexOf('.');
    const payload = pass.slice(0, at);
    const said = decoded(payload);
    if (said === undefined || said.to !== to) return undefined;
    const mac = Buffer.from(pass.slice(at + 1), 'base64url');
    const isSigned = this.#keys.some((key) => {
      const expected = macOf(key, payload, request, said.headers);
      return mac.length === expected.length && timingSafeEqual(mac, expected);
    });
    if (!isSigned || Math.abs(this.#now() - said.atMs) > PASS_LIFE_MS || !this.#useOnce(said.nonce))
      return undefined;
    return said;
  }

  #useOnce(nonce: string): boolean {
    const now = this.#now();
    for (const [used, untilMs] of this.#used) {
      if (untilMs > now) break;
      this.#used.delete(used);
    }
    if (this.#used.has(nonce)) return false;
    // It may have come from a clock that is ahead.
    this.#used.set(nonce, now + 2 * PASS_LIFE_MS);
    return true;
  }
}

function macOf(key: Buffer, payload: string, request: PassedRequest, names: readonly string[]): Buffer {
  const { method, url, headers } = request;
  const values = names.map((name) => headers[name] ?? null);
  return createHmac('sha256', key)
    .update(JSON.stringify([payload, method, url, values]))
    .digest();
}

function encoded(payload: z.infer<typeof payloadShape>): string {
  return Buffer.from(JSON.stringify(payload)).toString('base64url');
}

function decoded(text: string): z.infer<typeof payloadShape> | undefined {
  try {
    return payloadShape.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
