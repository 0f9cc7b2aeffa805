/** Which address a connection of the machine's own command line may reach although it is private: its own, and no other. */
import { createEgress, EgressError } from '@parley/kit/egress';
import { UsageError } from '../../config.ts';

/** `host:port` of an address that needs the permission; null for one that everybody may reach. */
export async function privateAddress(address: string): Promise<string | null> {
  const url = URL.parse(address);
  // Whoever stores it says what an address looks like.
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  const own = `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`;
  // Without what this command was told to allow, which a server beside it does not know of.
  const egress = createEgress();
  try {
    if (!(await isRefused(() => egress.check(url)))) return null;
    if (!(await isRefused(() => egress.check(url, { allow: [own] })))) return own;
  } finally {
    await egress.close();
  }
  throw new UsageError(`${own} is never reached from here: it is an address of the machine's provider.`);
}

/** A name that nobody knows at the moment is not refused. */
async function isRefused(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return false;
  } catch (error) {
    return error instanceof EgressError && error.code === 'not_allowed';
  }
}
