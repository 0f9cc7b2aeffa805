/** Passwords: what they may be, how they are kept, and how one is held against what is kept. */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { Turns } from '@parley/store';
import type { IdentityTables } from '../../schema.ts';

const SHORTEST = 12;
const LONGEST = 256;

// 32 MiB for about a tenth of a second each.
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const VERSION = 'scrypt-1';

// The threads that hash are shared with files and names of hosts, and each takes its memory.
// There are four of them: a flood of strangers leaves one for whoever is signed in, and one for everything else.
const STRANGERS = turnsOf(2);
const KNOWN = turnsOf(1);

function turnsOf(places: number): Turns {
  return new Turns({ places, waiting: 20, waitMs: 10_000 }, () => {
    const text = 'Too many people are signing in right now. Try again in a moment.';
    return new ToolError('rate_limited', text, { retryAfterMs: 5000 });
  });
}

/** Who has a password checked: an address of somebody unknown, or somebody with a session. */
export interface Asker {
  readonly address: string;
  readonly isKnown?: boolean;
}

/** Throws what is wrong with a new password, in words for whoever chose it. */
export async function checkPassword(password: string, about: readonly (string | null)[]): Promise<void> {
  const { length } = [...new Intl.Segmenter().segment(password)];
  if (length < SHORTEST || length > LONGEST) throw weak(`must have ${SHORTEST} to ${LONGEST} characters`);
  const plain = password.normalize('NFKC').toLowerCase();
  if (isRepeated(plain)) throw weak('must not repeat one text over and over');
  if (about.some((word) => word !== null && plain === word.toLowerCase()))
    throw weak('must not be your name or e-mail');
  if (isInOrder(plain)) throw weak('must not be letters or digits in their order');
  if (await isCommon(plain))
    throw weak('must not be one of the most common ones. Choose another, such as four words');
}

function weak(rule: string): ToolError {
  return new ToolError('invalid', `password: ${rule}`);
}

/** True for a text that is a shorter one several times over. */
function isRepeated(text: string): boolean {
  return (text + text).indexOf(text, 1) < text.length;
}

/** True for `abcdefghijkl` and `987654321098`. */
function isInOrder(text: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < text.length; at++) steps.add(text.charCodeAt(at) - text.charCodeAt(at - 1));
  // From 9 on to 0 it goes on.
  for (const step of [1, -1])
    if ([...steps].every((each) => each === step || each === -9 * step)) return true;
  return false;
}

/** What stands for letters, as everybody writes it. */
const LOOKS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** A common one with other signs for its letters, or with digits and signs before and after, is as common. */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = new Set<string | number>(dictionary['passwords-common']);
  const core = between(password, (sign) => /\p{L}/u.test(sign));
  const head = password.slice(0, password.indexOf(core) + core.length);
  // The signs after it may be spelling: `p@ssw0rd` and `passw0rd!` both are.
  const signed = between(password, (sign) => /[\p{L}@$0]/u.test(sign));
  return [password.trim(), core, head, spelled(core), spelled(signed)].some(
    (word) => common.has(word) || (isRepeated(word) && common.has(once(word))),
  );
}

function spelled(text: string): string {
  return text.replace(/[013457@$!]/g, (sign) => LOOKS[sign] ?? sign);
}

/** From the first sign that counts to the last. */
function between(text: string, counts: (sign: string) => boolean): string {
  let from = 0;
  let to = text.length;
  while (from < to && !counts(text.charAt(from))) from += 1;
  while (to > from && !counts(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** The text that another one is several times over. */
function once(text: string): string {
  return text.slice(0, (text + text).indexOf(text, 1));
}

/** What is kept of a password. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hashed = await derive(password, salt);
  return [VERSION, salt.toString('base64url'), hashed.toString('base64url')].join(' ');
}

const NOBODY = [VERSION, Buffer.alloc(SALT_BYTES), Buffer.alloc(HASH_BYTES)]
  .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
  .join(' ');

/** Whether a password is the one that is kept; with none, it takes as long and is not. */
export async function isPassword(password: string, kept: string | undefined, asker: Asker): Promise<boolean> {
  const [version, salt = '', hashed = ''] = (kept ?? NOBODY).split(' ');
  const given = await derive(password, Buffer.from(salt, 'base64url'), asker);
  const wanted = Buffer.from(hashed, 'base64url');
  const isSame = given.length === wanted.length && timingSafeEqual(given, wanted);
  return isSame && version === VERSION && kept !== undefined;
}

/** Addresses take turns, so that nobody waits behind the flood of another one. */
function derive(
  password: string,
  salt: Buffer,
  { address, isKnown = false }: Asker = { address: '', isKnown: true },
): Promise<Buffer> {
  const turns = isKnown ? KNOWN : STRANGERS;
  const turn = { organizationId: address, signal: AbortSignal.any([]) };
  return turns.take(
    turn,
    () =>
      new Promise((resolve, reject) => {
        // The same letters in another composition are the same password.
        scrypt(password.normalize('NFKC'), salt, HASH_BYTES, COST, (error, hashed) => {
          if (error === null) resolve(hashed);
          else reject(error);
        });
      }),
  );
}

/** The hash of a person's password; undefined without one. */
export async function passwordOf(from: Queryable, userId: string): Promise<string | undefined> {
  const row = await from
    .db<IdentityTables>()
    .selectFrom('passwords')
    .select('hash')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row?.hash;
}

/** Keeps a hash in the place of any other. */
export async function keepPassword(
  tx: StoreTransaction,
  userId: string,
  { hash, now }: { readonly hash: string; readonly now: number },
): Promise<void> {
  await tx
    .db<IdentityTables>()
    .insertInto('passwords')
    .values({ user_id: userId, hash, changed_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, changed_at: now }))
    .execute();
}
