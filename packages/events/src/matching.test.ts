import { onBothEngines } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { openBed, ORG } from '../test/bed.ts';
import type { NewEvent } from './cloud-event.ts';
import { checkPattern, patternsOf } from './matching.ts';
import type { EventTables } from './schema.ts';

test.each([
  ['post', ['post', '*']],
  ['post.created', ['post.created', '*', 'post.*']],
  ['a.b.c', ['a.b.c', '*', 'a.*', 'a.b.*']],
  ['post.', ['post.', '*']],
])('the type %s is covered by exactly its patterns', (type, patterns) => {
  expect(patternsOf(type)).toEqual(patterns);
});

test.each(['', '.', 'a.', '.a', 'a..b', '**', 'a*', 'a.*.b', '*.a', 'a b', 'a.*.*', 'x'.repeat(256)])(
  'the pattern "%s" is refused',
  (pattern) => {
    expect(() => checkPattern(pattern)).toThrow(expect.objectContaining({ code: 'invalid' }));
  },
);

interface Row {
  readonly events: string[];
  readonly groups?: string[];
  readonly event: Partial<NewEvent>;
  readonly matches: number;
}

const TABLE: Record<string, Row> = {
  'the same type': { events: ['post.created'], event: {}, matches: 1 },
  'another type': { events: ['post.updated'], event: {}, matches: 0 },
  'a prefix': { events: ['post.*'], event: {}, matches: 1 },
  'a prefix of several segments': { events: ['a.*'], event: { type: 'a.b.c' }, matches: 1 },
  'a prefix does not match itself': { events: ['post.*'], event: { type: 'post' }, matches: 0 },
  'a prefix ends at a dot': { events: ['po.*'], event: {}, matches: 0 },
  everything: { events: ['*'], event: {}, matches: 1 },
  'several patterns that match make one delivery': {
    events: ['*', 'post.*', 'post.created'],
    event: {},
    matches: 1,
  },
  'case counts': { events: ['Post.created'], event: {}, matches: 0 },
  'its group': { events: ['*'], groups: ['a', 'b'], event: { group: 'b' }, matches: 1 },
  'another group': { events: ['*'], groups: ['a'], event: { group: 'b' }, matches: 0 },
  'groups, and an event without one': { events: ['*'], groups: ['a'], event: {}, matches: 0 },
  'no groups, and an event with one': { events: ['*'], event: { group: 'b' }, matches: 1 },
  'another organization': { events: ['*'], event: { organizationId: 'org_other' }, matches: 0 },
};

onBothEngines('matching', (open) => {
  test.each(Object.entries(TABLE))('%s', async (_name, { events, groups, event, matches }) => {
    const bed = await openBed(open, { delivers: false });
    await bed.events.webhooks.create(ORG, {
      url: 'https://192.88.0.1/',
      events,
      ...(groups && { groups }),
    });
    await bed.publish(event);
    const deliveries = await bed.store.db<EventTables>().selectFrom('event_deliveries').selectAll().execute();
    expect(deliveries).toHaveLength(matches);
  });

  test('a webhook that is switched off, changed or removed hears what it asks for then', async () => {
    const bed = await openBed(open, { delivers: false });
    const { webhook } = await bed.events.webhooks.create(ORG, {
      url: 'https://192.88.0.1/',
      events: ['post.created'],
    });
    const heard = async (type: string) => {
      const id = await bed.publish({ type });
      const all = await bed.store.db<EventTables>().selectFrom('event_deliveries').selectAll().execute();
      return all.some((delivery) => delivery.event_id === id);
    };
    expect(await heard('post.created')).toBe(true);
    await bed.events.webhooks.update(ORG, webhook.id, { enabled: false });
    expect(await heard('post.created')).toBe(false);
    await bed.events.webhooks.update(ORG, webhook.id, { events: ['post.deleted'] });
    expect(await heard('post.deleted')).toBe(false);
    await bed.events.webhooks.update(ORG, webhook.id, { enabled: true });
    expect([await heard('post.created'), await heard('post.deleted')]).toEqual([false, true]);
    await bed.events.webhooks.remove(ORG, webhook.id);
    expect(await heard('post.deleted')).toBe(false);
  });
});
