/** An e-mail that somebody took before its owner came: whatever is meant for it reaches nobody but its owner. */
import type { Caller } from '@parley/kit';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Place } from '../../test/people.ts';
import { found, join, refusalOf, settle } from '../../test/people.ts';

const EMAIL = 'vera@here.example';
const BROWSER = { address: '203.0.113.7', device: 'Firefox on Linux' };

/** How somebody elsewhere on the server takes it; what they can act with afterwards. */
type Taking = (place: Place, elsewhere: Caller) => Promise<{ userId: string; key?: string }>;

const CLAIMED: Readonly<Record<string, Taking>> = {
  async 'a member who changes their own e-mail'({ identity }, elsewhere) {
    const { userId, key } = await join(identity, elsewhere, ['member']);
    const opened = await identity.web.enter({ method: 'key', key: key.text }, BROWSER);
    const session = await identity.web.find(opened?.token ?? '');
    await identity.web.changeAccount(session!, { email: EMAIL });
    return { userId, key: key.text };
  },
  async 'an administrator who invites it and opens the link themselves'({ identity }, elsewhere) {
    const { token } = await identity.invitations.create(elsewhere, { email: EMAIL });
    const { key } = await identity.invitations.accept(token, { email: EMAIL, name: 'Vera' });
    const taker = await identity.authenticate(key, 'key');
    return { userId: taker!.userId!, key };
  },
};

const importElsewhere: Taking = async ({ identity }, elsewhere) => {
  const userId = await identity.ensureUser({ email: EMAIL, name: 'Chosen elsewhere' });
  await identity.addMember(elsewhere, { userId, roles: ['user'] });
  return { userId };
};

onBothEngines('an e-mail that was taken before', (open) => {
  async function scene(taking: Taking) {
    const place = await settle(await open());
    const [elsewhere, here] = [await found(place.identity, 'elsewhere'), await found(place.identity, 'here')];
    return { place, identity: place.identity, elsewhere, here, taken: await taking(place, elsewhere) };
  }

  for (const [who, taking] of Object.entries(CLAIMED)) {
    test(`${who} gets nothing of an invitation, and nobody joins as them without a key of theirs`, async () => {
      const { identity, here, taken } = await scene(taking);
      const { token } = await identity.invitations.create(here, { email: EMAIL, roles: ['admin'] });
      const of = here.organizationId;
      expect(await identity.memberOf(of, taken.userId)).toBeUndefined();
      expect((await identity.web.memberships(taken.userId)).map((at) => at.organizationId)).not.toContain(of);
      const joined = await refusalOf(identity.invitations.accept(token, { email: EMAIL, name: 'Vera' }));
      expect(joined).toMatchObject({ code: 'forbidden', data: { needs: 'key' } });
      expect(await identity.memberOf(of, taken.userId)).toBeUndefined();
    });

    test(`${who} comes into no team as the visitor whom an import found by the e-mail`, async () => {
      const { identity, here, taken } = await scene(taking);
      const userId = await identity.ensureUser({ email: EMAIL, name: 'Vera' });
      expect(userId).toBe(taken.userId);
      expect(await identity.isStranger(here.organizationId, userId)).toBe(true);
      const memberId = await identity.addMember(here, { userId, roles: ['user'] });
      await identity.roles.save(here, { name: 'helper', grants: { feedback: ['*'] } });
      for (const attempt of [
        () => identity.setRank(here, memberId, 'member'),
        () => identity.setRank(here, memberId, 'admin'),
        () => identity.setRoles(here, { memberId, roles: ['member'] }),
        () => identity.setRoles(here, { memberId, roles: ['helper'] }),
        () => identity.setRoles(here, { memberId, roles: ['user', 'helper'] }),
        () => identity.setRoles(here, { userId, roles: ['user', 'owner'] }),
      ])
        expect(await refusalOf(attempt())).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('invite the e-mail'),
        });
      expect((await identity.getMember(here.organizationId, memberId))?.roles).toEqual(['user']);
      // As the refusal says: remove, invite, and whoever has the link and the account is let in.
      await identity.removeMemberById(here, memberId);
      const { token } = await identity.invitations.create(here, { email: EMAIL });
      await identity.invitations.accept(token, { email: EMAIL, name: 'Vera', key: taken.key });
      expect(await identity.isStranger(here.organizationId, userId)).toBe(false);
      await identity.setRoles(here, { userId, roles: ['user'] });
      await identity.setRoles(here, { userId, roles: ['member'] });
    });
  }

  test('a person whom only an import made is whoever joins with the link, under the name that they give', async () => {
    const { identity, here, taken, elsewhere } = await scene(importElsewhere);
    expect(await identity.isStranger(here.organizationId, taken.userId)).toBe(false);
    const { token } = await identity.invitations.create(here, { email: EMAIL, roles: ['admin'] });
    await identity.invitations.accept(token, { email: EMAIL, name: 'Vera' });
    const member = await identity.memberOf(here.organizationId, taken.userId);
    expect(member).toMatchObject({ name: 'Vera', email: EMAIL, roles: ['admin'] });
    // And the organization that made them up cannot draw the account into its team.
    expect(
      (await refusalOf(identity.setRoles(elsewhere, { userId: taken.userId, roles: ['member'] }))).code,
    ).toBe('forbidden');
  });

  test('of a move into one team and a join elsewhere at the same time, only one happens', async () => {
    const { identity, elsewhere, here } = await scene(importElsewhere);
    for (let round = 0; round < 10; round += 1) {
      const email = `round${round}@here.example`;
      const userId = await identity.ensureUser({ email, name: 'Visitor' });
      const memberId = await identity.addMember(here, { userId, roles: ['user'] });
      const { token } = await identity.invitations.create(elsewhere, { email });
      const ends = await Promise.allSettled([
        identity.setRank(here, memberId, 'admin'),
        identity.invitations.accept(token, { email, name: 'Taker' }),
      ]);
      expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    }
  });

  test('a visitor whom nobody can act as is moved up as before', async () => {
    const { identity, here } = await scene(importElsewhere);
    const userId = await identity.createUser({ name: 'Visitor', email: null });
    const memberId = await identity.addMember(here, { userId, roles: ['user'] });
    expect((await identity.setRank(here, memberId, 'member')).rank).toBe('member');
  });
});
