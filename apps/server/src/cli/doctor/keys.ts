/** Is a key one of this installation, and whose; the key itself is in no finding. */
import { commandWord } from '../../config.ts';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { AgentBinding, IdentityTables } from '@parley/identity';
import { fromJson } from '@parley/store';
import type { Config } from '../../config.ts';
import { printable } from '../../printable.ts';
import { hasInstallation } from '../installation.ts';
import type { Check } from '../../health/check.ts';
import { withStore } from './database.ts';
import { word } from './shell-word.ts';

/** What is read of the table of agents, whose toolset is not loaded for it. */
interface NamedAgents {
  readonly agents: { readonly id: string; readonly name: string };
}

/** Checks the key that commands act with, when one is given. */
export async function checkGivenKey(config: Config): Promise<Check[]> {
  if (config.key === undefined || !hasInstallation(config)) return [];
  return [await checkKey(config, { name: 'key', key: config.key, words: 'the one in --key or PARLEY_KEY' })];
}

/** Looks a key up in a data folder; `words` say which key it is. */
export async function checkKey(
  config: Config,
  { name, key, words }: { readonly name: string; readonly key: string; readonly words: string },
): Promise<Check> {
  const check = await withStore(config, { name, needs: [identityMigrations] }, async (store) => {
    const identity = createIdentity(store);
    // No agent is known here, and its key is as good as any.
    const isValid = (await identity.keyState(key)) === 'valid';
    identity.close();
    if (isValid) return { name, state: 'ok', found: `${words} is valid in ${config.dataDir}` };
    const found = `${words} is not valid in ${config.dataDir}: wrong, expired, revoked, or of another installation`;
    return { name, state: 'fail', found };
  });
  if (check.state !== 'fail' || check.fix !== undefined) return check;
  const maker = keyMaker(await agentOfKey(config, key));
  return { ...check, fix: `Make a key with ${maker}, and put it where the old one is.` };
}

/** The command that makes a key of the same kind. */
export function keyMaker(agent: string | undefined): string {
  return agent === undefined
    ? `"${commandWord()} keys create NAME"`
    : `"${commandWord()} agents key ${word(printable(agent))}"`;
}

/** The agent that a key acts as, or did before it was revoked: its name, or its id where it is gone. Undefined for a person's key, and one that is unknown. */
export async function agentOfKey(config: Config, key: string): Promise<string | undefined> {
  const [, publicId] = /^parley_([0-9A-Za-z]{12})_/.exec(key) ?? [];
  if (publicId === undefined || !hasInstallation(config)) return undefined;
  let agent: string | undefined;
  await withStore(config, { name: 'key', needs: [identityMigrations] }, async (store) => {
    const db = store.db<IdentityTables & NamedAgents>();
    const row = await db
      .selectFrom('api_keys')
      .select('agent')
      .where('public_id', '=', publicId)
      .executeTakeFirst();
    if (row?.agent !== undefined && row.agent !== null) {
      const { agentId } = fromJson<AgentBinding>(row.agent);
      agent = agentId;
      const named = await db.selectFrom('agents').select('name').where('id', '=', agentId).executeTakeFirst();
      agent = named?.name ?? agentId;
    }
    return { name: 'key', state: 'ok', found: 'the key was looked up' };
  });
  return agent;
}
