/** The check of an address that an agent gives for a channel, when it gives it. */
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { isBlocked } from '../outbound.ts';

export const MOST_URL = 2048;

/** Refuses what the guard would never let out; a name that cannot be looked up now may be there later. */
export async function checkUrl(
  egress: Egress,
  field: string,
  url: string,
  allow: readonly string[] = [],
): Promise<void> {
  try {
    await egress.check(url, { allow });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.code === 'unreachable' || error.code === 'timeout') return;
    throw new ToolError(
      isBlocked(error) ? 'blocked_address' : 'invalid',
      `config.${field}: ${error.message}`,
    );
  }
}
