/** What every part of the demo is played on: the server, its owner, and a clock that falls the same way each time. */
import { randomUUID } from 'node:crypto';
import type { Caller, ClientCapabilities, Exchange } from '@parley/kit';
import { requestInfo } from '@parley/kit';
import type { Host } from '../start/host.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export interface Scene {
  readonly host: Host;
  /** The owner of the first organization, as they act in their browser. */
  readonly owner: Caller;
  readonly organizationId: string;
  readonly now: number;
}

/** The scene of the first organization. */
export async function sceneOf(host: Host, now: number): Promise<Scene> {
  const organizationId = await host.identity.firstOrganizationId();
  const members = await host.identity.listMembers(organizationId);
  const first = members.find(({ roles }) => roles.includes('owner'));
  const owner = first && (await host.identity.callerOfMember(organizationId, first.id));
  if (owner === undefined) throw new Error('The organization has no owner.');
  // Whoever starts the server needs no browser to show who they are.
  return { host, owner: { ...owner, freshUntil: now + HOUR_MS }, organizationId, now };
}

/** How the ids of its calls begin. */
export const DEMO_CALL = 'demo-';

/** True for a call that no client made. */
export function isDemoCall(requestId: string | null): boolean {
  return requestId?.startsWith(DEMO_CALL) === true;
}

/** A part of the demo: it is played where nothing of its kind is yet. */
export interface Part {
  readonly name: string;
  isThere(scene: Scene): Promise<boolean>;
  play(scene: Scene): Promise<void>;
}

/** What comes with a call of the demo. */
export function exchangeOf(capabilities: ClientCapabilities): Exchange {
  return {
    info: requestInfo({ id: `${DEMO_CALL}${randomUUID()}`, era: 'modern', client: 'Parley demo' }),
    signal: () => AbortSignal.any([]),
    capabilities,
  };
}

/** Numbers from 0 to 1 that come in the same order from the same seed. */
export function createRolls(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
