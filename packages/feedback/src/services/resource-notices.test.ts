/** Notices: whoever reads a list hears that it has changed, once per moment and only about their own. */
import type { Change } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import type { ChangeSignal, SignalEvent } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openFeedback } from '../testing/fixture.ts';
import { publishNotices } from './resource-notices.ts';

/** A signal whose events the test sends itself. */
function scripted() {
  const listeners = new Map<(event: SignalEvent) => void, string[]>();
  const subscribe: ChangeSignal['subscribe'] = (prefix, fn) => {
    listeners.set(fn, [...(listeners.get(fn) ?? []), prefix]);
    return () => listeners.delete(fn);
  };
  const send = (topic: string, payload: string | null = null) => {
    for (const [fn, prefixes] of listeners) {
      if (topic === '*' || prefixes.some((prefix) => topic.startsWith(prefix))) fn({ topic, payload });
    }
  };
  const signal: ChangeSignal = {
    subscribe,
    publish: async () => undefined,
    wait: async () => null,
    isBroken: () => false,
  };
  return { signal, send };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('many changes within 100 ms are one notice per list and organization', () => {
  const { signal, send } = scripted();
  const bus = createChangeBus();
  const heard: Change[] = [];
  bus.subscribe((change) => heard.push(change));
  const stop = publishNotices(signal, bus);
  for (let index = 0; index < 50; index += 1) send('feedback.boards', 'org_a');
  send('feedback.boards', 'org_b');
  send('feedback.tags', 'org_a');
  send('identity.changed', 'org_a');
  send('feedback.posts', 'org_a');
  send('feedback.changelog', 'org_a');
  vi.advanceTimersByTime(99);
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(heard).toEqual([
    { kind: 'resource', uri: 'quackback://boards', organizationId: 'org_a' },
    { kind: 'resource', uri: 'quackback://boards', organizationId: 'org_b' },
    { kind: 'resource', uri: 'quackback://tags', organizationId: 'org_a' },
    { kind: 'resource', uri: 'quackback://members', organizationId: 'org_a' },
  ]);
  send('feedback.statuses', 'org_a');
  stop();
  send('feedback.roadmaps', 'org_a');
  vi.advanceTimersByTime(1000);
  expect(heard).toHaveLength(4);
});

test('when signals may have been missed, everybody is told of every list', () => {
  const { signal, send } = scripted();
  const bus = createChangeBus();
  const heard: Change[] = [];
  bus.subscribe((change) => heard.push(change));
  publishNotices(signal, bus);
  send('*');
  vi.advanceTimersByTime(100);
  expect(heard).toEqual(
    ['boards', 'statuses', 'tags', 'roadmaps', 'members'].map((noun) => ({
      kind: 'resource',
      uri: `quackback://${noun}`,
    })),
  );
});

test('a new post and a new member are heard of, a vote is not', async () => {
  vi.useRealTimers();
  await using store = await scratchStore();
  const { changes, services, visitor, post, join, organizationId } = await openFeedback(store);
  const heard = (uri: string) =>
    new Promise<Change>((resolve) => {
      const end = changes.subscribe((change) => {
        expect(change).toMatchObject({ kind: 'resource', organizationId });
        if (change.kind !== 'resource' || change.uri !== uri) return;
        end();
        resolve(change);
      });
    });
  const boards = heard('quackback://boards');
  const postId = await post();
  await boards;
  const uris: string[] = [];
  changes.subscribe((change) => uris.push(change.kind === 'resource' ? change.uri : change.kind));
  await services.votes.set(visitor, postId, true);
  const members = heard('quackback://members');
  await join('user', 'Somebody New');
  await members;
  expect(new Set(uris)).toEqual(new Set(['quackback://members']));
  await services.close();
});
