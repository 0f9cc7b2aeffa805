/** The first screen: what waits, how the parts do, the calls of a day and the last changes. */
import type { AuditItem } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { mayReadAudit } from '@parley/mesh';
import type { Host } from '../start/host.ts';
import { mayLook } from './live/rights.ts';

const HOUR_MS = 3_600_000;
const HOURS = 24;
const LAST_CHANGES = 10;

export interface CallPoint {
  readonly at: string;
  readonly calls: number;
  readonly errors: number;
}

/** Hours that are over do not change. */
const known = new Map<string, CallPoint>();
const MOST_KNOWN = 5000;

/** The calls of the last day, hour by hour; null for those who may not look at calls. */
export async function callsOfDay({ store, engine }: Host, caller: Caller): Promise<CallPoint[] | null> {
  if (!mayLook(engine(), caller, ['self', ['MONITORING_LOGS_LIST', 'MONITORING_STATS']])) return null;
  const { organizationId } = caller;
  const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const hours = Array.from({ length: HOURS }, (_, index) => thisHour - (HOURS - 1 - index) * HOUR_MS);
  return Promise.all(
    hours.map(async (since) => {
      const key = `${organizationId} ${since}`;
      const kept = known.get(key);
      if (kept !== undefined) return kept;
      const { calls, errors } = await store.records.stats({
        organizationId,
        since,
        until: since + HOUR_MS - 1,
      });
      const point = { at: new Date(since).toISOString(), calls, errors };
      // The hour before may still get records that wait to be written.
      if (since < thisHour - HOUR_MS) keep(key, point);
      return point;
    }),
  );
}

function keep(key: string, point: CallPoint): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, point);
}

export interface RecentChange {
  readonly at: string;
  readonly who: string;
  readonly what: string;
  readonly href: string | null;
}

/** The last changes that the audit log has; null for those who may not read it. */
export async function lastChanges({ identity }: Host, caller: Caller): Promise<RecentChange[] | null> {
  const { organizationId } = caller;
  if (!mayReadAudit(caller)) return null;
  const items = await identity.audit.list(organizationId, { limit: LAST_CHANGES, outcome: 'ok' });
  const names = await namesOf(identity, caller, items);
  return items.map(({ at, callerId, userId, action, target, changed }) => {
    const who = names.get(callerId) ?? names.get(userId ?? '') ?? 'The server';
    const whom = names.get(target);
    return {
      at: new Date(at).toISOString(),
      who,
      // Nobody reads that they did something to themselves.
      what: wordsOf(action, changed, whom === who ? undefined : whom),
      href: hrefOf(action, target),
    };
  });
}

async function namesOf(
  identity: Host['identity'],
  caller: Caller,
  items: readonly AuditItem[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { callerId, target, userId } of items)
    for (const id of [callerId, target]) {
      if (names.has(id) || !id.includes('_')) continue;
      const member = await identity.getMember(caller.organizationId, id);
      if (member !== undefined) names.set(id, member.name);
      else if (userId !== null && id === callerId)
        names.set(id, (await identity.memberOf(caller.organizationId, userId))?.name ?? id);
    }
  return names;
}

/** What reads badly when it is put together from its parts. */
const SAID: Readonly<Record<string, string>> = {
  'session.opened': 'signed in',
  'session.ended': 'signed a browser out',
  'sign_in_link.created': 'made a sign-in link',
  'password.set': 'set a password',
  'passkey.added': 'added a passkey',
  'passkey.removed': 'removed a passkey',
  'account.updated': 'changed their account',
  'settings.updated': 'changed the settings',
  'member.joined': 'joined',
  'member.invited': 'invited somebody',
  'member.uninvited': 'took an invitation back',
  'member.roles_changed': 'changed the roles of a member',
  'agent.key_changed': 'changed the key of an agent',
};

/** `key.created` of a key named CI reads as "created the key: CI". */
function wordsOf(action: string, changed: AuditItem['changed'], name: string | undefined): string {
  const [noun = action, verb = ''] = action.split('.');
  const plain = (word: string) => word.replaceAll('_', ' ');
  const isVerb = /^[a-z]+ed$/.test(verb);
  const words = SAID[action] ?? (isVerb ? `${verb} the ${plain(noun)}` : plain(`${noun} ${verb}`));
  const own = ['name', 'title', 'email']
    .map((field) => changed[field])
    .find((value) => typeof value === 'string');
  const what = typeof own === 'string' ? own : name;
  return what === undefined ? words : `${words}: ${what}`;
}

/** Where the things of each noun are; those that can be opened there take their id behind it. */
const PLACES: Readonly<Record<string, { readonly list: string; readonly isOpened?: boolean }>> = {
  agent: { list: '/console/agents', isOpened: true },
  bundle: { list: '/console/agents?tab=bundles' },
  connection: { list: '/console/connections', isOpened: true },
  key: { list: '/console/organization/keys', isOpened: true },
  member: { list: '/console/organization/members', isOpened: true },
  organization: { list: '/console/organization/settings' },
  project: { list: '/console/organization/projects' },
  role: { list: '/console/organization/roles' },
  session: { list: '/console/organization/sessions' },
  virtual: { list: '/console/virtual-mcps', isOpened: true },
};

const GONE = /[._](?:deleted|removed|revoked|uninvited)$/;

function hrefOf(action: string, target: string): string | null {
  const [noun = ''] = action.split(/[._]/, 1);
  const place = Object.hasOwn(PLACES, noun) ? PLACES[noun] : undefined;
  if (place === undefined) return null;
  const isThere = place.isOpened === true && !GONE.test(action);
  return isThere ? `${place.list}/${encodeURIComponent(target)}` : place.list;
}
