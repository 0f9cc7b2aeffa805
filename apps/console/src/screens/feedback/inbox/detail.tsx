/** Owns one post of the inbox: what it says, where it stands, and everything the team can do about it. */
import {
  Archive,
  Check,
  CornerUpLeft,
  Ellipsis,
  ExternalLink,
  EyeOff,
  Flag,
  Merge,
  MessageSquareQuote,
  Pencil,
  ShieldBan,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { detach } from '../../../detach.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { ShortId } from '../../../ui/copy-button.tsx';
import { DetailPane } from '../../../ui/detail-pane.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../../ui/field.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { When } from '../../../ui/when.tsx';
import { Dot, StatusMark, TagMarks, Votes } from '../shared/marks.tsx';
import { fieldFaults, refreshFeedback, useSettings, useStatuses, useTeammates } from '../shared/queries.ts';
import type { PostDetail } from '../shared/types.ts';
import { Composer } from './composer.tsx';
import type { ComposerProps } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import './detail.css';
import type { PickerKind } from './pickers.tsx';
import { markRead, usePost } from './queries.ts';
import { History, Similar, Voters } from './tabs.tsx';
import { restorePosts } from './triage.ts';

/** What the list around an open post can do with it. */
export interface DetailActs {
  readonly pick: (kind: PickerKind, post: PostDetail) => void;
  readonly moderate: (post: PostDetail, state: PostDetail['moderation']) => void;
  readonly remove: (post: PostDetail) => void;
  readonly write: (wanted: NonNullable<ComposerProps['wanted']>) => void;
  /** The post left where it was. */
  readonly goOn: (post: PostDetail) => void;
}

const TABS = ['talk', 'voters', 'history', 'similar'] as const;

/** The open post. */
export function PostPane({
  id,
  tab,
  wanted,
  acts,
  onTab,
  onClose,
}: {
  readonly id: string;
  readonly tab: string | undefined;
  readonly wanted: ComposerProps['wanted'];
  readonly acts: DetailActs;
  readonly onTab: (tab: string | undefined) => void;
  readonly onClose: () => void;
}) {
  const query = usePost(id);
  const post = query.data;
  const isThere = post !== undefined;
  useEffect(() => {
    if (isThere) detach(markRead(id, true), reportError);
  }, [id, isThere]);
  return (
    <DetailPane
      title={<bdi>{post?.title ?? 'Post'}</bdi>}
      name={post?.title}
      size="l"
      query={post ? undefined : query}
      onClose={onClose}
      about={post && <About post={post} />}
      actions={post && <Acts post={post} acts={acts} onClose={onClose} />}
      footer={
        post &&
        post.deletedAt === null &&
        post.mergedIntoId === null && <Composer post={post} wanted={wanted} />
      }
    >
      {post && (
        <>
          <Banner post={post} acts={acts} />
          <Place post={post} pick={acts.pick} onVoters={() => onTab('voters')} />
          <div dir="auto" className="post-text">
            {post.content === '' ? (
              <p className="faint">No more than the title.</p>
            ) : (
              <Markdown text={post.content} />
            )}
          </div>
          <Answer post={post} onEdit={() => acts.write({ voice: 'answer', at: Date.now() })} />
          <Tabs
            label="About this post"
            value={TABS.find((known) => known === tab) ?? 'talk'}
            onChange={(next) => onTab(next === 'talk' ? undefined : next)}
            tabs={[
              {
                id: 'talk',
                label: 'Comments',
                count: post.commentCount,
                content: (
                  <Conversation
                    post={post}
                    onReply={(replyTo) =>
                      acts.write({ voice: replyTo.isPrivate ? 'note' : 'comment', replyTo, at: Date.now() })
                    }
                  />
                ),
              },
              { id: 'voters', label: 'Voters', count: post.voteCount, content: <Voters post={post} /> },
              { id: 'history', label: 'History', content: <History post={post} /> },
              {
                id: 'similar',
                label: 'Similar',
                content: <Similar post={post} onMerged={() => acts.goOn(post)} />,
              },
            ]}
          />
        </>
      )}
    </DetailPane>
  );
}

function About({ post }: { readonly post: PostDetail }) {
  return (
    <>
      <span>
        by <bdi>{post.authorName ?? 'somebody'}</bdi>
        {post.authorEmail ? <span className="faint"> {post.authorEmail}</span> : null}
      </span>
      <When at={post.createdAt} />
      <ShortId id={post.id} />
    </>
  );
}

function Acts({
  post,
  acts,
  onClose,
}: {
  readonly post: PostDetail;
  readonly acts: DetailActs;
  readonly onClose: () => void;
}) {
  const [isEditing, setEditing] = useState(false);
  const settings = useSettings().data;
  const unread = useAct(() => markRead(post.id, false), { onDone: onClose });
  const isPublic = settings?.isPublished === true && post.moderation === 'published';
  return (
    <>
      <IconButton
        label="Answer"
        shortcut="a"
        icon={<MessageSquareQuote />}
        onClick={() => acts.write({ voice: 'answer', at: Date.now() })}
      />
      <IconButton label="Merge" shortcut="m" icon={<Merge />} onClick={() => acts.pick('merge', post)} />
      <Menu
        trigger={<IconButton label="More" icon={<Ellipsis />} />}
        items={[
          { label: 'Edit the text', icon: <Pencil />, onSelect: () => setEditing(true) },
          { label: 'Mark as unread', shortcut: 'u', icon: <EyeOff />, onSelect: unread.run },
          ...(isPublic
            ? [
                {
                  label: 'Open the public page',
                  icon: <ExternalLink />,
                  onSelect: () => window.open(`/feedback/posts/${post.id}`, '_blank', 'noopener,noreferrer'),
                },
              ]
            : []),
          'separator',
          post.moderation === 'published'
            ? {
                label: 'Hold back',
                hint: 'Only the team sees it',
                icon: <Flag />,
                onSelect: () => acts.moderate(post, 'pending'),
              }
            : {
                label: 'Approve',
                shortcut: 'e',
                icon: <Check />,
                onSelect: () => acts.moderate(post, 'published'),
              },
          {
            label: 'Archive',
            hint: 'Out of sight, nothing is lost',
            icon: <Archive />,
            onSelect: () => acts.moderate(post, 'archived'),
          },
          { label: 'Spam', shortcut: '!', icon: <ShieldBan />, onSelect: () => acts.moderate(post, 'spam') },
          'separator',
          {
            label: 'Delete',
            hint: 'Can be restored for 30 days',
            shortcut: '#',
            icon: <Trash2 />,
            isDanger: true,
            onSelect: () => acts.remove(post),
          },
        ]}
      />
      {isEditing && <EditPost post={post} onClose={() => setEditing(false)} />}
    </>
  );
}

/** Why not everybody sees the post, and the way out of it. */
function Banner({ post, acts }: { readonly post: PostDetail; readonly acts: DetailActs }) {
  const restore = useAct(() => restorePosts([post]));
  const unmerge = useAct(async () => {
    await request('POST /api/v1/posts/{id}/unmerge', { path: { id: post.id } });
    await refreshFeedback();
  });
  if (post.deletedAt !== null)
    return (
      <Notice text="This post was deleted. It can be restored for 30 days.">
        <Button size="s" icon={<Undo2 />} isBusy={restore.isBusy} onClick={restore.run}>
          Restore
        </Button>
      </Notice>
    );
  if (post.mergedIntoId !== null)
    return (
      <Notice text="This post was merged into another one; its votes and comments are there.">
        <ScreenLink to={`/feedback/inbox/${post.mergedIntoId}`} isButton>
          Show that one
        </ScreenLink>
        <Button size="s" icon={<CornerUpLeft />} isBusy={unmerge.isBusy} onClick={unmerge.run}>
          Take the merge back
        </Button>
      </Notice>
    );
  if (post.moderation === 'published') return null;
  const words = {
    pending: 'This post waits for the team. Nobody else sees it.',
    spam: 'This post is marked as spam. Nobody but the team sees it.',
    archived: 'This post is archived. Nobody but the team sees it.',
  }[post.moderation];
  return (
    <Notice text={words}>
      <Button size="s" kind="primary" icon={<Check />} onClick={() => acts.moderate(post, 'published')}>
        Approve <Kbd keys="e" />
      </Button>
      {post.moderation !== 'spam' && (
        <Button size="s" icon={<ShieldBan />} onClick={() => acts.moderate(post, 'spam')}>
          Spam <Kbd keys="!" />
        </Button>
      )}
    </Notice>
  );
}

function Notice({ text, children }: { readonly text: string; readonly children: ReactNode }) {
  return (
    <div className="post-notice" role="status">
      <span className="grow">{text}</span>
      <span className="row-wrap">{children}</span>
    </div>
  );
}

/** Where the post stands: each is a button that changes it. */
function Place({
  post,
  pick,
  onVoters,
}: {
  readonly post: PostDetail;
  readonly pick: DetailActs['pick'];
  readonly onVoters: () => void;
}) {
  const status = useStatuses().data?.find(({ id }) => id === post.statusId);
  const owner = useTeammates([post.ownerMemberId]).get(post.ownerMemberId ?? '');
  return (
    <div className="post-place" role="toolbar" aria-label="Where this post stands">
      <button
        type="button"
        className="post-votes"
        onClick={onVoters}
        aria-label={`${post.voteCount} votes: who voted`}
      >
        <Votes count={post.voteCount} />
      </button>
      <PlaceButton label="Status" shortcut="s" onClick={() => pick('status', post)}>
        {status ? <StatusMark status={status} /> : 'Status'}
      </PlaceButton>
      <PlaceButton label="Board" shortcut="b" onClick={() => pick('board', post)}>
        <bdi className="truncate">{post.boardName}</bdi>
      </PlaceButton>
      <PlaceButton label="Tags" shortcut="t" onClick={() => pick('tags', post)}>
        {post.tags.length === 0 ? <span className="faint">No tags</span> : <TagMarks tags={post.tags} />}
      </PlaceButton>
      <PlaceButton label="Assigned to" shortcut="o" onClick={() => pick('owner', post)}>
        {owner ? (
          <>
            <Avatar name={owner.name} size="s" />
            <bdi className="truncate">{owner.name}</bdi>
          </>
        ) : (
          <span className="faint">No owner</span>
        )}
      </PlaceButton>
    </div>
  );
}

function PlaceButton({
  label,
  shortcut,
  onClick,
  children,
}: {
  readonly label: string;
  readonly shortcut: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      className="post-place-button"
      onClick={onClick}
      title={`${label}: change it (${shortcut})`}
    >
      <span className="visually-hidden">{label}: </span>
      {children}
      <Kbd keys={shortcut} />
    </button>
  );
}

function Answer({ post, onEdit }: { readonly post: PostDetail; readonly onEdit: () => void }) {
  if (post.officialResponse === null) return null;
  return (
    <section className="post-answer" aria-label="Official answer">
      <div className="row">
        <Dot color="var(--accent)" />
        <h3 className="grow">
          Official answer{' '}
          <span className="small muted">
            by <bdi>{post.officialResponseAuthorName ?? 'the team'}</bdi>,{' '}
            <When at={post.officialResponseAt} />
          </span>
        </h3>
        <Button size="s" kind="quiet" icon={<Pencil />} onClick={onEdit}>
          Change
        </Button>
      </div>
      <div dir="auto">
        <Markdown text={post.officialResponse} />
      </div>
    </section>
  );
}

function EditPost({ post, onClose }: { readonly post: PostDetail; readonly onClose: () => void }) {
  const [title, setTitle] = useState(post.title);
  const [content, setContent] = useState(post.content);
  const save = useAct(
    async () => {
      await request('PATCH /api/v1/posts/{id}', { path: { id: post.id }, body: { title, content } });
      await refreshFeedback();
    },
    { onDone: onClose, isQuiet: true },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={save.run}
      title="Edit the post"
      description="Everybody sees the new text; the activity says that it was changed."
      size="l"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Title" isRequired error={faults['title']}>
          <Input value={title} onText={setTitle} maxLength={200} dir="auto" />
        </Field>
        <Field label="Text" hint="Markdown" error={faults['content'] ?? rest}>
          <TextArea value={content} onText={setContent} rows={12} maxLength={10_000} dir="auto" />
        </Field>
      </div>
    </Dialog>
  );
}
