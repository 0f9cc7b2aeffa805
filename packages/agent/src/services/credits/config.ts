/** What things cost in an organization: the settings of credits, nothing else. */
import { ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { CreditTables } from './schema.ts';

/** The settings as they are without a change. */
export const DEFAULT_CONFIG = {
  credits_per_unit: 1000,
  low_credit_threshold: 50,
  credits_per_turn: 1,
  credits_per_agent_message: 5,
  reserve_per_group_message: 10,
  free_credits_first_time: 100,
  enforce: false,
};

export type CreditConfig = typeof DEFAULT_CONFIG;
export type ConfigKey = keyof CreditConfig;

const MAX_VALUE = 1_000_000;
const WHOLE = /^\d{1,7}$/;

/** The settings of an organization. */
export async function readConfig(from: Queryable, organizationId: string): Promise<CreditConfig> {
  const rows = await from
    .db<CreditTables>()
    .selectFrom('credit_config')
    .select(['key', 'value'])
    .where('organization_id', '=', organizationId)
    .execute();
  const changed = rows.map(({ key, value }) => [key, fromJson<number | boolean>(value)]);
  return { ...DEFAULT_CONFIG, ...Object.fromEntries(changed) };
}

export async function writeConfig(
  tx: StoreTransaction,
  { organizationId, key, value, at }: ConfigChange,
): Promise<void> {
  const row = { organization_id: organizationId, key, value: toJson(value), created_at: at, updated_at: at };
  await tx
    .db<CreditTables>()
    .insertInto('credit_config')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'key']).doUpdateSet({ value: row.value, updated_at: at }),
    )
    .execute();
}

export interface ConfigChange {
  readonly organizationId: string;
  readonly key: ConfigKey;
  readonly value: number | boolean;
  readonly at: number;
}

/** The setting of a name. */
export function checkedKey(key: string): ConfigKey {
  if (Object.hasOwn(DEFAULT_CONFIG, key)) return key as ConfigKey; // as was just looked up
  const known = Object.keys(DEFAULT_CONFIG).join(', ');
  throw new ToolError('unknown_key', `key: there is no setting of this name. Use one of ${known}.`);
}

/** A value as its setting takes it, also when it was written as a text. */
export function checkedValue(key: ConfigKey, value: number | boolean | string): number | boolean {
  if (key === 'enforce') {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw new ToolError('invalid', 'value: must be true or false for enforce');
  }
  const number = typeof value === 'string' && WHOLE.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= MAX_VALUE)
    return number;
  throw new ToolError('invalid', `value: must be a whole number from 0 to ${MAX_VALUE} for ${key}`);
}
