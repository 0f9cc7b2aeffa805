/** Owns what stands beside the talk about a post: who voted, what happened, and what resembles it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Merge } from 'lucide-react';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { requestWhole } from '../../../api/request.ts';
import type { Activity, Pagination } from '../../../api/schema.ts';
import { useAct } from '../../../api/use-act.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { StatusMark, Votes } from '../shared/marks.tsx';
import { TOPIC, useBoards, useRoadmaps, useStatuses, useTags, useTeammates } from '../shared/queries.ts';
import type { PostDetail } from '../shared/types.ts';
import { useSimilar } from './queries.ts';
import './tabs.css';
import { mergePosts } from './triage.ts';

const PAGE_ROWS = 50;

interface Asked {
  readonly path: { readonly id: string };
  readonly query: { readonly limit: number; readonly cursor: string };
  readonly signal: AbortSignal;
}

interface PageOf<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** The pages of a list that belongs to a post. */
function usePages<T>(postId: string, noun: string, read: (asked: Asked) => Promise<PageOf<T>>) {
  return useInfiniteQuery({
    queryKey: [TOPIC, noun, postId],
    queryFn: ({ pageParam, signal }) =>
      read({ path: { id: postId }, query: { limit: PAGE_ROWS, cursor: pageParam }, signal }),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
  });
}

/** A list with its states and a button for more. */
function Pages<T>({
  query,
  empty,
  children,
}: {
  readonly query: ReturnType<typeof usePages<T>>;
  readonly empty: string;
  readonly children: (item: T) => ReactNode;
}) {
  if (query.isPending) return <Skeleton rows={4} />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const items = query.data.pages.flatMap(({ data }) => data);
  if (items.length === 0) return <p className="muted">{empty}</p>;
  return (
    <div className="stack">
      <ul className="post-lines">{items.map(children)}</ul>
      {query.hasNextPage && (
        <Button size="s" isBusy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </div>
  );
}

const readVoters = (asked: Asked) => requestWhole('GET /api/v1/posts/{id}/voters', asked);

/** Who voted, the newest first. */
export function Voters({ post }: { readonly post: PostDetail }) {
  const query = usePages(post.id, 'voters', readVoters);
  const named = query.data?.pages[0]?.pagination.total ?? 0;
  const nameless = post.voteCount - named;
  return (
    <>
      <Pages query={query} empty="Nobody has voted here yet.">
        {(voter) => (
          <li key={voter.memberId} className="post-line">
            <Avatar name={voter.name ?? '?'} size="s" />
            <bdi className="truncate">{voter.name ?? 'Somebody'}</bdi>
            <span className="faint small truncate">{voter.email}</span>
            {voter.source !== null && <span className="muted small truncate">by {voter.source}</span>}
            <span className="push small faint">
              <When at={voter.createdAt} />
            </span>
          </li>
        )}
      </Pages>
      {query.data && nameless > 0 && (
        <p className="small muted">
          {nameless.toLocaleString('en')} more came with an import, without names.
        </p>
      )}
    </>
  );
}

const readActivity = (asked: Asked) => requestWhole('GET /api/v1/posts/{id}/activity', asked);

interface Named {
  readonly id: string;
  readonly name: string;
}

/** The names behind the ids that stand in the history. */
function useNames(lines: readonly Activity[]): (id: string | null) => string {
  const [boards, statuses, tags] = [useBoards().data, useStatuses().data, useTags().data];
  const roadmaps = useRoadmaps().data;
  const told = lines.flatMap(({ from, to }) => [from, to]).filter((id) => id?.startsWith('member_'));
  const team = useTeammates(told.map((id) => id ?? null));
  return useMemo(() => {
    const lists: readonly (readonly Named[] | undefined)[] = [
      boards,
      statuses,
      tags,
      [...team.values()],
      roadmaps,
    ];
    const names = new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]));
    const nameOf = (id: string) =>
      names.get(id) ?? (/^[a-z_]+_[0-9a-z]{26}$/.test(id) ? 'one that is gone' : id);
    return (ids) => (ids === null ? 'nothing' : ids.split(',').map(nameOf).join(', '));
  }, [boards, statuses, tags, team, roadmaps]);
}

type Telling = (line: Activity, name: (id: string | null) => string) => string;

const TELLINGS: Readonly<Record<string, Telling>> = {
  created: () => 'posted it',
  imported: () => 'imported it',
  deleted: () => 'deleted it',
  restored: () => 'brought it back',
  status_changed: ({ from, to }, name) => `moved it from ${name(from)} to ${name(to)}`,
  board_changed: ({ from, to }, name) => `moved it from the board ${name(from)} to ${name(to)}`,
  tags_changed: ({ from, to }, name) => `changed its tags from ${name(from)} to ${name(to)}`,
  owner_changed: ({ to }, name) => (to === null ? 'took its owner away' : `gave it to ${name(to)}`),
  moderation_changed: ({ from, to }) => `changed it from ${from ?? '?'} to ${to ?? '?'}`,
  response_added: () => 'gave the official answer',
  response_changed: () => 'changed the official answer',
  response_removed: () => 'took the official answer away',
  comment_added: () => 'commented',
  comment_deleted: () => 'deleted a comment',
  merged: () => 'merged it into another post',
  unmerged: () => 'took the merge back',
  duplicate_added: () => 'merged a duplicate into it',
  duplicate_removed: () => 'took a duplicate out of it',
  proxy_vote_added: () => 'voted for somebody',
  proxy_vote_removed: () => 'took the vote of somebody back',
  roadmap_added: ({ to }, name) => `put it on the roadmap ${name(to)}`,
  roadmap_removed: ({ from, to }, name) => `took it off the roadmap ${name(from ?? to)}`,
};

/** Actions whose `to` or `from` is another post. */
const POST_ACTIONS = new Set(['merged', 'unmerged', 'duplicate_added', 'duplicate_removed']);

/** What happened to a post, the newest first. */
export function History({ post }: { readonly post: PostDetail }) {
  const query = usePages(post.id, 'activity', readActivity);
  const names = useNames(query.data?.pages.flatMap(({ data }) => data) ?? []);
  return (
    <Pages query={query} empty="Nothing has happened yet.">
      {(line) => {
        const other = POST_ACTIONS.has(line.action) ? (line.to ?? line.from) : null;
        const tell = TELLINGS[line.action];
        return (
          <li key={line.id} className="post-line">
            <Avatar name={line.actorName ?? '?'} size="s" />
            <span className="grow">
              <bdi className="strong">{line.actorName ?? 'Somebody'}</bdi>{' '}
              <bdi>{tell ? tell(line, names) : line.action.replaceAll('_', ' ')}</bdi>
              {other !== null && (
                <>
                  {': '}
                  <ScreenLink to={`/feedback/inbox/${other}`}>show the other post</ScreenLink>
                </>
              )}
            </span>
            <span className="push small faint">
              <When at={line.createdAt} />
            </span>
          </li>
        );
      }}
    </Pages>
  );
}

/** Posts that resemble this one, each with the way to merge. */
export function Similar({ post, onMerged }: { readonly post: PostDetail; readonly onMerged: () => void }) {
  const similar = useSimilar(post);
  const statuses = useStatuses().data ?? [];
  const merge = useAct(mergePosts, { onDone: onMerged });
  if (similar.isPending) return <Skeleton rows={3} />;
  if (!similar.data) return <ErrorState error={similar.error} onRetry={() => similar.refetch()} />;
  if (similar.data.length === 0) return <p className="muted">No other post shares its words.</p>;
  return (
    <ul className="post-lines">
      {similar.data.map((other) => (
        <li key={other.id} className="post-line">
          <Votes count={other.voteCount} />
          <ScreenLink to={`/feedback/inbox/${other.id}`} className="truncate grow">
            <bdi>{other.title}</bdi>
          </ScreenLink>
          <span className="small muted post-line-status">
            <StatusMark status={statuses.find(({ id }) => id === other.statusId)} />
          </span>
          <Button
            size="s"
            icon={<Merge />}
            isBusy={merge.isBusy}
            title={`Merge this post into “${other.title}”`}
            onClick={() => merge.run([post], other)}
          >
            Merge into
          </Button>
        </li>
      ))}
    </ul>
  );
}
