/** Tokens that are renewed: once, in time, and not given up before their server says so. */
import type { ServerResponse } from 'node:http';
import type { DownstreamTokenRow, Renewal } from '@parley/connections';
import { keepRenewal, leaseToken, openedToken, tokenRowOf } from '@parley/connections';
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { CredentialsBed } from '../../../test/credentials-bed.ts';
import {
  called,
  CREDENTIAL_MIGRATIONS,
  openCredentials,
  send,
  startCredentials,
} from '../../../test/credentials-bed.ts';

const HOUR_MS = 3_600_000;

const refreshesOf = ({ provider }: CredentialsBed) =>
  provider.asked.filter((grant) => grant === 'refresh_token').length;

onBothEngines(
  'a token',
  (open) => {
    const authorized = async () => {
      const bed = await openCredentials(await open());
      const { owner, admin } = bed.acme;
      const id = await bed.create(owner.caller);
      await bed.authorize(owner.caller, id, bed.provider);
      const call = (caller = owner.caller) => called(bed, caller, id);
      return { ...bed, id, owner, admin, call };
    };

    test('check 23: that is over is renewed once for 20 calls of two processes', async () => {
      const bed = await authorized();
      const { id, owner, clock } = bed;
      const other = startCredentials(await open(), { clock });
      expect(await called(other, owner.caller, id)).toBe('ada');
      clock.nowMs += HOUR_MS;
      bed.provider.endAccess();
      const calls = Array.from({ length: 20 }, (_each, index) =>
        called(index % 2 === 0 ? bed : other, owner.caller, id),
      );
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['ada']));
      expect(refreshesOf(bed)).toBe(1);
    });

    test('is renewed 5 minutes before its end, while calls go on with it', async () => {
      const bed = await authorized();
      const { clock } = bed;
      const before = await bed.targets.targetFor(bed.owner.caller, bed.id);
      clock.nowMs += HOUR_MS - 5 * 60_000 - 1;
      expect(await bed.call()).toBe('ada');
      expect(refreshesOf(bed)).toBe(0);
      clock.nowMs += 1000;
      expect(await bed.call()).toBe('ada');
      await eventually(async () => {
        const { token } = await bed.targets.targetFor(bed.owner.caller, bed.id);
        expect(token).not.toBe(before.token);
      });
      expect(refreshesOf(bed)).toBe(1);
    });

    test('that its server refuses is renewed once, and the call made once more', async () => {
      const bed = await authorized();
      bed.clock.nowMs += 60_000;
      bed.provider.endAccess();
      expect(await bed.call()).toBe('ada');
      expect(refreshesOf(bed)).toBe(1);
      // Renewed for that just now, and refused all the same: it may pass, and another one would not help.
      bed.provider.endAccess();
      expect(await bed.call()).toBe('unreachable');
      expect(refreshesOf(bed)).toBe(1);
      bed.clock.nowMs += 30_000;
      expect(await bed.call()).toBe('ada');
      expect(refreshesOf(bed)).toBe(2);
    });

    test('that was given just now and is refused is renewed too, and ends only with the word of its server', async () => {
      const bed = await authorized();
      bed.provider.endAccess();
      expect(await bed.call()).toBe('ada');
      expect(refreshesOf(bed)).toBe(1);
      bed.clock.nowMs += 30_000;
      bed.provider.endAccess();
      bed.provider.endRefresh();
      expect(await bed.call()).toBe('auth_required');
    });

    test('that a frozen process renewed counts when it wakes, also after another was refused for it', async () => {
      const bed = await authorized();
      const { store, id, owner, clock } = bed;
      const place = { organizationId: bed.acme.id, connectionId: id, userId: owner.userId };
      const keep = (leased: DownstreamTokenRow, renewal: Renewal) =>
        store.transaction((tx) => keepRenewal(tx, store.secrets, leased, { renewal, now: clock.nowMs }));
      const lease = async (by: string) => {
        const row = (await tokenRowOf(store, place))!;
        const at = { by, now: clock.nowMs, untilMs: clock.nowMs + 30_000 };
        return (await leaseToken(store, row, at))!;
      };
      const renewed = (access: string): Renewal => ({
        kind: 'renewed',
        token: { access, refresh: `${access} again` },
      });
      const opened = async () => openedToken(store.secrets, (await tokenRowOf(store, place))!);
      const frozen = await lease('frozen');
      clock.nowMs += 40_000;
      const loser = await lease('loser');
      expect(await keep(loser, { kind: 'refused', isUseless: false })).toBe(true);
      expect(await tokenRowOf(store, place)).toMatchObject({ needs_reauth: 1 });
      expect(await keep(frozen, renewed('first'))).toBe(true);
      expect(await tokenRowOf(store, place)).toMatchObject({ needs_reauth: 0, lease_owner: null });
      expect(await opened()).toMatchObject({ access: 'first', refresh: 'first again' });
      // Another still asks: the token that is shown is the same, so the answer counts.
      const slow = await lease('slow');
      clock.nowMs += 40_000;
      const asking = await lease('asking');
      expect(await keep(slow, renewed('second'))).toBe(true);
      // What was replaced meanwhile stands.
      expect(await keep(asking, renewed('third'))).toBe(false);
      expect(await keep(asking, { kind: 'refused', isUseless: true })).toBe(false);
      expect(await opened()).toMatchObject({ access: 'second', refresh: 'second again' });
    });

    const answered =
      (status: number, body: string, headers: Record<string, string> = {}) =>
      ({ url }: { url: string }, response: ServerResponse) => {
        if (url !== '/token') return false;
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
        return true;
      };
    test.each([
      ['500', answered(500, '{}')],
      ['429', answered(429, '{}', { 'retry-after': '2' })],
      ['no JSON', answered(200, 'hello')],
      ['a token that no header can carry', answered(200, '{"access_token":"a b","token_type":"Bearer"}')],
      ['another error', answered(400, '{"error":"invalid_client"}')],
      [
        'an answer that breaks off',
        (_: unknown, response: ServerResponse) => response.destroy() !== undefined,
      ],
    ])('check 23: is kept when its endpoint answers %s, and works later', async (_name, fault) => {
      const bed = await authorized();
      const { clock, provider } = bed;
      provider.script.fault = fault;
      clock.nowMs += HOUR_MS - 60_000;
      // Not over yet: the call is made with what there is.
      expect(await bed.call()).toBe('ada');
      await eventually(async () =>
        expect(await bed.auth.state(bed.owner.caller, bed.id)).toMatchObject({ state: 'expiring' }),
      );
      clock.nowMs += HOUR_MS;
      const place = { organizationId: bed.acme.id, connectionId: bed.id, userId: bed.owner.userId };
      // The first of these may still wait for what was tried before.
      await eventually(async () => {
        expect(await bed.call()).toBe('unreachable');
        expect((await tokenRowOf(bed.store, place))?.retry_at).toBeGreaterThan(clock.nowMs);
      });
      const tries = provider.seen.filter(({ url }) => url === '/token').length;
      // Waits before it asks again.
      expect(await bed.call()).toBe('unreachable');
      expect(provider.seen.filter(({ url }) => url === '/token').length).toBe(tries);
      provider.script.fault = undefined;
      clock.nowMs += HOUR_MS;
      expect(await bed.call()).toBe('ada');
      expect(bed.published.filter(({ type }) => type === 'connection.auth_required')).toEqual([]);
    });

    test('check 23: whose renewal is refused for good needs its person, and nobody else is touched', async () => {
      const bed = await authorized();
      const { clock, provider, id, owner, admin } = bed;
      provider.endRefresh();
      provider.script.account = 'alex';
      await bed.authorize(admin.caller, id, provider);
      clock.nowMs += HOUR_MS;
      expect(await bed.call()).toBe('auth_required');
      const fault = await bed.targets
        .through(owner.caller, id, (target, headers) => send(target, headers))
        .catch((error: unknown) => error);
      expect(fault).toMatchObject({
        kind: 'auth_required',
        link: expect.stringMatching(/^http:\/\/localhost:4680\/oauth\/start\/parley_start_/) as unknown,
      });
      expect(await bed.call(admin.caller)).toBe('alex');
      expect(await bed.auth.state(owner.caller, id)).toMatchObject({ state: 'needs_reauth' });
      expect(await bed.auth.state(admin.caller, id)).toMatchObject({ state: 'ok' });
      const place = { organizationId: bed.acme.id, connectionId: id, userId: owner.userId };
      expect(await tokenRowOf(bed.store, place)).toMatchObject({ needs_reauth: 1, lease_owner: null });
      expect(bed.published.filter(({ type }) => type === 'connection.auth_required')).toMatchObject([
        { subject: id, data: { id, title: 'Notes', user_id: owner.userId } },
      ]);
      const before = provider.asked.length;
      expect(await bed.call()).toBe('auth_required');
      expect(provider.asked.length).toBe(before);
      provider.script.account = 'ada';
      await bed.authorize(owner.caller, id, provider);
      expect(await bed.call()).toBe('ada');
      expect(await bed.auth.state(owner.caller, id)).toMatchObject({ state: 'ok' });
    });

    test('of a client that signs in by itself is fetched once, and again when it is over', async () => {
      const bed = await openCredentials(await open());
      const { acme, provider, clock } = bed;
      const client = provider.addClient();
      const id = await bed.create(acme.owner.caller, {
        oauth_config: {
          authorizationEndpoint: `${provider.origin}/authorize`,
          tokenEndpoint: `${provider.origin}/token`,
          clientId: client.id,
          clientSecret: client.secret,
          scopes: [],
          grantType: 'client_credentials',
        },
      });
      const all = [acme.owner.caller, acme.admin.caller, acme.owner.caller, acme.admin.caller];
      const accounts = await Promise.all(all.map((caller) => called(bed, caller, id)));
      expect(new Set(accounts)).toEqual(new Set([`client ${client.id}`]));
      expect(provider.asked).toEqual(['client_credentials']);
      clock.nowMs += HOUR_MS;
      provider.endAccess();
      expect(await called(bed, acme.admin.caller, id)).toBe(`client ${client.id}`);
      expect(provider.asked).toEqual(['client_credentials', 'client_credentials']);
    });
  },
  CREDENTIAL_MIGRATIONS,
);
