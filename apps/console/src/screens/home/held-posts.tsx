/** Owns letting held posts through on Home, or marking them as spam. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { When } from '../../ui/when.tsx';
import { moderate } from '../feedback/inbox/triage.ts';
import { TOPIC } from '../feedback/shared/queries.ts';
import type { InboxPost } from '../feedback/shared/types.ts';

const MOST = 5;

/** The posts that wait for moderation. */
export function HeldPosts() {
  const { data } = useQuery({
    queryKey: [TOPIC, 'held', MOST],
    queryFn: ({ signal }) =>
      request('GET /api/v1/inbox/posts', { query: { view: 'pending', limit: MOST }, signal }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Card title="Posts held for moderation">
      <ul className="stack">
        {data.map((post) => (
          <Held key={post.id} post={post} />
        ))}
      </ul>
    </Card>
  );
}

function Held({ post }: { readonly post: InboxPost }) {
  const act = useAct((state: 'published' | 'spam') => moderate([post], state));
  return (
    <li className="home-act">
      <div className="grow">
        <ScreenLink to={`/feedback/inbox/${post.id}?view=pending`}>
          <bdi>{post.title}</bdi>
        </ScreenLink>
        <div className="small faint">
          <bdi>{post.authorName ?? 'somebody'}</bdi> in <bdi>{post.boardName}</bdi>,{' '}
          <When at={post.createdAt} />
        </div>
      </div>
      <Button size="s" isBusy={act.isBusy} onClick={() => act.run('published')}>
        Approve
      </Button>
      <Button size="s" isBusy={act.isBusy} onClick={() => act.run('spam')}>
        Spam
      </Button>
    </li>
  );
}
