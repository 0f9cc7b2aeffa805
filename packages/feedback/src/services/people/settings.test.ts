import { expect, it } from 'vitest';
import { openFeedback } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const PLAIN = { siteName: null, accentColor: null, logo: null, favicon: null };

onBothEngines('settings', (open) => {
  it('keep everything private until an administrator publishes it', async () => {
    const { services, admin, organizationId } = await openFeedback(await open());
    expect(await services.settings.get(organizationId)).toEqual({ ...PLAIN, isPublished: false });
    expect(await services.settings.update(admin, { isPublished: true })).toEqual({
      ...PLAIN,
      isPublished: true,
    });
    expect(await services.settings.get(organizationId)).toEqual({ ...PLAIN, isPublished: true });
    expect(await services.settings.update(admin, { isPublished: false })).toEqual({
      ...PLAIN,
      isPublished: false,
    });
    expect(await services.settings.get(organizationId)).toEqual({ ...PLAIN, isPublished: false });
  });

  it('of one organization say nothing about another', async () => {
    const store = await open();
    const one = await openFeedback(store);
    const other = await openFeedback(store, { slug: 'other' });
    await one.services.settings.update(one.admin, { isPublished: true });
    expect(await other.services.settings.get(other.organizationId)).toEqual({ ...PLAIN, isPublished: false });
    expect(await one.services.settings.get('org_unknown')).toEqual({ ...PLAIN, isPublished: false });
  });
});
