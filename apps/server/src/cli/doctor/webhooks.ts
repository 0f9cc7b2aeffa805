/** Check of the webhooks: does each hear of events. */
import { eventMigrations, webhookStates } from '@parley/events';
import type { Config } from '../../config.ts';
import type { Check } from '../../health/check.ts';
import { webhookChecks } from '../../health/findings.ts';
import { hasDatabase, withStore } from './database.ts';

/** Said only where there are any. */
export async function checkWebhooks(config: Config): Promise<Check[]> {
  if (!(await hasDatabase(config))) return [];
  const name = 'webhooks';
  let checks: Check[] = [];
  const looked = await withStore(config, { name, needs: [eventMigrations] }, async (store) => {
    checks = webhookChecks(await webhookStates(store));
    return { name, state: 'ok', found: 'looked at' };
  });
  return looked.state === 'ok' ? checks : [looked];
}
