/** Is a key one of this installation; the key itself is in no finding. */
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Config } from '../../config.ts';
import { hasInstallation } from '../installation.ts';
import type { Check } from './check.ts';
import { withStore } from './database.ts';

const MAKE_ONE = 'Make a key with "parley keys create NAME", and put it where the old one is.';

/** Checks the key that commands act with, when one is given. */
export async function checkGivenKey(config: Config): Promise<Check[]> {
  if (config.key === undefined || !hasInstallation(config)) return [];
  return [await checkKey(config, { name: 'key', key: config.key, words: 'the one in --key or PARLEY_KEY' })];
}

/** Looks a key up in a data folder; `words` say which key it is. */
export function checkKey(
  config: Config,
  { name, key, words }: { readonly name: string; readonly key: string; readonly words: string },
): Promise<Check> {
  return withStore(config, { name, needs: [identityMigrations] }, async (store) => {
    const identity = createIdentity(store);
    const caller = await identity.authenticate(key, 'cli');
    identity.close();
    if (caller !== undefined) return { name, state: 'ok', found: `${words} is valid in ${config.dataDir}` };
    const found = `${words} is not valid in ${config.dataDir}: wrong, expired, revoked, or of another installation`;
    return { name, state: 'fail', found, fix: MAKE_ONE };
  });
}
