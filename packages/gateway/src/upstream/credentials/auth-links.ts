/** Links with which somebody can authorise a connection: signed, for one person and one connection, for 10 minutes. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SecretBox } from '@parley/store';
import type { CredentialParts } from './parts.ts';

/** What a link stands for. */
export interface AuthLink {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly userId: string;
}

const START = '/oauth/start/';

// What is cut out of records and logs begins with it.
const PREFIX = 'parley_start_';
const PURPOSE = 'authorise-link';
const LIFE_MS = 10 * 60_000;
const MAC_BYTES = 32;
const LONGEST = 1000;

/** The whole address of a link. */
export function startAddress(
  { store, now }: Pick<CredentialParts, 'store' | 'now'>,
  baseUrl: string,
  link: AuthLink,
): string {
  return `${baseUrl}${START}${writeLink(store.secrets, link, now())}`;
}

/** The text of a link, for the end of an address. */
function writeLink(box: Pick<SecretBox, 'derive'>, link: AuthLink, now: number): string {
  const { organizationId, connectionId, userId } = link;
  const body = Buffer.from(JSON.stringify([organizationId, connectionId, userId, now + LIFE_MS]));
  return PREFIX + Buffer.concat([macOf(box.derive(PURPOSE), body), body]).toString('base64url');
}

/** What a text stands for; undefined when this server did not write it, or its time is over. */
export function readLink(box: Pick<SecretBox, 'deriveAll'>, text: string, now: number): AuthLink | undefined {
  if (!text.startsWith(PREFIX) || text.length > LONGEST) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  if (bytes.length <= MAC_BYTES) return undefined;
  const body = bytes.subarray(MAC_BYTES);
  const mac = bytes.subarray(0, MAC_BYTES);
  if (!box.deriveAll(PURPOSE).some((key) => timingSafeEqual(macOf(key, body), mac))) return undefined;
  // Signed by us, so it is what `writeLink` wrote.
  const [organizationId, connectionId, userId, endsAt] = JSON.parse(body.toString('utf8')) as [
    string,
    string,
    string,
    number,
  ];
  return endsAt > now ? { organizationId, connectionId, userId } : undefined;
}

function macOf(key: Buffer, body: Buffer): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
