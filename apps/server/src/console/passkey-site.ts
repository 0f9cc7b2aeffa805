/** The site that a browser makes and shows passkeys for: a host name, never an address. */
import { isIP } from 'node:net';
import { HttpRefusal } from '@parley/http';
import type { ConsoleScope } from './scope.ts';

/** From the Origin, which was found to be this very site. */
export function siteOf({ exchange, config }: Pick<ConsoleScope, 'exchange' | 'config'>): {
  readonly origin: string;
} {
  const { origin = config.web.publicUrl, host = 'localhost' } = exchange.req.headers;
  const site = origin ?? `http://${host}`;
  const name = new URL(site).hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) === 0) return { origin: site };
  throw new HttpRefusal(
    'BAD_REQUEST',
    'Browsers make passkeys for names alone. Open the console at a name, such as localhost.',
  );
}
