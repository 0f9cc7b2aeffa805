/** The sign-in cookies: where the token of a session lives in a browser. Hono writes and reads them, from the first one on. */
import type { IncomingMessage } from 'node:http';

/** A cookie of ours, which lives for so long. */
interface Cookie {
  readonly name: string;
  readonly maxAgeS: number;
}

const DAY_S = 24 * 60 * 60;
/** Of visitors of the public pages. */
const PAGES: Cookie = { name: 'parley_session', maxAgeS: 7 * DAY_S };
/** Of the team in the console. */
const CONSOLE: Cookie = { name: 'parley', maxAgeS: 30 * DAY_S };
/** Of a browser that was sent to another site and is to come back; longer than that may take. */
const AWAY: Cookie = { name: 'parley_away', maxAgeS: 15 * 60 };

// Browsers take such a name over https only, and from this very host.
const secureNameOf = ({ name }: Cookie) => `__Host-${name}`;

// Cookies ignore ports, and servers beside one another at localhost must not take the sessions of each other.
const plainNameOf = ({ name }: Cookie, { headers: { host = '' } }: IncomingMessage) => {
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  return port === undefined ? name : `${name}_${port}`;
};

/** The token that a visitor's browser sent. */
export function sessionToken(req: IncomingMessage): Promise<string | undefined> {
  return tokenIn(req, PAGES);
}

/** Puts the token of a visitor into the browser. */
export function keepToken(req: IncomingMessage, token: string, isHttps: boolean): Promise<string> {
  return cookieOf(req, PAGES, { value: token, isHttps });
}

/** Takes it out again. */
export function dropToken(req: IncomingMessage, isHttps: boolean): Promise<string> {
  return cookieOf(req, PAGES, { value: '', isHttps });
}

/** The token that a browser in the console sent. At the public https address any neighbour could have put the plain name there. */
export async function consoleToken(
  req: IncomingMessage,
  publicUrl: string | undefined,
): Promise<string | undefined> {
  if (req.headers.cookie?.includes(CONSOLE.name) !== true) return undefined;
  return tokenIn(req, CONSOLE, publicUrl === `https://${req.headers.host}`);
}

/** Puts the token of somebody of the team into the browser. */
export function keepConsoleToken(req: IncomingMessage, token: string, isHttps: boolean): Promise<string> {
  return cookieOf(req, CONSOLE, { value: token, isHttps });
}

/** Takes it out again. */
export function dropConsoleToken(req: IncomingMessage, isHttps: boolean): Promise<string> {
  return cookieOf(req, CONSOLE, { value: '', isHttps });
}

/** What a browser has that was sent to another site; read like the token of the console. */
export function awayNonce(req: IncomingMessage, publicUrl: string | undefined): Promise<string | undefined> {
  return tokenIn(req, AWAY, publicUrl === `https://${req.headers.host}`);
}

/** Gives it to a browser before it leaves. */
export function keepAwayNonce(req: IncomingMessage, nonce: string, isHttps: boolean): Promise<string> {
  return cookieOf(req, AWAY, { value: nonce, isHttps });
}

/** The cookie of https wins, or is the only one that counts; one of before the name had a port is still read where there is no other. */
async function tokenIn(req: IncomingMessage, of: Cookie, isSecureOnly = false): Promise<string | undefined> {
  const { cookie } = req.headers;
  if (cookie === undefined) return undefined;
  const { parse } = await import('hono/utils/cookie');
  const named = (name: string) => parse(cookie, name)[name];
  const secure = named(secureNameOf(of));
  return secure ?? (isSecureOnly ? undefined : (named(plainNameOf(of, req)) ?? named(of.name)));
}

async function cookieOf(
  req: IncomingMessage,
  of: Cookie,
  { value, isHttps }: { readonly value: string; readonly isHttps: boolean },
): Promise<string> {
  const { serialize } = await import('hono/utils/cookie');
  const maxAge = value === '' ? 0 : of.maxAgeS;
  const rules = { path: '/', httpOnly: true, sameSite: 'Lax', maxAge, secure: isHttps } as const;
  return serialize(isHttps ? secureNameOf(of) : plainNameOf(of, req), value, rules);
}
