/** Organizations that are there get the presets of bundles; new ones get them as they are made. */
import type { Migration } from '@parley/store';
import { presetRows } from '../services/presets.ts';

export const createPresets: Migration = async (db) => {
  const now = Date.now();
  const organizations = await db.selectFrom('organizations').select('id').execute();
  for (const { id } of organizations)
    await db
      .insertInto('skill_bundles')
      .values(presetRows(String(id), now))
      .execute();
};
