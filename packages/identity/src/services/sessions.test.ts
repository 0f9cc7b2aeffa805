/** Sign-in sessions on both engines: whom they stand for, when they end, and what is stored of them. */
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Place } from '../../test/people.ts';
import { BUILT_IN_ROLES, found, join, refusalOf, settle } from '../../test/people.ts';
import type { IdentityTables } from '../schema.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Somebody with the role, signed in. */
async function signIn({ identity }: Place, roles: string[] = ['member']) {
  const owner = await found(identity);
  const { userId } = await join(identity, owner, roles);
  const { organizationId } = owner;
  const session = await identity.sessions.open({ organizationId, userId });
  const member = await identity.memberOf(organizationId, userId);
  return { owner, userId, memberId: member!.id, organizationId, session };
}

const rowsOf = ({ store }: Place) =>
  store.db<IdentityTables>().selectFrom('sign_in_sessions').selectAll().execute();

onBothEngines('sign-in sessions', (open) => {
  test('stand for the member, in the browser, with the rights of now', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { owner, session, memberId, userId, organizationId } = await signIn(place);
    expect(await identity.sessions.find(session.token)).toEqual({
      csrfToken: session.csrfToken,
      memberId,
      userId,
      caller: {
        id: memberId,
        name: 'Bo',
        organizationId,
        userId,
        roles: ['member'],
        grants: BUILT_IN_ROLES.member,
        source: 'web',
        unattended: false,
      },
    });
    await identity.setRank(owner, memberId, 'user');
    const { caller } = (await identity.sessions.find(session.token))!;
    expect(caller).toMatchObject({ roles: ['user'] });
    expect(caller.grants).toEqual(BUILT_IN_ROLES.user);
  });

  test('the token has 256 random bits and stands nowhere in the database', async () => {
    const place = await settle(await open());
    const { session, organizationId, userId } = await signIn(place);
    const second = await place.identity.sessions.open({ organizationId, userId });
    expect(session.token).toMatch(/^parley_session_[\w-]{43}$/);
    expect(second.token).not.toBe(session.token);
    expect(second.csrfToken).not.toBe(session.csrfToken);
    expect(session.csrfToken).not.toContain(session.token.slice(-43));
    const stored = JSON.stringify(await rowsOf(place));
    for (const secret of [session.token.slice(-43), session.csrfToken]) expect(stored).not.toContain(secret);
    expect(await rowsOf(place)).toHaveLength(2);
  });

  test('an unknown token, a hash and an API key find nobody', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { owner, session } = await signIn(place);
    const key = await identity.createKey(owner, { name: 'K', grants: {}, expiresAt: null });
    const [row] = await rowsOf(place);
    const others = ['', 'x', key.text, row!.token_hash, session.token.slice(0, -1), `${session.token} `];
    for (const token of others) expect(await identity.sessions.find(token), token).toBeUndefined();
    expect(await identity.authenticate(session.token, 'key')).toBeUndefined();
  });

  test('end when they are closed, and no other ends with them', async () => {
    const place = await settle(await open());
    const { sessions } = place.identity;
    const { session, organizationId, userId } = await signIn(place);
    const second = await sessions.open({ organizationId, userId });
    await sessions.close(session.token);
    await sessions.close(session.token);
    await sessions.close('unknown');
    expect(await sessions.find(session.token)).toBeUndefined();
    expect(await sessions.find(second.token)).toBeDefined();
  });

  test('end after 12 hours without use, to the millisecond', async () => {
    const place = await settle(await open());
    const { sessions } = place.identity;
    const { session } = await signIn(place);
    place.clock.nowMs += 12 * HOUR_MS - 1;
    expect(await sessions.find(session.token)).toBeDefined();
    place.clock.nowMs += 12 * HOUR_MS - 1;
    expect(await sessions.find(session.token)).toBeDefined();
    place.clock.nowMs += 12 * HOUR_MS;
    expect(await sessions.find(session.token)).toBeUndefined();
    expect(await rowsOf(place)).toEqual([]);
  });

  test('end after 7 days, however busy', async () => {
    const place = await settle(await open());
    const { sessions } = place.identity;
    const started = place.clock.nowMs;
    const { session } = await signIn(place);
    expect(session.expiresAt).toBe(started + 7 * DAY_MS);
    for (let hours = 6; hours < 7 * 24; hours += 6) {
      place.clock.nowMs = started + hours * HOUR_MS;
      expect(await sessions.find(session.token), `after ${hours} hours`).toBeDefined();
    }
    place.clock.nowMs = session.expiresAt - 1;
    expect(await sessions.find(session.token)).toBeDefined();
    place.clock.nowMs = session.expiresAt;
    expect(await sessions.find(session.token)).toBeUndefined();
    expect(await rowsOf(place)).toEqual([]);
  });

  test('the last use is written at most once a minute', async () => {
    const place = await settle(await open());
    const { session } = await signIn(place);
    const started = place.clock.nowMs;
    const seenAfter = async (ms: number) => {
      place.clock.nowMs = started + ms;
      await place.identity.sessions.find(session.token);
      return (await rowsOf(place))[0]!.seen_at - started;
    };
    expect(await seenAfter(MINUTE_MS - 1)).toBe(0);
    expect(await seenAfter(MINUTE_MS)).toBe(MINUTE_MS);
    expect(await seenAfter(2 * MINUTE_MS - 1)).toBe(MINUTE_MS);
  });

  test('sessions that nobody comes back to are swept at the next sign-in', async () => {
    const place = await settle(await open());
    const { organizationId, userId } = await signIn(place);
    place.clock.nowMs += 11 * HOUR_MS;
    const fresh = await place.identity.sessions.open({ organizationId, userId });
    expect(await rowsOf(place)).toHaveLength(2);
    place.clock.nowMs += HOUR_MS;
    await place.identity.sessions.open({ organizationId, userId });
    expect(await rowsOf(place)).toHaveLength(2);
    expect(await place.identity.sessions.find(fresh.token)).toBeDefined();
  });

  test('are gone with the member, and stay gone when the person is added again', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { owner, session, memberId, userId } = await signIn(place);
    const { caller } = (await identity.sessions.find(session.token))!;
    expect(await identity.current(caller)).toEqual(caller);
    await identity.removeMemberById(owner, memberId);
    expect(await identity.sessions.find(session.token)).toBeUndefined();
    expect(await identity.current(caller)).toBeUndefined();
    await identity.addMember(owner, { userId, roles: ['member'] });
    expect(await identity.sessions.find(session.token)).toBeUndefined();
    expect(await rowsOf(place)).toEqual([]);
  });

  test('a member in the browser stands as now, and their id is worth nothing from another source', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { owner, session, memberId } = await signIn(place, ['admin']);
    const { caller } = (await identity.sessions.find(session.token))!;
    await identity.setRank(owner, memberId, 'member');
    expect(await identity.current(caller)).toMatchObject({ source: 'web', roles: ['member'] });
    expect(await identity.current({ ...caller, source: 'key' })).toBeUndefined();
    const other = await found(identity, 'other');
    const foreign = { ...caller, id: 'mem_x', organizationId: other.organizationId };
    expect(await identity.current(foreign)).toBeUndefined();
  });

  test('somebody who is no member of that organization cannot sign in to it', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { userId, organizationId } = await signIn(place);
    const other = await found(identity, 'other');
    for (const input of [
      { organizationId: other.organizationId, userId },
      { organizationId, userId: other.userId! },
      { organizationId: 'org_unknown', userId },
    ]) {
      expect(await refusalOf(identity.sessions.open(input))).toMatchObject({ code: 'not_found' });
    }
    expect(await rowsOf(place)).toHaveLength(1);
  });
});
