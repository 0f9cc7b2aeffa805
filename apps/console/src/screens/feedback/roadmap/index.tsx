/** Owns the screen: the roadmaps: columns of posts, moved by drag or by keyboard. */
import { useQuery } from '@tanstack/react-query';
import { Map as MapIcon, Plus, Settings2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { requestWhole } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { Select } from '../../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { useScreen } from '../../../ui/use-screen.ts';
import { Votes } from '../shared/marks.tsx';
import { Picker } from '../shared/picker.tsx';
import { TOPIC, useIsAdministrator, useRoadmaps, useStatuses } from '../shared/queries.ts';
import type { Roadmap } from '../shared/types.ts';
import { Lanes } from './lanes.tsx';
import type { Lane } from './queries.ts';
import { addEntry, useEntries } from './queries.ts';
import { RoadmapForm } from './roadmap-form.tsx';
import './roadmap.css';

/** The screen; what stands after it in the address is the roadmap. */
export function Screen() {
  const screen = useScreen();
  const roadmaps = useRoadmaps();
  const isAdministrator = useIsAdministrator();
  const [edited, setEdited] = useState<Roadmap | 'new'>();
  const all = roadmaps.data ?? [];
  const roadmap = all.find(({ slug }) => slug === screen.id) ?? all[0];
  const make = isAdministrator && (
    <Button kind="primary" icon={<Plus />} onClick={() => setEdited('new')}>
      New roadmap
    </Button>
  );
  return (
    <div className="roadmap">
      <header className="roadmap-head">
        <h1>Roadmap</h1>
        {all.length > 1 && (
          <Select
            label="Roadmap"
            value={roadmap?.slug}
            onChange={(slug) => screen.open(slug)}
            options={all.map(({ slug, name }) => ({ value: slug, label: name }))}
          />
        )}
        {roadmap && (
          <Badge tone={roadmap.isPublic ? 'green' : 'neutral'}>
            {roadmap.isPublic ? 'Public' : 'Private'}
          </Badge>
        )}
        {roadmap && isAdministrator && (
          <IconButton
            label={`Settings of ${roadmap.name}`}
            icon={<Settings2 />}
            onClick={() => setEdited(roadmap)}
          />
        )}
        <span className="grow" />
        {roadmap && <AddPost roadmap={roadmap} />}
        {all.length > 0 && isAdministrator && (
          <Button icon={<Plus />} onClick={() => setEdited('new')}>
            New roadmap
          </Button>
        )}
      </header>
      {roadmaps.isPending ? (
        <Skeleton kind="card" rows={3} />
      ) : !roadmaps.data ? (
        <ErrorState error={roadmaps.error} onRetry={() => roadmaps.refetch()} />
      ) : roadmap ? (
        <Board key={roadmap.id} roadmap={roadmap} />
      ) : (
        <EmptyState icon={<MapIcon />} title="No roadmap yet" action={make}>
          A roadmap shows what is planned, in work and done, from the posts that you put on it.
        </EmptyState>
      )}
      {edited !== undefined && (
        <RoadmapForm
          key={edited === 'new' ? 'new' : edited.id}
          roadmap={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
          onGone={() => screen.open(undefined)}
          onMade={(slug) => screen.open(slug)}
        />
      )}
    </div>
  );
}

function Board({ roadmap }: { readonly roadmap: Roadmap }) {
  const statuses = useStatuses();
  const query = useEntries(roadmap.id);
  const entries = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { lanes, others } = useMemo(() => {
    const shown = (statuses.data ?? []).filter(({ showOnRoadmap }) => showOnRoadmap);
    const made = shown.map((status): Lane => ({
      status,
      entries: entries.filter(({ statusId }) => statusId === status.id),
    }));
    const known = new Set(shown.map(({ id }) => id));
    return { lanes: made, others: entries.filter(({ statusId }) => !known.has(statusId ?? '')) };
  }, [statuses.data, entries]);
  if (query.isPending || statuses.isPending) return <Skeleton kind="card" rows={3} />;
  if (!query.data || !statuses.data)
    return <ErrorState error={query.error ?? statuses.error} onRetry={() => query.refetch()} />;
  if (lanes.length === 0)
    return (
      <EmptyState
        icon={<MapIcon />}
        title="No status is on the roadmap"
        action={
          <ScreenLink to="/feedback/boards/statuses" isButton>
            Choose statuses
          </ScreenLink>
        }
      >
        Each status that shows on the roadmap becomes a column.
      </EmptyState>
    );
  return (
    <>
      <p className="roadmap-help small muted">
        Drag a card, or focus one: <Kbd keys="Space" /> picks it up, the arrow keys move it,{' '}
        <Kbd keys="Space" /> puts it down, <Kbd keys="Escape" /> puts it back. <Kbd keys="Enter" /> opens the
        post, <Kbd keys="Delete" /> takes it off.
      </p>
      <Lanes roadmapId={roadmap.id} lanes={lanes} />
      {others.length > 0 && (
        <p className="roadmap-rest small muted">
          {others.length} more {others.length === 1 ? 'post has' : 'posts have'} a status without a column:{' '}
          {others.slice(0, 5).map(({ id, title }, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <ScreenLink to={`/feedback/inbox/${id}`}>
                <bdi>{title}</bdi>
              </ScreenLink>
            </span>
          ))}
          {others.length > 5 && ' …'}
        </p>
      )}
      {query.hasNextPage && (
        <div className="roadmap-rest">
          <Button isBusy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            Show more posts
          </Button>
        </div>
      )}
    </>
  );
}

const MOST_FOUND = 20;

function AddPost({ roadmap }: { readonly roadmap: Roadmap }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const words = text.trim();
  const found = useQuery({
    queryKey: [TOPIC, 'add', words],
    queryFn: ({ signal }) =>
      requestWhole('GET /api/v1/posts', {
        query: { search: words, sort: 'votes', limit: MOST_FOUND },
        signal,
      }),
    enabled: isOpen,
    placeholderData: (before) => before,
  });
  const add = useAct((postId: string) => addEntry(roadmap.id, postId));
  useKeys({ n: () => setOpen(true) });
  const posts = found.data?.data ?? [];
  return (
    <>
      <Button
        kind="primary"
        icon={<Plus />}
        title="Add a post (n)"
        isBusy={add.isBusy}
        onClick={() => setOpen(true)}
      >
        Add a post
      </Button>
      {isOpen && (
        <Picker
          title={`Add to ${roadmap.name}`}
          choices={posts.map((post) => ({
            id: post.id,
            label: post.title,
            hint: (
              <>
                {post.boardName} <Votes count={post.voteCount} />
              </>
            ),
          }))}
          chosen={[]}
          isNarrowedElsewhere
          onText={setText}
          placeholder="Search posts; the most wanted come first"
          onClose={() => setOpen(false)}
          onChoose={([id]) => id !== undefined && add.run(id)}
        />
      )}
    </>
  );
}
