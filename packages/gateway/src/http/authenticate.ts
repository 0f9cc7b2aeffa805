/** The second stage: from the Authorization header to a caller, with a brake on guessing. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HttpRefusal, TokenBuckets } from '@parley/http';
import type { Caller } from '@parley/kit';
import type { Identity, ShownKey } from '@parley/identity';
import { shownKey } from '@parley/identity';
import type { Limits } from '../limits.ts';
import { challengeOf } from './resource-metadata.ts';

/** Finds the caller of a request or throws 401. */
export type Authenticate = (req: IncomingMessage) => Caller | Promise<Caller>;

const BEARER = /^Bearer ([A-Za-z0-9_-]+)$/i;

export interface AuthenticateOptions {
  readonly identity: Identity;
  readonly limits: Limits;
  /** Where clients reach this server; absent: where they say that they do. */
  readonly publicUrl?: string | undefined;
  /** Serves requests without a credential, which the product never does. */
  readonly anonymous?: Caller | undefined;
}

/** Creates the stage. */
export function createAuthenticate(options: AuthenticateOptions): Authenticate {
  const { identity, limits, publicUrl, anonymous } = options;
  const failures = new TokenBuckets(
    limits.failedCredentialsPerMinute / 60,
    limits.failedCredentialsPerMinute,
  );

  function refuse(req: IncomingMessage): never {
    // Asking without a credential is how clients find out that one is wanted; it guesses nothing.
    const isGuess = req.headers.authorization !== undefined;
    const waitMs = isGuess ? failures.take(req.socket.remoteAddress ?? '') : 0;
    if (waitMs > 0) {
      throw new HttpRefusal(429, 'Too many failed credentials. Try again later.', {
        headers: {
          'retry-after': String(Math.ceil(waitMs / 1000)),
        },
      });
    }
    throw new HttpRefusal(401, 'Send a valid API key as "Authorization: Bearer <key>".', {
      headers: {
        'www-authenticate': challengeOf(req, publicUrl),
      },
    });
  }

  /** What a connection showed last. It shows the same with every request, and hashing a key costs more than the look-up. */
  const shown = new WeakMap<Socket, { readonly header: string; readonly key: ShownKey }>();

  function keyOf({ socket }: IncomingMessage, header: string): ShownKey | undefined {
    const last = shown.get(socket);
    if (last?.header === header) return last.key;
    const text = BEARER.exec(header)?.[1];
    if (text === undefined) return undefined;
    const key = shownKey(text);
    shown.set(socket, { header, key });
    return key;
  }

  return (req) => {
    const header = req.headers.authorization;
    if (header === undefined && anonymous !== undefined) return anonymous;
    const key = header === undefined ? undefined : keyOf(req, header);
    if (key === undefined) return refuse(req);
    const caller = identity.authenticate(key, 'key');
    if (caller === undefined) return refuse(req);
    return caller instanceof Promise ? caller.then((found) => found ?? refuse(req)) : caller;
  };
}
