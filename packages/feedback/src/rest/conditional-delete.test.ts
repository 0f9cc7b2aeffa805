/** DELETE with If-Match: what has changed since it was read stays. */
import { expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';
import { ROUTES } from './routes/index.ts';

const DELETE_PATHS = ROUTES.filter(({ method }) => method === 'DELETE').map(({ path }) => path);

async function pathsIn({ services, admin, member, post, callers, join }: TestApi) {
  const postId = await post();
  const { id: commentId } = await services.comments.create(member, postId, { content: 'Hm' });
  const { id: roadmapId } = await services.roadmaps.create(admin, { name: 'Plan' });
  await services.roadmaps.addPost(admin, roadmapId, postId);
  const { webhook } = await services.webhooks.create(admin, {
    url: 'https://hooks.example.com/x',
    events: ['post.created'],
  });
  const status = await services.statuses.create(admin, { name: 'Later', color: '#123456' });
  const { key } = await services.keys.create(admin, callers.admin, { name: 'Key', role: 'member' });
  const upload = await services.uploads.create(admin, { fileName: 'posts.csv', sizeBytes: 1 });
  const { memberId } = await join('member', 'Lea Leaver');
  const paths: Record<string, string> = {
    '/posts/:id': `/posts/${await post()}`,
    '/posts/:id/vote': `/posts/${postId}/vote`,
    '/posts/:id/vote/proxy': `/posts/${postId}/vote/proxy?memberId=${memberId}`,
    '/posts/:id/follow': `/posts/${postId}/follow`,
    '/posts/:id/pin': `/posts/${postId}/pin`,
    '/comments/:id': `/comments/${commentId}`,
    '/comments/:id/reactions/:emoji': `/comments/${commentId}/reactions/${encodeURIComponent('👍')}`,
    '/boards/:id': `/boards/${(await services.boards.create(admin, { name: 'Empty' })).id}`,
    '/statuses/:id': `/statuses/${status.id}`,
    '/tags/:id': `/tags/${(await services.tags.create(admin, { name: 'ui' })).id}`,
    '/roadmaps/:id/posts/:postId': `/roadmaps/${roadmapId}/posts/${postId}`,
    '/roadmaps/:id': `/roadmaps/${(await services.roadmaps.create(admin, { name: 'Other' })).id}`,
    '/members/:id': `/members/${memberId}`,
    '/changelog/:id': `/changelog/${(await services.changelog.create(admin, { title: 'New', content: 'x' })).id}`,
    '/webhooks/:id': `/webhooks/${webhook.id}`,
    '/keys/:id': `/keys/${key.id}`,
    '/posts/:id/read': `/posts/${postId}/read`,
    '/settings/images/:kind': '/settings/images/logo',
    '/imports/:id': `/imports/${upload.id}`,
  };
  return paths;
}

onBothEngines('deleting what was read', (open) => {
  test('a DELETE whose If-Match fails deletes nothing, on every route', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const paths = await pathsIn(api);
    expect(Object.keys(paths).toSorted()).toEqual([...DELETE_PATHS].toSorted());
    const outcomes: unknown[] = [];
    for (const route of DELETE_PATHS) {
      const path = paths[route] ?? '';
      const stale = await api.call('DELETE', path, { as, headers: { 'if-match': '"stale"' } });
      const read = await api.call('GET', path, { as });
      const isThere = read.status === 200 || read.status === 405;
      outcomes.push([route, stale.status, stale.json?.error?.code, isThere]);
      const etag = read.headers.get('etag');
      if (etag !== null) {
        const done = await api.call('DELETE', path, { as, headers: { 'if-match': etag } });
        expect([route, done.status]).toEqual([route, 204]);
        const after = await api.call('GET', path, { as });
        const { data } = after.json;
        const isGone = after.status === 404 || data === null || typeof data.deletedAt === 'string';
        expect([route, isGone]).toEqual([route, true]);
      }
    }
    expect(outcomes).toEqual(DELETE_PATHS.map((route) => [route, 412, 'PRECONDITION_FAILED', true]));
  });
});
