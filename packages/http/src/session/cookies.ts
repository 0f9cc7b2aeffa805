/** The sign-in cookie: where the token of a session lives in a browser. */
import type { IncomingMessage } from 'node:http';

const NAME = 'parley_session';
// Browsers take this name over https only, and from this very host.
const SECURE_NAME = `__Host-${NAME}`;
const WEEK_S = 7 * 24 * 60 * 60;

/** The token that the browser sent; the cookie of https wins. */
export function sessionToken({ headers }: IncomingMessage): string | undefined {
  const cookies = new Map<string, string>();
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies.get(SECURE_NAME) ?? cookies.get(NAME);
}

/** Puts a token into the browser. */
export function keepToken(token: string, isHttps: boolean): string {
  return cookie(token, isHttps, WEEK_S);
}

/** Takes it out again. */
export function dropToken(isHttps: boolean): string {
  return cookie('', isHttps, 0);
}

function cookie(value: string, isHttps: boolean, maxAgeS: number): string {
  const rules = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeS}`;
  return isHttps ? `${SECURE_NAME}=${value}; ${rules}; Secure` : `${NAME}=${value}; ${rules}`;
}
