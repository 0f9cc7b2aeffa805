/** `parley keys recover`: a new owner key for an owner who is locked out; being able to open the database is the proof. */
import type { ServedToolset } from '../start/served-toolset.ts';
import { createIdentity } from '@parley/identity';
import { openStore } from '@parley/store';
import { storeOptions } from '../start/base.ts';
import type { Config } from '../config.ts';
import { commandWord, UsageError } from '../config.ts';
import { closeToOthers } from '../data-folder.ts';
import { allToolsets, migrationsOf } from '../start/host.ts';
import { ownerKeyFileOf, refuseLostDatabase, replaceOwnerKey } from '../owner-key.ts';
import { hasDatabase } from './doctor/database.ts';
import { tellFault } from './session.ts';

/** Makes the key, writes it to owner.key, and leaves a call record of it. */
export async function recover(config: Config, toolsets: readonly ServedToolset[]): Promise<number> {
  refuseLostDatabase(config);
  if (!(await hasDatabase(config)))
    throw new UsageError(`There is no database in ${config.dataDir}. Name its folder with --data.`);
  const startedAt = performance.now();
  const file = ownerKeyFileOf(config);
  const store = await openStore(storeOptions(config, tellFault));
  try {
    await store.migrate(migrationsOf(await allToolsets({ toolsets })));
    const identity = createIdentity(store);
    const { info, organizationId } = await identity.recoverOwnerKey(async (key) =>
      replaceOwnerKey(file, key),
    );
    identity.close();
    closeToOthers(config.dataDir);
    store.records.append({
      at: Date.now(),
      organizationId,
      callerId: info.id,
      userId: info.userId,
      source: 'cli',
      toolset: 'parley',
      tool: 'keys recover',
      method: 'keys/recover',
      effect: null,
      outcome: 'ok',
      code: null,
      durationUs: Math.round((performance.now() - startedAt) * 1000),
      era: 'local',
      client: 'parley-cli',
      requestId: null,
    });
    const { publicId, name } = info;
    const text = `A new owner key, "${name}" (${publicId}), is in ${file}.\nOther keys are as they were: "${commandWord()} keys list" shows them, "${commandWord()} keys revoke" ends one.\n`;
    process.stdout.write(config.json ? `${JSON.stringify({ id: info.id, publicId, name, file })}\n` : text);
    return 0;
  } finally {
    // Writes the record too.
    await store.close();
  }
}
