/** Owns what a row of the inbox shows: much while the list is alone, little beside an open post. */
import { MessageSquareReply } from 'lucide-react';
import { useMemo } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { classes } from '../../../ui/classes.ts';
import type { Column } from '../../../ui/data-table.tsx';
import { When } from '../../../ui/when.tsx';
import { Dot, StatusMark, Votes } from '../shared/marks.tsx';
import { useStatuses, useTeammates } from '../shared/queries.ts';
import type { InboxPost, Member, Status } from '../shared/types.ts';

/** The columns. */
export function useColumns(posts: readonly InboxPost[], isNarrow: boolean): Column<InboxPost>[] {
  const statuses = useStatuses().data;
  const memberOf = useTeammates(isNarrow ? [] : posts.map(({ ownerMemberId }) => ownerMemberId));
  return useMemo(() => {
    const statusOf = new Map((statuses ?? []).map((status) => [status.id, status]));
    return isNarrow ? narrowColumns(statusOf) : wideColumns(statusOf, memberOf);
  }, [statuses, memberOf, isNarrow]);
}

function Title({ post }: { readonly post: InboxPost }) {
  return (
    <span className={classes('inbox-title', post.isUnread && 'inbox-unread')}>
      <span className="inbox-dot" aria-hidden />
      {post.isUnread && <span className="visually-hidden">Unread: </span>}
      <bdi className="truncate inbox-name">{post.title}</bdi>
      <span className="truncate inbox-excerpt" aria-hidden>
        {post.content
          .slice(0, 160)
          .replaceAll(/[*_`~#>]+/g, '')
          .replaceAll(/\s+/g, ' ')}
      </span>
    </span>
  );
}

function narrowColumns(statusOf: ReadonlyMap<string, Status>): Column<InboxPost>[] {
  return [
    { id: 'title', header: 'Post', cell: (post) => <Title post={post} /> },
    {
      id: 'votes',
      header: 'Votes',
      width: '72px',
      align: 'end',
      cell: ({ statusId, voteCount }) => {
        const status = statusOf.get(statusId ?? '');
        return (
          <span className="inbox-talk" title={status?.name}>
            {status && <Dot color={status.color} />}
            {status && <span className="visually-hidden">{status.name}, </span>}
            <Votes count={voteCount} />
          </span>
        );
      },
    },
  ];
}

function wideColumns(
  statusOf: ReadonlyMap<string, Status>,
  memberOf: ReadonlyMap<string, Member>,
): Column<InboxPost>[] {
  return [
    { id: 'title', header: 'Post', width: 'minmax(0, 1fr)', cell: (post) => <Title post={post} /> },
    {
      id: 'status',
      header: 'Status',
      width: '130px',
      cell: ({ statusId }) => <StatusMark status={statusOf.get(statusId ?? '')} />,
    },
    {
      id: 'board',
      header: 'Board',
      width: '130px',
      cell: (post) => <bdi className="truncate">{post.boardName}</bdi>,
    },
    {
      id: 'votes',
      header: 'Votes',
      width: '64px',
      align: 'end',
      cell: (post) => <Votes count={post.voteCount} />,
    },
    {
      id: 'talk',
      header: 'Talk',
      width: '64px',
      align: 'end',
      isWideOnly: true,
      cell: (post) => (
        <span
          className="inbox-talk"
          title={post.isAnswered ? 'The team has answered' : 'The team has not answered'}
        >
          {post.isAnswered && <MessageSquareReply className="inbox-answered" aria-label="answered" />}
          {post.commentCount}
        </span>
      ),
    },
    {
      id: 'owner',
      header: 'For',
      width: '52px',
      isWideOnly: true,
      cell: ({ ownerMemberId }) => {
        const owner = memberOf.get(ownerMemberId ?? '');
        return (
          owner && (
            <span title={owner.name}>
              <Avatar name={owner.name} size="s" />
              <span className="visually-hidden">{owner.name}</span>
            </span>
          )
        );
      },
    },
    {
      id: 'created',
      header: 'Posted',
      width: '96px',
      align: 'end',
      cell: (post) => <When at={post.createdAt} />,
    },
  ];
}
