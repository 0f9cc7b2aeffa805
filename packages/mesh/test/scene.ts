/** One test's own place on a bed that others use too: two new organizations, and typed clients of their people. */
import { randomBytes } from 'node:crypto';
import type { Caller, Grants } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { onTestFinished } from 'vitest';
import type { BedPerson } from '@parley/identity/testing';
import { foundOrganization, joinOrganization, keyOf } from '@parley/identity/testing';
import type { MeshBed, MeshClient } from './mesh-bed.ts';
import { meshToolset } from '../src/toolset.ts';

/** Two organizations without a past, and an upstream that starts anew. */
export async function newScene(bed: MeshBed) {
  const { identity, services, upstream, store } = bed;
  upstream.reset();
  const mark = randomBytes(6).toString('hex');
  const home = await foundOrganization(identity, `own-${mark}`);
  const away = await foundOrganization(identity, `foreign-${mark}`);
  const open = async (as: Caller): Promise<MeshClient> => {
    const client = await connect(meshToolset, { services, as });
    onTestFinished(() => client.close());
    return client;
  };
  let joined = 0;
  return {
    store,
    identity,
    upstream,
    slug: home.slug,
    own: home.id,
    foreign: away.id,
    owner: home.owner,
    /** Alone in the other organization. */
    stranger: away.owner,
    content: () => bed.content(),
    tables: () => bed.tables(),
    /** The tools as the owner has them, changed where the test needs it. */
    as: (changes: Partial<Caller> = {}) => open({ ...home.owner.caller, ...changes }),
    /** The tools as the key gives them now. */
    async byKey({ key }: Pick<BedPerson, 'key'>) {
      const caller = await identity.authenticate(key, 'key');
      if (caller === undefined) throw new Error('This key is not valid any more.');
      return open(caller);
    },
    async join(roles: readonly string[], grants?: Grants): Promise<BedPerson> {
      const email = `person${(joined += 1)}@${home.slug}.example`;
      const given = { name: `Person ${joined}`, email, roles, ...(grants && { grants }) };
      return joinOrganization(identity, home, given);
    },
    keyOf: (maker: Caller, grants: Grants) => keyOf(identity, maker, grants),
  };
}

export type Scene = Awaited<ReturnType<typeof newScene>>;

/** A connection over HTTP, as it is given. */
export const http = (title: string, more: object = {}) => ({
  title,
  connection_type: 'HTTP' as const,
  connection_url: 'https://upstream.example/mcp',
  ...more,
});

/** Makes a connection and returns it; the data is what a test wants to try. */
export async function made(client: MeshClient, data: object) {
  // The server checks it, which is the point.
  const input = { data } as Parameters<typeof client.call<'COLLECTION_CONNECTIONS_CREATE'>>[1];
  return (await client.call('COLLECTION_CONNECTIONS_CREATE', input)).item;
}

/** The events of an organization, without what differs from run to run. */
export async function eventsOf(store: Store, organizationId: string) {
  const rows = await store
    .db<{ events: { type: string; source: string; data: string; organization_id: string; seq: number } }>()
    .selectFrom('events')
    .select(['type', 'source', 'data'])
    .where('organization_id', '=', organizationId)
    .orderBy('seq')
    .execute();
  return rows.map(({ type, source, data }) => ({ type, source, data: JSON.parse(data) as unknown }));
}
