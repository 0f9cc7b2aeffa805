/** Signing in to the console on both engines: what lets somebody in, what does not, how guessing is slowed, and how sessions end. */
import { quickPasswords } from '@parley/test-support/quick-passwords';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../../test/engines.ts';
import type { Place } from '../../../test/people.ts';
import { found, join, keyFor, refusalOf, settle } from '../../../test/people.ts';
import type { IdentityTables } from '../../schema.ts';
import { createIdentity } from '../../index.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HERE = { address: '203.0.113.7', device: 'Firefox on Linux' };
const PASSWORD = 'quartz candle ferry mango';
const EMAIL = 'ada@acme.example';

const costs = quickPasswords();

/** An owner who is signed in by a link. */
async function signedIn(place: Place) {
  const { identity } = place;
  const owner = await found(identity);
  const { token } = await identity.web.createLink();
  const opened = await identity.web.enter({ method: 'link', token }, HERE);
  const session = await identity.web.find(opened?.token ?? '');
  if (opened === undefined || session === undefined) throw new Error('The link let nobody in.');
  return { owner, opened, session };
}

/** The same with an e-mail and a password. */
async function withPassword(place: Place) {
  const { identity } = place;
  const { session, ...rest } = await signedIn(place);
  await identity.web.changeAccount(session, { email: EMAIL });
  expect(await identity.web.setPassword(session, { password: PASSWORD, isFresh: true }, HERE.address)).toBe(
    true,
  );
  return { session, ...rest };
}

const guess = (place: Place, password: string, email = EMAIL, address = HERE.address) =>
  place.identity.web.enter({ method: 'password', email, password }, { ...HERE, address });

onBothEngines('signing in', (open) => {
  test('a link works once, and not after 15 minutes', async () => {
    const place = await settle(await open());
    const { identity, clock } = place;
    await found(identity);
    const { token, expiresAt } = await identity.web.createLink();
    expect(token).toMatch(/^parley_link_[\w-]{43}$/);
    expect(expiresAt).toBe(clock.nowMs + 15 * MINUTE_MS);
    const both = await Promise.all([1, 2].map(() => identity.web.enter({ method: 'link', token }, HERE)));
    expect(both.filter((opened) => opened !== undefined)).toHaveLength(1);
    const late = await identity.web.createLink();
    clock.nowMs = late.expiresAt;
    expect(await identity.web.enter({ method: 'link', token: late.token }, HERE)).toBeUndefined();
    const stored = await place.store.db<IdentityTables>().selectFrom('sign_in_links').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(late.token.slice(-43));
    expect((await refusalOf(identity.web.createLink('nobody@acme.example'))).code).toBe('not_found');
  });

  test('a visitor of the public pages gets no link, and their session opens no console', async () => {
    const { identity } = await settle(await open());
    const owner = await found(identity);
    const { userId } = await join(identity, owner, ['user']);
    expect((await refusalOf(identity.web.createLink(userId))).code).toBe('not_found');
    const visitor = await identity.sessions.open({ organizationId: owner.organizationId, userId });
    expect(await identity.web.find(visitor.token)).toBeUndefined();
  });

  test('a key lets its owner in only when it may do all that they may', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const owner = await found(identity);
    const whole = await keyFor(identity, owner);
    const narrow = await keyFor(identity, owner, { feedback: ['*'] });
    const ranked = await identity.createKey(owner, {
      name: 'R',
      grants: { '*': ['*'] },
      expiresAt: null,
      role: 'member',
    });
    const enter = (key: string) => identity.web.enter({ method: 'key', key }, HERE);
    expect(await enter(whole.text)).toBeDefined();
    for (const key of [narrow.text, ranked.text, `${whole.text}x`, 'x'])
      expect(await enter(key), key).toBeUndefined();
    await keyFor(identity, owner);
    await identity.revokeKey(owner, whole.info.id);
    expect(await enter(whole.text)).toBeUndefined();
  });

  test('a password has 12 characters, is none of the common ones, and is stored as nothing but a slow hash', async () => {
    const place = await settle(await open());
    const { identity, store } = place;
    const { session } = await signedIn(place);
    const set = (password: string) =>
      identity.web.setPassword(session, { password, isFresh: true }, HERE.address);
    expect((await refusalOf(set(PASSWORD))).message).toMatch(/^email: /);
    await identity.web.changeAccount(session, { email: ` ${EMAIL.toUpperCase()} ` });
    for (const weak of [
      'elevenchars',
      'x'.repeat(257),
      'aaaaaaaaaaaa',
      'abcabcabcabc',
      '1qaz2wsx3edc',
      'QWERTY123456',
      'abcdefghijkl',
      '987654321098',
      'Password123!',
      'P@ssw0rd1234',
      'iloveyou1234',
      '1234password',
      'passwordpassword1',
      'ｐａｓｓｗｏｒｄ１２３４',
      EMAIL,
    ])
      expect((await refusalOf(set(weak))).message, weak).toMatch(/^password: /);
    expect(await set(PASSWORD)).toBe(true);
    const rows = await store.db<IdentityTables>().selectFrom('passwords').selectAll().execute();
    expect(rows[0]?.hash).toMatch(/^scrypt-1 \S{22} \S{43}$/);
    expect([...costs]).toEqual(['N 32768, r 8, p 3']);
    expect(await guess(place, PASSWORD)).toBeDefined();
    for (const wrong of [PASSWORD.toUpperCase(), `${PASSWORD} `, ''])
      expect(await guess(place, wrong), wrong).toBeUndefined();
    expect(await identity.web.hasOwnerSignIn()).toBe(true);
  });

  test('a new password ends every other session, and needs the old one or a fresh sign-in', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { session, opened } = await withPassword(place);
    const other = await guess(place, PASSWORD);
    const next = 'velvet anchor picnic tornado';
    const set = (current: string | undefined, isFresh: boolean) =>
      identity.web.setPassword(session, { password: next, current, isFresh }, HERE.address);
    expect(await set(undefined, false)).toBe(false);
    expect(await set('wrong', true)).toBe(false);
    expect(await identity.web.find(other?.token ?? '')).toBeDefined();
    expect(await set(PASSWORD, false)).toBe(true);
    expect(await identity.web.find(other?.token ?? '')).toBeUndefined();
    expect(await identity.web.find(opened.token)).toBeDefined();
    expect(await guess(place, PASSWORD)).toBeUndefined();
    expect(await guess(place, next)).toBeDefined();
  });

  test('who guesses at the password before is slowed down as at the door, and the right one is refused too', async () => {
    const place = await settle(await open());
    const { session } = await withPassword(place);
    const set = (current: string) => {
      const given = { password: 'velvet anchor picnic tornado', current, isFresh: false };
      return place.identity.web.setPassword(session, given, HERE.address);
    };
    for (let count = 0; count < 5; count += 1) expect(await set(`guess ${count}`)).toBe(false);
    for (const next of ['guess', PASSWORD]) expect((await refusalOf(set(next))).code).toBe('rate_limited');
    place.clock.nowMs += SECOND_MS;
    expect(await set(PASSWORD)).toBe(true);
  });

  test('five failures slow an account down at an address, with a growing delay, known or not', async () => {
    const place = await settle(await open());
    const { clock } = place;
    await withPassword(place);
    for (const email of [EMAIL, 'unknown@acme.example']) {
      const address = `198.51.100.${email.length}`;
      const wrong = () => guess(place, 'wrong', email, address);
      for (let count = 0; count < 5; count += 1) expect(await wrong()).toBeUndefined();
      const delays: number[] = [];
      for (let count = 0; count < 3; count += 1) {
        const { code, data } = await refusalOf(wrong());
        expect(code).toBe('rate_limited');
        const { retryAfterMs } = data as { retryAfterMs: number };
        delays.push(retryAfterMs);
        clock.nowMs += retryAfterMs;
        expect(await wrong()).toBeUndefined();
      }
      expect(delays).toEqual([1, 2, 4].map((seconds) => seconds * SECOND_MS));
      // From another address, the account is not slowed down yet.
      expect(await guess(place, 'wrong', email, '198.51.100.200')).toBeUndefined();
      clock.nowMs += 16 * MINUTE_MS;
      expect(await wrong()).toBeUndefined();
      expect(await wrong()).toBeUndefined();
    }
  });

  test('a flood over two processes gets five looks at the password, not one more', async () => {
    const place = await settle(await open());
    const { clock, store } = place;
    await withPassword(place);
    const second = createIdentity(store, { now: () => clock.nowMs });
    const flood = Array.from({ length: 40 }, (_, at) => {
      const { web } = at % 2 === 0 ? place.identity : second;
      return web.enter({ method: 'password', email: EMAIL, password: `wrong ${at}` }, HERE).then(
        () => 'looked',
        () => 'refused',
      );
    });
    const seen = await Promise.all(flood);
    expect(seen.filter((one) => one === 'looked')).toHaveLength(5);
    second.close();
  });

  test('one address that tries many accounts is slowed down as a whole', async () => {
    const place = await settle(await open());
    await found(place.identity);
    for (let count = 0; count < 20; count += 1)
      expect(await place.identity.web.enter({ method: 'key', key: `k${count}` }, HERE)).toBeUndefined();
    expect((await refusalOf(place.identity.web.enter({ method: 'key', key: 'k' }, HERE))).code).toBe(
      'rate_limited',
    );
  });

  test('a success forgets the failures', async () => {
    const place = await settle(await open());
    await withPassword(place);
    for (let round = 0; round < 2; round += 1) {
      for (let count = 0; count < 4; count += 1) expect(await guess(place, 'wrong')).toBeUndefined();
      expect(await guess(place, PASSWORD)).toBeDefined();
    }
  });
});

onBothEngines('sessions of the console', (open) => {
  test('live for 30 days after their last use, and say who is there with which rights', async () => {
    const place = await settle(await open());
    const { identity, clock, store } = place;
    const { session, opened, owner } = await signedIn(place);
    expect(session.caller).toMatchObject({ source: 'web', roles: ['owner'], userId: owner.userId });
    expect(opened.token).toMatch(/^parley_web_[\w-]{43}$/);
    const stored = JSON.stringify(
      await store.db<IdentityTables>().selectFrom('web_sessions').selectAll().execute(),
    );
    for (const secret of [opened.token.slice(-43), session.csrfToken]) expect(stored).not.toContain(secret);
    clock.nowMs += 29 * DAY_MS;
    expect(await identity.web.find(opened.token)).toBeDefined();
    clock.nowMs += 29 * DAY_MS;
    expect(await identity.web.find(opened.token)).toBeDefined();
    clock.nowMs += 30 * DAY_MS;
    expect(await identity.web.find(opened.token)).toBeUndefined();
    for (const token of ['', 'x', `${opened.token}x`])
      expect(await identity.web.find(token), token).toBeUndefined();
  });

  test('are fresh for 15 minutes after somebody showed who they are, and only their own proof counts', async () => {
    const place = await settle(await open());
    const { identity, clock } = place;
    const { session, opened, owner } = await withPassword(place);
    const later = async () => (await identity.web.find(opened.token))!;
    expect(session.freshUntil).toBe(clock.nowMs + 15 * MINUTE_MS);
    clock.nowMs += 20 * MINUTE_MS;
    expect((await later()).freshUntil).toBeLessThan(clock.nowMs);
    const prove = async (shown: Parameters<typeof identity.web.prove>[1]) =>
      identity.web.prove(await later(), shown, HERE.address);
    const { key } = await join(identity, owner, ['admin']);
    expect(await prove({ method: 'password', password: 'wrong' })).toBe(false);
    expect(await prove({ method: 'key', key: key.text })).toBe(false);
    expect((await later()).freshUntil).toBeLessThan(clock.nowMs);
    expect(await prove({ method: 'password', password: PASSWORD })).toBe(true);
    expect((await later()).caller.freshUntil).toBe(clock.nowMs + 15 * MINUTE_MS);
  });

  test('are listed and ended by their own person alone', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { session, opened, owner } = await signedIn(place);
    const { key, userId } = await join(identity, owner, ['member']);
    const other = await identity.web.enter(
      { method: 'key', key: key.text },
      { ...HERE, device: 'Safari on iPhone' },
    );
    expect(await identity.web.list(userId)).toMatchObject([
      { id: other?.id, device: 'Safari on iPhone', method: 'key' },
    ]);
    expect(await identity.web.end(userId, session.id)).toBe(false);
    expect(await identity.web.find(opened.token)).toBeDefined();
    expect(await identity.web.end(session.userId, session.id)).toBe(true);
    expect(await identity.web.find(opened.token)).toBeUndefined();
    expect(await identity.web.find(other?.token ?? '')).toBeDefined();
  });

  test('follow their person to other organizations, and end with the last of them', async () => {
    const place = await settle(await open());
    const { identity } = place;
    const { owner } = await signedIn(place);
    const rival = await found(identity, 'rival');
    const { key, userId } = await join(identity, owner, ['member']);
    const opened = await identity.web.enter({ method: 'key', key: key.text }, HERE);
    const now = async () => identity.web.find(opened?.token ?? '');
    expect(await identity.web.move((await now())!, rival.organizationId)).toBe(false);
    await identity.addMember(rival, { userId, roles: ['admin'] });
    expect(await identity.web.move((await now())!, rival.organizationId)).toBe(true);
    expect((await now())?.caller).toMatchObject({ organizationId: rival.organizationId, roles: ['admin'] });
    await identity.removeMember(rival, userId);
    expect((await now())?.caller).toMatchObject({ organizationId: owner.organizationId, roles: ['member'] });
    const member = await identity.memberOf(owner.organizationId, userId);
    await identity.setRank(owner, member!.id, 'user');
    expect(await now()).toBeUndefined();
  });

  test('of one person are at most 50, and the ones used last stay', async () => {
    const place = await settle(await open());
    const { identity, clock } = place;
    const owner = await found(identity);
    const { text } = await keyFor(identity, owner);
    const tokens: string[] = [];
    for (let count = 0; count < 52; count += 1) {
      clock.nowMs += SECOND_MS;
      tokens.push((await identity.web.enter({ method: 'key', key: text }, HERE))!.token);
    }
    expect(await identity.web.list(owner.userId ?? '')).toHaveLength(50);
    expect(await identity.web.find(tokens[0]!)).toBeUndefined();
    expect(await identity.web.find(tokens.at(-1)!)).toBeDefined();
  });

  test('nobody is signed in where the console is switched off', async () => {
    const place = await settle(await open());
    const { opened } = await signedIn(place);
    const closed = createIdentity(place.store, { now: () => place.clock.nowMs, hasWeb: false });
    expect(await closed.web.find(opened.token)).toBeUndefined();
    closed.close();
  });
});
