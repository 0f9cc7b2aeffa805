import { typeId } from '@parley/kit';
import type { Caller } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { expect, it, onTestFinished } from 'vitest';
import type { Actor } from '../../actor.ts';
import type { FeedbackServices } from '../index.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

/** The ids that a call names. */
interface Things {
  board: string;
  status: string;
  tag: string;
  roadmap: string;
  post: string;
  changelog: string;
  webhook: string;
  member: string;
  api_key: string;
}

interface Call {
  readonly who: 'team' | 'admin';
  /** What it names; empty for calls without an id. */
  readonly names: readonly (keyof Things)[];
  run(services: FeedbackServices, actor: Actor, things: Things, caller: Caller): Promise<unknown>;
}

const PAGE = { limit: 20 };
const call = (who: Call['who'], names: Call['names'], run: Call['run']): Call => ({ who, names, run });

/** Every method of these services, in an order in which each still finds what it needs. */
const CALLS: Record<string, Call> = {
  'boards.list': call('team', [], (on, by) => on.boards.list(by)),
  'boards.get': call('team', ['board'], (on, by, { board }) => on.boards.get(by, board)),
  'boards.create': call('admin', [], (on, by) => on.boards.create(by, { name: 'New' })),
  'boards.update': call('admin', ['board'], (on, by, { board }) =>
    on.boards.update(by, board, { name: 'X' }),
  ),
  'statuses.list': call('team', [], (on, by) => on.statuses.list(by)),
  'statuses.get': call('team', ['status'], (on, by, { status }) => on.statuses.get(by, status)),
  'statuses.create': call('admin', [], (on, by) => on.statuses.create(by, { name: 'N', color: '#000000' })),
  'statuses.update': call('admin', ['status'], (on, by, { status }) =>
    on.statuses.update(by, status, { name: 'X' }),
  ),
  'statuses.delete': call('admin', ['status'], (on, by, { status }) => on.statuses.delete(by, status)),
  'tags.list': call('team', [], (on, by) => on.tags.list(by)),
  'tags.get': call('team', ['tag'], (on, by, { tag }) => on.tags.get(by, tag)),
  'tags.create': call('team', [], (on, by) => on.tags.create(by, { name: `Tag of ${by.memberId}` })),
  'tags.update': call('team', ['tag'], (on, by, { tag }) => on.tags.update(by, tag, { color: '#000000' })),
  'roadmaps.list': call('team', [], (on, by) => on.roadmaps.list(by)),
  'roadmaps.get': call('team', ['roadmap'], (on, by, { roadmap }) => on.roadmaps.get(by, roadmap)),
  'roadmaps.create': call('admin', [], (on, by) => on.roadmaps.create(by, { name: 'New' })),
  'roadmaps.update': call('admin', ['roadmap'], (on, by, { roadmap }) =>
    on.roadmaps.update(by, roadmap, { name: 'X' }),
  ),
  'roadmaps.posts': call('team', ['roadmap'], (on, by, { roadmap }) => on.roadmaps.posts(by, roadmap, PAGE)),
  'roadmaps.addPost': call('team', ['roadmap', 'post'], (on, by, { roadmap, post }) =>
    on.roadmaps.addPost(by, roadmap, post),
  ),
  'roadmaps.movePost': call('team', ['roadmap', 'post'], (on, by, { roadmap, post }) =>
    on.roadmaps.movePost(by, roadmap, post, 0),
  ),
  'roadmaps.removePost': call('team', ['roadmap', 'post'], (on, by, { roadmap, post }) =>
    on.roadmaps.removePost(by, roadmap, post),
  ),
  'members.list': call('team', [], (on, by) => on.members.list(by)),
  'members.get': call('team', ['member'], (on, by, { member }) => on.members.get(by, member)),
  'members.people': call('team', [], (on, by) => on.members.people(by, PAGE)),
  'members.setRole': call('admin', ['member'], (on, by, { member }, caller) =>
    on.members.setRole(by, caller, member, 'member'),
  ),
  'changelog.list': call('team', [], (on, by) => on.changelog.list(by, PAGE)),
  'changelog.get': call('team', ['changelog'], (on, by, { changelog }) => on.changelog.get(by, changelog)),
  'changelog.create': call('admin', ['post'], (on, by, { post }) =>
    on.changelog.create(by, { title: 'T', content: 'C', linkedPostIds: [post] }),
  ),
  'changelog.update': call('admin', ['changelog', 'post'], (on, by, { changelog, post }) =>
    on.changelog.update(by, changelog, { linkedPostIds: [post] }),
  ),
  'webhooks.list': call('team', [], (on, by) => on.webhooks.list(by)),
  'webhooks.get': call('admin', ['webhook'], (on, by, { webhook }) => on.webhooks.get(by, webhook)),
  'webhooks.create': call('admin', ['board'], (on, by, { board }) =>
    on.webhooks.create(by, { url: 'https://hooks.example/', events: ['post.created'], boardIds: [board] }),
  ),
  'webhooks.update': call('admin', ['webhook', 'board'], (on, by, { webhook, board }) =>
    on.webhooks.update(by, webhook, { boardIds: [board] }),
  ),
  'webhooks.rotate': call('admin', ['webhook'], (on, by, { webhook }) => on.webhooks.rotate(by, webhook)),
  'webhooks.deliveries': call('admin', ['webhook'], (on, by, { webhook }) =>
    on.webhooks.deliveries(by, webhook, PAGE),
  ),
  'keys.list': call('admin', [], (on, by, _things, caller) => on.keys.list(by, caller)),
  'keys.create': call('admin', [], (on, by, _things, caller) =>
    on.keys.create(by, caller, { name: 'K', role: 'user' }),
  ),
  'settings.publish': call('admin', [], (on, by) => on.settings.publish(by, false)),
  'tags.delete': call('team', ['tag'], (on, by, { tag }) => on.tags.delete(by, tag)),
  'roadmaps.delete': call('admin', ['roadmap'], (on, by, { roadmap }) => on.roadmaps.delete(by, roadmap)),
  'changelog.delete': call('admin', ['changelog'], (on, by, { changelog }) =>
    on.changelog.delete(by, changelog),
  ),
  'webhooks.delete': call('admin', ['webhook'], (on, by, { webhook }) => on.webhooks.delete(by, webhook)),
  'keys.revoke': call('admin', ['api_key'], (on, by, { api_key }, caller) =>
    on.keys.revoke(by, caller, api_key),
  ),
  'members.remove': call('admin', ['member'], (on, by, { member }, caller) =>
    on.members.remove(by, caller, member),
  ),
  'boards.delete': call('admin', ['board'], (on, by, { board }) =>
    on.boards.delete(by, board, { cascade: true }),
  ),
};

/** Methods that reach outside, or that go by no id of ours; their own tests cover them. */
const ELSEWHERE = ['webhooks.test', 'webhooks.resend', 'settings.get'];

const egress = () => {
  const made = createEgress({ resolve: async () => [{ address: '93.184.216.34', family: 4 }] });
  onTestFinished(() => made.close());
  return made;
};

/** One of each thing. */
async function furnish({ services, admin, callers, join, post, board }: TestFeedback): Promise<Things> {
  const boardId = await board();
  const { memberId } = await join('user', 'Somebody Else');
  const status = await services.statuses.create(admin, { name: 'Own', color: '#ffffff' });
  const tag = await services.tags.create(admin, { name: 'Own' });
  const roadmap = await services.roadmaps.create(admin, { name: 'Own' });
  const changelog = await services.changelog.create(admin, { title: 'Own', content: 'Own' });
  const { key } = await services.keys.create(admin, callers.admin, { name: 'Own', role: 'user' });
  const { webhook } = await services.webhooks.create(admin, {
    url: 'https://hooks.example/',
    events: ['changelog.published'],
  });
  return {
    board: boardId,
    status: status.id,
    tag: tag.id,
    roadmap: roadmap.id,
    post: await post({ boardId }),
    changelog: changelog.id,
    webhook: webhook.id,
    member: memberId,
    api_key: key.id,
  };
}

onBothEngines('access to the nouns', (open) => {
  it('is decided for every method', async () => {
    const { services } = await openFeedback(await open());
    const { boards, statuses, tags, roadmaps, members, changelog, webhooks, keys, settings } = services;
    const nouns = { boards, statuses, tags, roadmaps, members, changelog, webhooks, keys, settings };
    const methods = Object.entries(nouns).flatMap(([noun, service]) =>
      Object.keys(service).map((method) => `${noun}.${method}`),
    );
    expect([...Object.keys(CALLS), ...ELSEWHERE].toSorted()).toEqual(methods.toSorted());
  });

  it('is for the team, and for administrators where it says so', async () => {
    const feedback = await openFeedback(await open(), { egress: egress() });
    const { services, callers } = feedback;
    const things = await furnish(feedback);
    for (const [name, { who, run }] of Object.entries(CALLS)) {
      const attempt = (rank: 'admin' | 'member' | 'visitor') =>
        run(services, feedback[rank], things, callers[rank]);
      expect({ name, ...(await refusalOf(attempt('visitor'))) }).toMatchObject({ name, code: 'forbidden' });
      if (who === 'admin')
        expect({ name, ...(await refusalOf(attempt('member'))) }).toEqual({
          name,
          code: 'forbidden',
          message: 'Only administrators may do this.',
        });
      await attempt(who === 'admin' ? 'admin' : 'member').catch((cause: unknown) => {
        throw new Error(`${name} is refused to the ${who}.`, { cause });
      });
    }
  });

  it('to what belongs to somebody else is like access to what is not there', async () => {
    const store = await open();
    const own = await openFeedback(store, { egress: egress() });
    const foreign = await openFeedback(store, { slug: 'foreign', egress: egress() });
    const [mine, theirs] = [await furnish(own), await furnish(foreign)];
    for (const [name, { names, run }] of Object.entries(CALLS)) {
      for (const kind of names) {
        const answer = (id: string) =>
          refusalOf(run(own.services, own.admin, { ...mine, [kind]: id }, own.callers.admin));
        const unknown = await answer(typeId(kind));
        expect({ name, kind, ...unknown }).toMatchObject({ name, kind, code: 'not_found' });
        expect({ name, kind, ...(await answer(theirs[kind])) }).toEqual({ name, kind, ...unknown });
        expect({ name, kind, ...(await answer('nonsense')) }).toMatchObject({ code: 'invalid' });
      }
    }
    for (const [name, { names, run }] of Object.entries(CALLS))
      if (name.endsWith('.get'))
        await expect(
          run(foreign.services, foreign.admin, theirs, foreign.callers.admin),
          `${name} of ${names.join()}`,
        ).resolves.toBeDefined();
  });

  it('shows each organization its own things only, also under equal names', async () => {
    const store = await open();
    const one = await openFeedback(store, { egress: egress() });
    const other = await openFeedback(store, { slug: 'other', egress: egress() });
    const things = { one: await furnish(one), other: await furnish(other) };
    for (const [name, { run }] of Object.entries(CALLS)) {
      if (!name.endsWith('.list') && name !== 'members.people') continue;
      const text = JSON.stringify(await run(one.services, one.admin, things.one, one.callers.admin));
      for (const id of Object.values(things.other)) expect(text).not.toContain(id);
      expect(text).not.toContain('@other.example');
    }
  });
});
