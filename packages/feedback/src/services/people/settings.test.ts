import { expect, it } from 'vitest';
import { openFeedback } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('settings', (open) => {
  it('keep everything private until an administrator publishes it', async () => {
    const { services, admin, organizationId } = await openFeedback(await open());
    expect(await services.settings.get(organizationId)).toEqual({ isPublished: false });
    expect(await services.settings.publish(admin, true)).toEqual({ isPublished: true });
    expect(await services.settings.get(organizationId)).toEqual({ isPublished: true });
    expect(await services.settings.publish(admin, false)).toEqual({ isPublished: false });
    expect(await services.settings.get(organizationId)).toEqual({ isPublished: false });
  });

  it('of one organization say nothing about another', async () => {
    const store = await open();
    const one = await openFeedback(store);
    const other = await openFeedback(store, { slug: 'other' });
    await one.services.settings.publish(one.admin, true);
    expect(await other.services.settings.get(other.organizationId)).toEqual({ isPublished: false });
    expect(await one.services.settings.get('org_unknown')).toEqual({ isPublished: false });
  });
});
