/** Threads that are deeper than any reader: what is stored is readable everywhere, and nothing deeper is written. */
import { typeId } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import type { TestApi } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import { remoteGrants } from '../remote/index.ts';
import type { FeedbackTables } from '../schema.ts';
import { onBothEngines } from '../testing/engines.ts';
import { feedbackToolset, withBackend } from '../toolset.ts';

const SIZE = 3000;
const LEVELS = 100;

/** A chain of replies as an import or an older version may have left it. */
async function chainOf({ store, member, organizationId }: TestApi, postId: string, size: number) {
  const start = Date.UTC(2026, 0, 1);
  const ids = Array.from({ length: size }, (_, index) => typeId('comment', start + index));
  const rows = ids.map((id, index) => ({
    organization_id: organizationId,
    id,
    post_id: postId,
    parent_id: ids[index - 1] ?? null,
    content: `n${index}`,
    author_member_id: member.memberId,
    author_user_id: member.userId,
    agent_name: null,
    is_team_member: 1,
    is_private: 0,
    created_at: start + index,
    edited_at: null,
    deleted_at: null,
  }));
  for (let at = 0; at < rows.length; at += 500)
    await store
      .db<FeedbackTables>()
      .insertInto('feedback_comments')
      .values(rows.slice(at, at + 500))
      .execute();
  return ids;
}

interface Node {
  readonly id: string;
  readonly replies: Node[];
}

function walk(roots: readonly Node[]): { ids: string[]; depth: number } {
  const ids: string[] = [];
  let depth = 0;
  for (let level = [...roots]; level.length > 0; level = level.flatMap(({ replies }) => replies)) {
    ids.push(...level.map(({ id }) => id));
    depth += 1;
  }
  return { ids, depth };
}

onBothEngines('deep threads', (open) => {
  test('a thread of 3,000 nested replies is answered whole over REST, the public API, the page and MCP', async () => {
    const api = await openRest(await open());
    const postId = await api.post();
    const ids = await chainOf(api, postId, SIZE);
    const { status, json } = await api.call('GET', `/posts/${postId}/comments`, { as: api.keys.member });
    expect({ status, ...walk(json.data) }).toEqual({ status: 200, ids, depth: LEVELS });

    await api.services.settings.update(api.admin, { isPublished: true });
    await using site = await servePages(api.services);
    const answer = await fetch(`${site.url}/api/public/posts/${postId}/comments`);
    const open_ = (await answer.json()) as { data: Node[] };
    expect({ status: answer.status, ...walk(open_.data) }).toEqual({ status: 200, ids, depth: LEVELS });
    const last = await openBrowser(site).get(`/feedback/posts/${postId}?page=150`);
    expect(last.status).toBe(200);
    expect(last.text).toContain('n2999');

    const as = { ...api.callers.admin, grants: remoteGrants(true) };
    await using client = await connect(feedbackToolset, { services: withBackend(api.services), as });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: { comments: unknown; nextCursor: string | null } = await client.call('get_post', {
        postId,
        limit: 100,
        ...(cursor !== null && { cursor }),
      });
      seen.push(...walk(page.comments as Node[]).ids);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(ids);
    expect(api.faults).toEqual([]);
  });

  test('a reply below the last level is refused and says where to reply instead', async () => {
    const api = await openRest(await open());
    const postId = await api.post();
    const ids = await chainOf(api, postId, LEVELS - 1);
    const reply = (parentId: string | undefined) =>
      api.call('POST', `/posts/${postId}/comments`, {
        as: api.keys.member,
        body: { content: 'Deeper', parentId },
      });
    const allowed = await reply(ids.at(-1));
    expect(allowed.status).toBe(201);
    const refused = await reply(allowed.json.data.id);
    expect(refused.status).toBe(400);
    expect(refused.json.error).toEqual({
      code: 'VALIDATION_ERROR',
      message: 'This thread is 100 replies deep, which is the most. Reply to a comment further up.',
    });
    // Beside it there is room.
    expect((await reply(ids.at(-1))).status).toBe(201);
  });
});
