/** Very many keys that may do the same, written straight into the table. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@parley/store';
import { hashSecret, newKey, parseKey } from '../../packages/identity/src/key-format.ts';
import type { IdentityTables } from '../../packages/identity/src/schema.ts';

const ROWS_AT_ONCE = 500;

/** Writes keys like one that is there, and their texts into a file, one per line. */
export async function writeKeys(
  store: Store,
  { like, count, folder }: { like: string; count: number; folder: string },
): Promise<{ file: string }> {
  const db = store.db<IdentityTables>();
  const row = await db
    .selectFrom('api_keys')
    .selectAll()
    .where('public_id', '=', parseKey(like)?.publicId ?? '')
    .executeTakeFirstOrThrow();
  const texts: string[] = [];
  while (texts.length < count) {
    const keys = Array.from({ length: Math.min(ROWS_AT_ONCE, count - texts.length) }, newKey);
    const rows = keys.map(({ publicId, secret }) => ({
      ...row,
      id: `key_${publicId}`,
      public_id: publicId,
      hash: hashSecret(secret),
    }));
    await db.insertInto('api_keys').values(rows).execute();
    texts.push(...keys.map(({ text }) => text));
  }
  const file = join(folder, `keys-${count}.txt`);
  writeFileSync(file, texts.join('\n'));
  return { file };
}
