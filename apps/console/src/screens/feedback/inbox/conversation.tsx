/** Owns what was said about a post: comments in their order, with what the team can do about each. */
import {
  Lock,
  MessageSquareReply,
  MoreHorizontal,
  Pencil,
  Pin,
  PinOff,
  SmilePlus,
  Trash2,
} from 'lucide-react';
import { useMemo, useState } from 'react';
import { request } from '../../../api/request.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { refreshFeedback } from '../shared/queries.ts';
import type { Comment, PostDetail } from '../shared/types.ts';
import './conversation.css';
import { useComments } from './queries.ts';

const EMOJIS = ['👍', '❤️', '🎉', '😄', '🤔', '👀'] as const;
const SHOWN_AT_FIRST = 100;
const DEEPEST_INDENT = 4;

interface Placed {
  readonly comment: Comment;
  readonly depth: number;
}

/** The comments as one list, by a loop: a thread may be deeper than the stack. */
function inOrder(roots: readonly Comment[]): Placed[] {
  const placed: Placed[] = [];
  const open = roots.map((comment): Placed => ({ comment, depth: 0 })).toReversed();
  for (let next = open.pop(); next; next = open.pop()) {
    placed.push(next);
    const depth = next.depth + 1;
    open.push(...next.comment.replies.map((comment): Placed => ({ comment, depth })).toReversed());
  }
  return placed;
}

/** The comments of a post. */
export function Conversation({
  post,
  onReply,
}: {
  readonly post: PostDetail;
  readonly onReply: (comment: Comment) => void;
}) {
  const comments = useComments(post.id);
  const placed = useMemo(() => inOrder(comments.data ?? []), [comments.data]);
  const [isWhole, setWhole] = useState(false);
  if (comments.isPending) return <Skeleton rows={4} />;
  if (comments.error && !comments.data)
    return <ErrorState error={comments.error} onRetry={() => comments.refetch()} />;
  if (placed.length === 0) return <p className="muted">Nobody has said anything yet.</p>;
  const hidden = isWhole ? 0 : Math.max(0, placed.length - SHOWN_AT_FIRST);
  return (
    <div className="stack">
      {hidden > 0 && (
        <Button size="s" onClick={() => setWhole(true)}>
          Show {hidden} earlier {hidden === 1 ? 'comment' : 'comments'}
        </Button>
      )}
      <ol className="talk">
        {placed.slice(hidden).map(({ comment, depth }) => (
          <Line key={comment.id} post={post} comment={comment} depth={depth} onReply={onReply} />
        ))}
      </ol>
    </div>
  );
}

function Line({
  post,
  comment,
  depth,
  onReply,
}: Placed & { readonly post: PostDetail; readonly onReply: (comment: Comment) => void }) {
  const [isEditing, setEditing] = useState(false);
  const name = comment.authorName ?? 'Somebody';
  const isPinned = post.pinnedComment?.id === comment.id;
  const indent = `talk-depth-${Math.min(depth, DEEPEST_INDENT)}`;
  if (comment.deletedAt !== null)
    return <li className={classes('talk-line', indent, 'talk-gone')}>This comment was deleted.</li>;
  return (
    <li className={classes('talk-line', indent, comment.isPrivate && 'talk-private')}>
      <Avatar name={name} size="s" />
      <div className="grow">
        <div className="talk-head">
          <bdi className="strong">{name}</bdi>
          {comment.isTeamMember && <Badge tone="accent">Team</Badge>}
          {comment.isPrivate && (
            <Badge tone="amber">
              <Lock className="talk-lock" aria-hidden /> Only the team
            </Badge>
          )}
          {isPinned && <Badge tone="blue">Pinned</Badge>}
          <span className="small faint">
            <When at={comment.createdAt} />
            {comment.editedAt !== null && ' · edited'}
          </span>
          <LineActs
            comment={comment}
            postId={post.id}
            isPinned={isPinned}
            onReply={() => onReply(comment)}
            onEdit={() => setEditing(true)}
          />
        </div>
        {isEditing ? (
          <EditLine comment={comment} onDone={() => setEditing(false)} />
        ) : (
          <div dir="auto">
            <Markdown text={comment.content} />
          </div>
        )}
        <Reactions comment={comment} />
      </div>
    </li>
  );
}

function LineActs({
  comment,
  postId,
  isPinned,
  onReply,
  onEdit,
}: {
  readonly comment: Comment;
  readonly postId: string;
  readonly isPinned: boolean;
  readonly onReply: () => void;
  readonly onEdit: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const remove = useAct(
    async () => {
      await request('DELETE /api/v1/comments/{id}', { path: { id: comment.id } });
      await refreshFeedback();
    },
    { onDone: () => setAsking(false) },
  );
  const pin = useAct(async () => {
    const path = { id: postId };
    await (isPinned
      ? request('DELETE /api/v1/posts/{id}/pin', { path })
      : request('PUT /api/v1/posts/{id}/pin', { path, body: { commentId: comment.id } }));
    await refreshFeedback();
  });
  const react = useReact(comment);
  const isPinnable = comment.isTeamMember && !comment.isPrivate;
  return (
    <span className="talk-acts">
      <IconButton size="s" label="Reply" icon={<MessageSquareReply />} onClick={onReply} />
      <Menu
        trigger={<IconButton size="s" label="React" icon={<SmilePlus />} />}
        items={EMOJIS.map((emoji) => ({ label: emoji, onSelect: () => react(emoji) }))}
      />
      <Menu
        trigger={<IconButton size="s" label="More about this comment" icon={<MoreHorizontal />} />}
        items={[
          { label: 'Edit', icon: <Pencil />, onSelect: onEdit },
          ...(isPinnable
            ? [
                {
                  label: isPinned ? 'Take the pin off' : 'Pin to the top',
                  icon: isPinned ? <PinOff /> : <Pin />,
                  onSelect: pin.run,
                },
              ]
            : []),
          'separator',
          { label: 'Delete', icon: <Trash2 />, isDanger: true, onSelect: () => setAsking(true) },
        ]}
      />
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove.run}
        isBusy={remove.isBusy}
        title="Delete the comment?"
        gone={[`What ${comment.authorName ?? 'somebody'} said, with its reactions. Replies stay.`]}
      />
    </span>
  );
}

function EditLine({ comment, onDone }: { readonly comment: Comment; readonly onDone: () => void }) {
  const [content, setContent] = useState(comment.content);
  const save = useAct(
    async () => {
      await request('PATCH /api/v1/comments/{id}', { path: { id: comment.id }, body: { content } });
      await refreshFeedback();
    },
    { onDone },
  );
  return (
    <div className="stack">
      <TextArea value={content} onText={setContent} aria-label="The comment" autoFocus maxLength={5000} />
      <div className="row">
        <Button kind="primary" size="s" isBusy={save.isBusy} onClick={save.run}>
          Save
        </Button>
        <Button size="s" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function useReact(comment: Comment): (emoji: string) => void {
  const { run } = useAct(async (emoji: string) => {
    const has = comment.reactions.some((one) => one.emoji === emoji && one.hasReacted);
    await request(`${has ? 'DELETE' : 'PUT'} /api/v1/comments/{id}/reactions/{emoji}`, {
      path: { id: comment.id, emoji },
    });
    await refreshFeedback();
  });
  return run;
}

function Reactions({ comment }: { readonly comment: Comment }) {
  const { person } = useSession();
  const react = useReact(comment);
  const shown = comment.reactions.filter(({ count }) => count > 0);
  if (shown.length === 0) return null;
  return (
    <div className="row-wrap talk-reactions">
      {shown.map(({ emoji, count, hasReacted }) => (
        <button
          key={emoji}
          type="button"
          className={classes('talk-reaction', hasReacted && 'talk-reacted')}
          aria-pressed={hasReacted}
          aria-label={`${emoji} by ${count}${hasReacted ? `, ${person.name} too` : ''}`}
          onClick={() => react(emoji)}
        >
          {emoji} <span className="number">{count}</span>
        </button>
      ))}
    </div>
  );
}
