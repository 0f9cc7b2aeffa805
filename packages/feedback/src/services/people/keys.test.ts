import { typeId } from '@parley/kit';
import type { Grants } from '@parley/kit';
import { expect, it } from 'vitest';
import { ApiKey } from '../../shapes/nouns.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('keys', (open) => {
  it('are made in the form that clients know, and their text is shown once', async () => {
    const { services, admin, callers, identity } = await openFeedback(await open());
    const { key, secretText } = await services.keys.create(admin, callers.admin, {
      name: 'CI',
      role: 'member',
      expiresAt: '2100-01-01T00:00:00Z',
    });
    expect(ApiKey.parse(key)).toEqual(key);
    expect(secretText).toMatch(/^qb_[0-9a-f]{48}$/);
    expect(key).toMatchObject({
      name: 'CI',
      prefix: secretText.slice(0, 12),
      role: 'member',
      grants: { feedback: ['*'] },
      userId: admin.userId,
      expiresAt: '2100-01-01T00:00:00.000Z',
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(key.id).toMatch(/^api_key_[0-9a-z]{26}$/);
    const caller = await identity.authenticate(secretText, 'key');
    expect(await services.actor(caller ?? callers.visitor)).toMatchObject({
      memberId: admin.memberId,
      rank: 'member',
    });
    const list = await services.keys.list(admin, callers.admin);
    expect(list.find(({ id }) => id === key.id)).toMatchObject({ name: 'CI', revokedAt: null });
    expect(JSON.stringify(list)).not.toContain(secretText);
  });

  it('that are revoked are refused from then on', async () => {
    const { services, admin, callers, identity } = await openFeedback(await open());
    const { key, secretText } = await services.keys.create(admin, callers.admin, {
      name: 'CI',
      role: 'admin',
    });
    expect(await identity.authenticate(secretText, 'key')).toBeDefined();
    await services.keys.revoke(admin, callers.admin, key.id);
    await expect.poll(async () => identity.authenticate(secretText, 'key')).toBeUndefined();
    const listed = (await services.keys.list(admin, callers.admin)).find(({ id }) => id === key.id);
    expect(listed?.revokedAt).not.toBeNull();
    await services.keys.revoke(admin, callers.admin, key.id);
  });

  it('are never stronger than their maker', async () => {
    const { services, admin, callers } = await openFeedback(await open());
    const grants: Grants = { feedback: ['get_post', 'search_feedback'] };
    const narrow = { ...callers.admin, grants };
    const { key } = await services.keys.create(admin, narrow, { name: 'Cut', role: 'member' });
    expect(key.grants).toEqual(grants);
    const wider = services.keys.create(admin, narrow, {
      name: 'Wide',
      role: 'member',
      grants: { feedback: ['*'] },
    });
    expect(await refusalOf(wider)).toMatchObject({ code: 'forbidden' });
    const other = services.keys.create(admin, narrow, { name: 'X', role: 'member', grants: { self: ['*'] } });
    expect(await refusalOf(other)).toMatchObject({ code: 'forbidden' });
    // Taken for an administrator by mistake, a member still makes no administrator's key.
    const lifted = services.keys.create({ ...admin }, callers.member, { name: 'Up', role: 'admin' });
    expect(await refusalOf(lifted)).toMatchObject({ code: 'forbidden' });
  });

  it('refuse what makes no sense', async () => {
    const { services, admin, callers } = await openFeedback(await open());
    const past = { name: 'Old', role: 'member' as const, expiresAt: '2020-01-01T00:00:00Z' };
    expect(await refusalOf(services.keys.create(admin, callers.admin, past))).toMatchObject({
      code: 'invalid',
    });
    const absent = services.keys.revoke(admin, callers.admin, typeId('api_key'));
    expect(await refusalOf(absent)).toEqual({ code: 'not_found', message: 'API key not found' });
    expect(await refusalOf(services.keys.revoke(admin, callers.admin, 'key_1'))).toMatchObject({
      code: 'invalid',
    });
  });
});
