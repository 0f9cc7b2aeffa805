/** Refuses to make a secret key for data that was sealed with another one: nothing in it would open. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SecretKeyError } from '../errors.ts';
import type { StoreOptions } from '../store.ts';
import { KEY_FILE } from './secret-key.ts';

type Place = Pick<StoreOptions, 'dataDir' | 'databaseUrl' | 'secretKey'>;

const TEXT =
  'There is no secret key for this database: PARLEY_SECRET_KEY is not set, and its file is not there. Put back the secret.key that the data was made with, or set the variable to it.';

/** Throws when there is data and no key for it; makes nothing. */
export async function refuseLostKey(place: Place): Promise<void> {
  const file = join(place.dataDir, KEY_FILE);
  if (place.secretKey !== undefined || existsSync(file) || !(await isUsed(place))) return;
  // A first start beside this one makes the key, then the data.
  if (existsSync(file)) return;
  throw new SecretKeyError(TEXT, { file });
}

async function isUsed({ dataDir, databaseUrl }: Place): Promise<boolean> {
  if (databaseUrl !== undefined) return (await import('../postgres/is-used.ts')).isUsedPostgres(databaseUrl);
  const { MAIN_FILE } = await import('../sqlite/open.ts');
  return (statSync(join(dataDir, MAIN_FILE), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
