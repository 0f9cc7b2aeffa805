/** One working request for every route of the table, over things made for it. */
import { typeId } from '@parley/kit';
import type { FeedbackRoute as Route } from '../src/rest/route.ts';
import type { TestApi } from './rest-api.ts';

/** Ids of one thing of each kind, by the name that samples use. */
export interface World {
  readonly post: string;
  readonly otherPost: string;
  readonly mergedPost: string;
  readonly deletedPost: string;
  readonly board: string;
  readonly status: string;
  readonly tag: string;
  readonly comment: string;
  readonly roadmap: string;
  readonly roadmapPost: string;
  readonly member: string;
  readonly changelog: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly api_key: string;
  readonly import: string;
  readonly readyImport: string;
}

/** A request: ids stand in it as `{post}`, in path, query and body. */
export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

const HOOK = { url: 'https://hooks.example.com/in', events: ['post.created'] };
const DOT_GIF = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
const CSV = 'title\nDark mode\n';
let counter = 0;
const fresh = (name: string) => `${name} ${(counter += 1)}`;

/** What every route is asked; a route without a line here fails the tests. */
export const SAMPLES: Readonly<Record<string, () => Sample>> = {
  'GET /posts': () => ({ query: 'sort=votes&limit=5&search=dark&boardId={board}&tagIds={tag}' }),
  'POST /posts': () => ({
    body: { boardId: '{board}', title: 'New', statusId: '{status}', tagIds: ['{tag}'] },
  }),
  'GET /posts/:id': () => ({ params: { id: '{post}' } }),
  'PATCH /posts/:id': () => ({
    params: { id: '{post}' },
    body: {
      title: 'Changed',
      boardId: '{board}',
      statusId: '{status}',
      tagIds: ['{tag}'],
      ownerMemberId: null,
    },
  }),
  'DELETE /posts/:id': () => ({ params: { id: '{post}' } }),
  'POST /posts/:id/restore': () => ({ params: { id: '{deletedPost}' } }),
  'POST /posts/:id/merge': () => ({ params: { id: '{post}' }, body: { canonicalPostId: '{otherPost}' } }),
  'POST /posts/:id/unmerge': () => ({ params: { id: '{mergedPost}' } }),
  'GET /moderation': () => ({ query: 'state=spam&limit=2&boardId={board}' }),
  'PUT /posts/:id/moderation': () => ({ params: { id: '{post}' }, body: { state: 'archived' } }),
  'GET /inbox/counts': () => ({ query: 'search=dark&boardId={board}&tagIds={tag}' }),
  'POST /posts/bulk-triage': () => ({
    body: { ids: ['{post}', '{otherPost}'], statusId: '{status}', tagIds: ['{tag}'] },
  }),
  'GET /posts/similar': () => ({ query: 'title=Darker%20modes&boardId={board}&limit=3' }),
  'GET /inbox/posts': () => ({ query: 'view=unanswered&sort=votes&limit=5&search=dark&boardId={board}' }),
  'PUT /posts/:id/read': () => ({ params: { id: '{post}' } }),
  'DELETE /posts/:id/read': () => ({ params: { id: '{post}' } }),
  'PUT /inbox/read-mark': () => ({ body: { before: '2026-01-01T00:00:00Z' } }),
  'PUT /posts/:id/follow': () => ({ params: { id: '{post}' } }),
  'DELETE /posts/:id/follow': () => ({ params: { id: '{post}' } }),
  'GET /settings': () => ({}),
  'PATCH /settings': () => ({ body: { isPublished: true } }),
  'GET /settings/images/:kind': () => ({ params: { kind: 'logo' } }),
  'PUT /settings/images/:kind': () => ({ params: { kind: 'favicon' }, body: { data: DOT_GIF } }),
  'DELETE /settings/images/:kind': () => ({ params: { kind: 'logo' } }),
  'GET /imports': () => ({}),
  'POST /imports': () => ({ body: { fileName: 'posts.csv', sizeBytes: CSV.length } }),
  'GET /imports/:id': () => ({ params: { id: '{import}' } }),
  'PUT /imports/:id/parts/:number': () => ({
    params: { id: '{import}', number: '0' },
    body: { data: Buffer.from(CSV).toString('base64') },
  }),
  'POST /imports/:id/run': () => ({ params: { id: '{readyImport}' }, body: { isDryRun: true } }),
  'DELETE /imports/:id': () => ({ params: { id: '{import}' } }),
  'GET /export': () => ({ query: 'form=csv' }),
  'GET /stream': () => ({}),
  'GET /posts/:id/activity': () => ({ params: { id: '{post}' }, query: 'limit=2' }),
  'POST /posts/:id/vote': () => ({ params: { id: '{post}' } }),
  'PUT /posts/:id/vote': () => ({ params: { id: '{post}' } }),
  'DELETE /posts/:id/vote': () => ({ params: { id: '{post}' } }),
  'POST /posts/:id/vote/proxy': () => ({
    params: { id: '{post}' },
    body: { memberId: '{member}', source: 'call' },
  }),
  'DELETE /posts/:id/vote/proxy': () => ({ params: { id: '{post}' }, query: 'memberId={member}' }),
  'GET /posts/:id/voters': () => ({ params: { id: '{post}' } }),
  'GET /posts/:id/comments': () => ({ params: { id: '{post}' } }),
  'POST /posts/:id/comments': () => ({
    params: { id: '{post}' },
    body: { content: 'Yes', parentId: '{comment}' },
  }),
  'GET /comments/:id': () => ({ params: { id: '{comment}' } }),
  'PATCH /comments/:id': () => ({ params: { id: '{comment}' }, body: { content: 'Better' } }),
  'DELETE /comments/:id': () => ({ params: { id: '{comment}' } }),
  'PUT /comments/:id/reactions/:emoji': () => ({ params: { id: '{comment}', emoji: '👍' } }),
  'DELETE /comments/:id/reactions/:emoji': () => ({ params: { id: '{comment}', emoji: '🎉' } }),
  'PUT /posts/:id/pin': () => ({ params: { id: '{post}' }, body: { commentId: '{comment}' } }),
  'DELETE /posts/:id/pin': () => ({ params: { id: '{post}' } }),
  'GET /boards': () => ({}),
  'POST /boards': () => ({ body: { name: fresh('Board'), description: null } }),
  'GET /boards/:id': () => ({ params: { id: '{board}' } }),
  'PATCH /boards/:id': () => ({ params: { id: '{board}' }, body: { name: 'Other', isPublic: false } }),
  'DELETE /boards/:id': () => ({ params: { id: '{board}' }, query: 'cascade=true' }),
  'GET /statuses': () => ({}),
  'POST /statuses': () => ({ body: { name: fresh('Status'), color: '#112233', category: 'active' } }),
  'GET /statuses/:id': () => ({ params: { id: '{status}' } }),
  'PATCH /statuses/:id': () => ({ params: { id: '{status}' }, body: { color: '#445566' } }),
  'DELETE /statuses/:id': () => ({ params: { id: '{status}' } }),
  'GET /tags': () => ({}),
  'POST /tags': () => ({ body: { name: fresh('Tag') } }),
  'GET /tags/:id': () => ({ params: { id: '{tag}' } }),
  'PATCH /tags/:id': () => ({ params: { id: '{tag}' }, body: { color: '#abcdef' } }),
  'DELETE /tags/:id': () => ({ params: { id: '{tag}' } }),
  'GET /roadmaps': () => ({}),
  'POST /roadmaps': () => ({ body: { name: fresh('Roadmap') } }),
  'GET /roadmaps/:id': () => ({ params: { id: '{roadmap}' } }),
  'PATCH /roadmaps/:id': () => ({ params: { id: '{roadmap}' }, body: { description: 'Next' } }),
  'DELETE /roadmaps/:id': () => ({ params: { id: '{roadmap}' } }),
  'GET /roadmaps/:id/posts': () => ({ params: { id: '{roadmap}' }, query: 'limit=1' }),
  'POST /roadmaps/:id/posts': () => ({ params: { id: '{roadmap}' }, body: { postId: '{post}' } }),
  'PATCH /roadmaps/:id/posts/:postId': () => ({
    params: { id: '{roadmap}', postId: '{roadmapPost}' },
    body: { position: 0 },
  }),
  'DELETE /roadmaps/:id/posts/:postId': () => ({ params: { id: '{roadmap}', postId: '{roadmapPost}' } }),
  'GET /members': () => ({}),
  'GET /members/:id': () => ({ params: { id: '{member}' } }),
  'PATCH /members/:id': () => ({ params: { id: '{member}' }, body: { role: 'member' } }),
  'DELETE /members/:id': () => ({ params: { id: '{member}' } }),
  'GET /users': () => ({ query: 'sort=most_active&search=a&limit=3' }),
  'GET /changelog': () => ({ query: 'published=false' }),
  'POST /changelog': () => ({ body: { title: 'New', content: '# Hi', linkedPostIds: ['{post}'] } }),
  'GET /changelog/:id': () => ({ params: { id: '{changelog}' } }),
  'PATCH /changelog/:id': () => ({
    params: { id: '{changelog}' },
    body: { title: 'Newer', linkedPostIds: ['{post}'] },
  }),
  'DELETE /changelog/:id': () => ({ params: { id: '{changelog}' } }),
  'GET /webhooks': () => ({}),
  'POST /webhooks': () => ({ body: { ...HOOK, boardIds: ['{board}'] } }),
  'GET /webhooks/:id': () => ({ params: { id: '{webhook}' } }),
  'PATCH /webhooks/:id': () => ({
    params: { id: '{webhook}' },
    body: { events: ['post.deleted'], boardIds: ['{board}'] },
  }),
  'DELETE /webhooks/:id': () => ({ params: { id: '{webhook}' } }),
  'POST /webhooks/:id/rotate': () => ({ params: { id: '{webhook}' } }),
  'POST /webhooks/:id/test': () => ({ params: { id: '{webhook}' } }),
  'GET /webhooks/:id/deliveries': () => ({ params: { id: '{webhook}' }, query: 'status=pending' }),
  'POST /deliveries/:id/resend': () => ({ params: { id: '{delivery}' } }),
  'GET /keys': () => ({}),
  'POST /keys': () => ({ body: { name: 'Reader', role: 'member' } }),
  'DELETE /keys/:id': () => ({ params: { id: '{api_key}' } }),
};

/** The name of a route in `SAMPLES`. */
export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

type Maker = (api: TestApi, boardId: string) => Promise<string>;

const newPost: Maker = async ({ services, admin }, boardId) =>
  (await services.posts.create(admin, { boardId, title: 'Dark mode' })).id;

const newWebhook: Maker = async ({ services, admin }) =>
  (await services.webhooks.create(admin, { ...HOOK, events: ['post.created'] })).webhook.id;

const newImport: Maker = async ({ services, admin }) =>
  (await services.uploads.create(admin, { fileName: 'posts.csv', sizeBytes: CSV.length })).id;

const MAKERS: Readonly<Record<Exclude<keyof World, 'board' | 'comment'>, Maker>> = {
  post: newPost,
  otherPost: newPost,
  async mergedPost(api, boardId) {
    const [duplicatePostId, canonicalPostId] = [await newPost(api, boardId), await newPost(api, boardId)];
    await api.services.merges.merge(api.admin, { duplicatePostId, canonicalPostId });
    return duplicatePostId;
  },
  async deletedPost(api, boardId) {
    const id = await newPost(api, boardId);
    await api.services.posts.delete(api.admin, id);
    return id;
  },
  status: async ({ services, admin }) =>
    (await services.statuses.create(admin, { name: fresh('Status'), color: '#000000' })).id,
  tag: async ({ services, admin }) => (await services.tags.create(admin, { name: fresh('Tag') })).id,
  roadmap: async ({ services, admin }) =>
    (await services.roadmaps.create(admin, { name: fresh('Roadmap') })).id,
  roadmapPost: newPost,
  member: async (api) => (await api.join('member', fresh('Person'))).memberId,
  changelog: async ({ services, admin }) =>
    (await services.changelog.create(admin, { title: 'Soon', content: 'Text' })).id,
  webhook: newWebhook,
  async delivery(api, boardId) {
    const webhookId = await newWebhook(api, boardId);
    await newPost(api, boardId);
    const { items } = await api.services.webhooks.deliveries(api.admin, webhookId, { limit: 1 });
    return items[0]?.id ?? '';
  },
  import: newImport,
  async readyImport(api, boardId) {
    const id = await newImport(api, boardId);
    await api.services.uploads.putPart(api.admin, id, '0', Buffer.from(CSV).toString('base64'));
    return id;
  },
  api_key: async ({ services, admin, callers }) =>
    (await services.keys.create(admin, callers.admin, { name: fresh('Key'), role: 'member' })).key.id,
};

/** Makes one thing of each kind in the organization, or only those that a sample names. */
export async function makeWorld(api: TestApi, sample?: Sample): Promise<World> {
  const { services, admin } = api;
  const isNamed = (name: string) => sample === undefined || JSON.stringify(sample).includes(`{${name}}`);
  const board = (await services.boards.create(admin, { name: fresh('World') })).id;
  const world: Record<string, string> = { board };
  for (const [name, make] of Object.entries(MAKERS)) if (isNamed(name)) world[name] = await make(api, board);
  if (isNamed('comment')) {
    const post = (world['post'] ??= await newPost(api, board));
    world['comment'] = (await services.comments.create(admin, post, { content: 'First' })).id;
  }
  const { roadmap, roadmapPost } = world;
  if (roadmap !== undefined && roadmapPost !== undefined)
    await services.roadmaps.addPost(admin, roadmap, roadmapPost);
  // A sample asks only for what it named.
  return world as unknown as World;
}

/** Ids of the right form that nothing has. */
export function unknownWorld(known: World): World {
  const renamed = Object.entries(known).map(([name, id]) => [name, typeId(id.slice(0, id.lastIndexOf('_')))]);
  return Object.fromEntries(renamed);
}

/** A sample with the ids of a world in it. */
export function fill(
  route: Pick<Route, 'path'>,
  sample: Sample,
  world: World,
): { path: string; body: unknown } {
  const put = (text: string) => text.replaceAll(/\{(\w+)\}/g, (_all, name: keyof World) => world[name]);
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(put(sample.params?.[name] ?? '')),
  );
  const query = sample.query === undefined ? '' : `?${put(sample.query)}`;
  const body: unknown = sample.body === undefined ? undefined : JSON.parse(put(JSON.stringify(sample.body)));
  return { path: `${path}${query}`, body };
}
