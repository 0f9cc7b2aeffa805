/** Who the people of an archive are here: found by e-mail, else made; remembered, so that a second run agrees. */
import type { Identity, IdentityTables } from '@parley/identity';
import { createIdentity } from '@parley/identity';
import { typeId } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { FeedbackTables } from '../schema.ts';
import { fromIdentityId, toIdentityId } from '../ids.ts';
import type { PeopleMap } from './archive-columns.ts';
import type { Person } from './archive-records.ts';
import { selectPuppets } from './authors.ts';
import type { Importer } from './import-posts.ts';
import { partsOf } from './write-posts.ts';

/** The people of one import. */
export interface ArchivePeople extends PeopleMap {
  /** Finds or makes somebody; kept for good by `keep`. */
  place(person: Person): Promise<void>;
  /** Writes who was placed since the last time. */
  keep(tx: StoreTransaction): Promise<void>;
  close(): void;
}

/** What the people are placed with. */
export interface ArchivePeopleOptions {
  readonly store: Store;
  readonly importer: Importer;
  readonly importKey: string;
  readonly now: () => number;
}

/** Reads who was placed by an earlier run. */
export async function openArchivePeople(options: ArchivePeopleOptions): Promise<ArchivePeople> {
  const { store, importer, importKey, now } = options;
  const { organizationId } = importer.actor;
  const rows = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_archive_people')
    .select(['source_id', 'target_id'])
    .where('organization_id', '=', organizationId)
    .where('import_key', '=', importKey)
    .execute();
  const targets = new Map(rows.map(({ source_id, target_id }) => [source_id, target_id]));
  const taken = new Set(targets.values());
  const fresh: [string, string][] = [];
  // People join when they joined where they come from.
  let joinedAt = now();
  const identity = createIdentity(store, { now: () => joinedAt });
  const remember = (source: string | null, target: string | undefined) => {
    if (source === null || target === undefined) return;
    targets.set(source, target);
    taken.add(target);
    fresh.push([source, target]);
  };
  const find = (id: string): string => {
    const found = targets.get(id);
    if (found === undefined) throw new Error(`Nobody was placed for ${id}.`);
    return found;
  };
  return {
    member: find,
    user: find,
    mentioned(id) {
      const target = targets.get(id);
      return target === undefined ? id : fromIdentityId('member', target);
    },
    async place(person) {
      if (targets.has(person.memberId ?? person.userId ?? '')) return;
      joinedAt = person.joinedAt === null ? now() : Date.parse(person.joinedAt);
      const placed = await placeOne({ ...options, identity }, person, taken);
      remember(person.userId, placed.userId);
      remember(person.memberId, placed.memberId);
    },
    async keep(tx) {
      for (const part of partsOf(fresh.splice(0))) {
        const values = part.map(([source_id, target_id]) => ({
          organization_id: organizationId,
          import_key: importKey,
          source_id,
          target_id,
        }));
        await tx.db<FeedbackTables>().insertInto('feedback_archive_people').values(values).execute();
      }
    },
    close: () => identity.close(),
  };
}

interface Placed {
  readonly memberId?: string | undefined;
  readonly userId?: string | undefined;
}

async function placeOne(
  { store, importer, identity }: ArchivePeopleOptions & { readonly identity: Identity },
  person: Person,
  taken: ReadonlySet<string>,
): Promise<Placed> {
  const { name, email, role, isOwner } = person;
  if (role === null || name === null) return placeOutsider(store, identity, person);
  const roles = [role];
  if (email !== null) {
    const userId = await identity.ensureUser({ email, name });
    // An e-mail in a file lets nobody into a team who has an account elsewhere: those are invited.
    const isStranger = await identity.isStranger(importer.actor.organizationId, userId);
    const given = isStranger ? ['user'] : roles;
    return { userId, memberId: await identity.addMember(importer.caller, { userId, roles: given }) };
  }
  const { actor, caller } = importer;
  // The first owner of an installation has no e-mail; an importer without one is the same person.
  if (isOwner && !taken.has(actor.memberId) && (await isNamelessOwner(identity, importer)))
    return { userId: actor.userId, memberId: actor.memberId };
  const left = await leftBehind(store, importer, person, taken);
  if (left !== undefined) return left;
  const userId = await identity.createUser({ name, email: null });
  return { userId, memberId: await identity.addMember(caller, { userId, roles }) };
}

/** Somebody who is no member: what they left keeps their name. */
async function placeOutsider(
  store: Store,
  identity: Identity,
  { memberId, userId, name, email }: Person,
): Promise<Placed> {
  return {
    memberId: memberId === null ? undefined : await formerId(store, memberId),
    userId: userId === null ? undefined : await outsiderId(identity, name, email),
  };
}

async function outsiderId(identity: Identity, name: string | null, email: string | null): Promise<string> {
  // Nobody has this id, so what they left shows no name, as it did before.
  if (name === null) return typeId('user');
  return email === null ? identity.createUser({ name, email }) : identity.ensureUser({ name, email });
}

async function isNamelessOwner(identity: Identity, { actor, caller }: Importer): Promise<boolean> {
  const member = await identity.getMember(actor.organizationId, actor.memberId);
  return member?.email === null && caller.roles.includes('owner');
}

/** Somebody whom a run has made that was cut off before it could remember them. */
async function leftBehind(
  store: Store,
  { actor }: Importer,
  { name, joinedAt }: Person,
  taken: ReadonlySet<string>,
): Promise<Placed | undefined> {
  if (name === null || joinedAt === null) return undefined;
  const found = await selectPuppets({ store, actor }, [name])
    .where('member.created_at', '=', Date.parse(joinedAt))
    .execute();
  return found.find(({ memberId }) => !taken.has(memberId));
}

/** The id of somebody who has left stays what it was, unless a member here has it. */
async function formerId(store: Store, id: string): Promise<string> {
  const memberId = toIdentityId('member', id);
  const there = await store
    .db<IdentityTables>()
    .selectFrom('members')
    .select('id')
    .where('id', '=', memberId)
    .executeTakeFirst();
  return there === undefined ? memberId : typeId('mem');
}
