/** Where the console is, and the link that signs somebody in once: the secret stands behind the `#`, which no server sees. */
import type { Config } from '../config.ts';
import { PAGES_PREFIX } from './index.ts';

/** The address of the console at the address of a server; browsers make passkeys for names alone, not for 127.0.0.1. */
export function consoleAddress({ web }: Pick<Config, 'web'>, serverUrl: string): string {
  const url = new URL(web.publicUrl ?? serverUrl);
  if (url.hostname === '127.0.0.1' || url.hostname === '[::1]') url.hostname = 'localhost';
  return `${url.origin}${PAGES_PREFIX}`;
}

/** The link with a token in it. */
export function signInLink(address: string, token: string): string {
  return `${address}/sign-in#token=${token}`;
}
