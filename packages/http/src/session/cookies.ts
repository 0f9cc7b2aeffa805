/** The sign-in cookie: where the token of a session lives in a browser. Hono writes and reads it, from the first one on. */
import type { IncomingMessage } from 'node:http';

const NAME = 'parley_session';
// Browsers take this name over https only, and from this very host.
const SECURE_NAME = `__Host-${NAME}`;
const WEEK_S = 7 * 24 * 60 * 60;

/** The token that the browser sent; the cookie of https wins. */
export async function sessionToken({ headers: { cookie } }: IncomingMessage): Promise<string | undefined> {
  if (cookie === undefined) return undefined;
  const { parse } = await import('hono/utils/cookie');
  return parse(cookie, SECURE_NAME)[SECURE_NAME] ?? parse(cookie, NAME)[NAME];
}

/** Puts a token into the browser. */
export function keepToken(token: string, isHttps: boolean): Promise<string> {
  return cookieOf(token, isHttps, WEEK_S);
}

/** Takes it out again. */
export function dropToken(isHttps: boolean): Promise<string> {
  return cookieOf('', isHttps, 0);
}

async function cookieOf(value: string, secure: boolean, maxAge: number): Promise<string> {
  const { serialize } = await import('hono/utils/cookie');
  const rules = { path: '/', httpOnly: true, sameSite: 'Lax', maxAge, secure } as const;
  return serialize(secure ? SECURE_NAME : NAME, value, rules);
}
