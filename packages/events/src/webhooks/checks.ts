/** What a webhook may be: its address, the events it names and how many there are of it. */
import { ToolError } from '@parley/kit';
import { EgressError } from '@parley/kit/egress';
import type { StoreTransaction } from '@parley/store';
import type { EventLimits } from '../limits.ts';
import { checkPattern } from '../matching.ts';
import type { EventTables } from '../schema.ts';
import type { Egress } from '@parley/kit/egress';

const URL_LENGTH = 2048;
const GROUP_LENGTH = 255;

/** Refuses an address that the guard would not let out. */
export async function checkUrl(egress: Egress, url: string): Promise<void> {
  if (url.length > URL_LENGTH)
    throw new ToolError('invalid', `url: must have at most ${URL_LENGTH} characters.`);
  try {
    await egress.check(url);
  } catch (error) {
    if (error instanceof EgressError) throw new ToolError('invalid', `url: ${error.message}`);
    throw error;
  }
}

/** The event types without doubles, each of them valid. */
export function checkEvents(events: readonly string[], { patternsPerWebhook }: EventLimits): string[] {
  const wanted = [...new Set(events)];
  if (wanted.length < 1 || wanted.length > patternsPerWebhook)
    throw new ToolError('invalid', `events: name 1 to ${patternsPerWebhook} event types.`);
  for (const pattern of wanted) checkPattern(pattern);
  return wanted;
}

/** The groups without doubles. */
export function checkGroups(groups: readonly string[], { groupsPerWebhook }: EventLimits): string[] {
  const wanted = [...new Set(groups)];
  if (wanted.length > groupsPerWebhook)
    throw new ToolError('invalid', `groups: name at most ${groupsPerWebhook}.`);
  if (wanted.some((group) => group.length < 1 || group.length > GROUP_LENGTH))
    throw new ToolError('invalid', `groups: each must have 1 to ${GROUP_LENGTH} characters.`);
  return wanted;
}

/** Refuses one webhook too many. */
export async function checkCount(
  tx: StoreTransaction,
  organizationId: string,
  { webhooksPerOrganization }: EventLimits,
): Promise<void> {
  const { webhooks } = await tx
    .db<EventTables>()
    .selectFrom('webhooks')
    .select((count) => count.fn.countAll().as('webhooks'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (Number(webhooks) < webhooksPerOrganization) return;
  throw new ToolError(
    'conflict',
    `An organization may have at most ${webhooksPerOrganization} webhooks. Remove one that is not needed.`,
  );
}
