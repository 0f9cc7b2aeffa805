/** Owns the pickers of triage: status, board, tags, owner, and where a duplicate goes. */
import { useQuery } from '@tanstack/react-query';
import { UserRoundX } from 'lucide-react';
import { useState } from 'react';
import { requestWhole } from '../../../api/request.ts';
import { useAct } from '../../../api/use-act.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Dot, Votes } from '../shared/marks.tsx';
import { Picker } from '../shared/picker.tsx';
import { useSettledText } from '../../../ui/use-settled-text.ts';
import { TOPIC, useBoards, useStatuses, useTags, useTeam } from '../shared/queries.ts';
import { useSimilar } from './queries.ts';
import type { Triaged } from './triage.ts';
import { changePosts, createTag, mergePosts, retag } from './triage.ts';

/** What is being chosen. */
export type PickerKind = 'status' | 'board' | 'tags' | 'owner' | 'merge';

interface PickingProps {
  readonly posts: readonly Triaged[];
  readonly onClose: () => void;
  /** Called when posts have left where they were. */
  readonly onGone?: () => void;
}

/** The picker of a kind, for these posts. */
export function TriagePicker({ kind, ...props }: PickingProps & { readonly kind: PickerKind }) {
  switch (kind) {
    case 'status':
      return <StatusPicker {...props} />;
    case 'board':
      return <BoardPicker {...props} />;
    case 'tags':
      return <TagPicker {...props} />;
    case 'owner':
      return <OwnerPicker {...props} />;
    case 'merge':
      return <MergePicker {...props} />;
    default:
      return kind satisfies never;
  }
}

function aboutText(posts: readonly Triaged[]): string {
  return posts.length === 1 ? `“${posts[0]?.title ?? ''}”` : `${posts.length} posts`;
}

/** What all posts have in common. */
function shared(posts: readonly Triaged[], of: (post: Triaged) => string | null): string[] {
  const values = new Set(posts.map(of));
  const [only] = values;
  return values.size === 1 && only !== null && only !== undefined ? [only] : [];
}

function StatusPicker({ posts, onClose }: PickingProps) {
  const statuses = useStatuses().data ?? [];
  const { run } = useAct(changePosts);
  return (
    <Picker
      title={`Status of ${aboutText(posts)}`}
      choices={statuses.map(({ id, name, color }) => ({ id, label: name, icon: <Dot color={color} /> }))}
      chosen={shared(posts, ({ statusId }) => statusId)}
      onClose={onClose}
      onChoose={([statusId]) => {
        const status = statuses.find(({ id }) => id === statusId);
        if (status) run(posts, { statusId }, { words: `is now ${status.name}`, shown: { statusId } });
      }}
    />
  );
}

function BoardPicker({ posts, onClose }: PickingProps) {
  const boards = useBoards().data ?? [];
  const { run } = useAct(changePosts);
  return (
    <Picker
      title={`Board of ${aboutText(posts)}`}
      choices={boards.map(({ id, name, isPublic, postCount }) => ({
        id,
        label: name,
        hint: `${isPublic ? '' : 'private · '}${postCount.toLocaleString('en')}`,
      }))}
      chosen={shared(posts, ({ boardId }) => boardId)}
      onClose={onClose}
      onChoose={([boardId]) => {
        const board = boards.find(({ id }) => id === boardId);
        if (!board) return;
        const shown = { boardId: board.id, boardName: board.name, boardSlug: board.slug };
        run(posts, { boardId: board.id }, { words: `moved to ${board.name}`, shown });
      }}
    />
  );
}

function TagPicker({ posts, onClose }: PickingProps) {
  const tags = useTags().data ?? [];
  const { run } = useAct(retag);
  // Only what all of them have is marked; taking the mark off takes it from all.
  const common = tags.filter(({ id }) => posts.every((post) => post.tags.some((tag) => tag.id === id)));
  return (
    <Picker
      title={`Tags of ${aboutText(posts)}`}
      isMultiple
      choices={tags.map(({ id, name, color }) => ({ id, label: name, icon: <Dot color={color} /> }))}
      chosen={common.map(({ id }) => id)}
      placeholder="Type to find or make a tag"
      onClose={onClose}
      onCreate={createTag}
      onChoose={(ids) => {
        const added = tags.filter((tag) => ids.includes(tag.id) && !common.includes(tag));
        const removed = common.filter((tag) => !ids.includes(tag.id));
        run(posts, { added, removed });
      }}
    />
  );
}

const NOBODY = 'nobody';

function OwnerPicker({ posts, onClose }: PickingProps) {
  const [text, setText] = useState('');
  const words = text.trim().toLowerCase();
  const found = useTeam(useSettledText(words)).data ?? [];
  // What was found for the letters before is still there for a moment: Enter must not choose somebody else.
  const team = found.filter(({ name, email }) => `${name} ${email ?? ''}`.toLowerCase().includes(words));
  const { run } = useAct(changePosts);
  return (
    <Picker
      title={`Assign ${aboutText(posts)} to`}
      isNarrowedElsewhere
      onText={setText}
      choices={[
        ...('nobody'.startsWith(words)
          ? [{ id: NOBODY, label: 'Nobody', icon: <UserRoundX className="picker-nobody" aria-hidden /> }]
          : []),
        ...team.map(({ id, name, email }) => ({
          id,
          label: name,
          hint: email ?? undefined,
          icon: <Avatar name={name} size="s" />,
        })),
      ]}
      chosen={shared(posts, ({ ownerMemberId }) => ownerMemberId ?? NOBODY)}
      onClose={onClose}
      onChoose={([chosen]) => {
        const member = team.find(({ id }) => id === chosen);
        const ownerMemberId = member?.id ?? null;
        const words = member ? `is assigned to ${member.name}` : 'is assigned to nobody';
        run(posts, { ownerMemberId }, { words, shown: { ownerMemberId } });
      }}
    />
  );
}

const MOST_FOUND = 20;

/** Similar posts first; with words typed, a search over all. */
function MergePicker({ posts, onClose, onGone }: PickingProps) {
  const [text, setText] = useState('');
  const [first] = posts;
  const similar = useSimilar(first ?? { id: '', title: '', content: '' });
  const words = text.trim();
  const found = useQuery({
    queryKey: [TOPIC, 'merge', words],
    queryFn: ({ signal }) =>
      requestWhole('GET /api/v1/posts', { query: { search: words, limit: MOST_FOUND }, signal }),
    enabled: words !== '',
    placeholderData: (before) => before,
  });
  const { run } = useAct(mergePosts, { onDone: onGone });
  const own = new Set(posts.map(({ id }) => id));
  const candidates = (words === '' ? (similar.data ?? []) : (found.data?.data ?? [])).filter(
    ({ id }) => !own.has(id),
  );
  return (
    <Picker
      title={`Merge ${aboutText(posts)} into`}
      choices={candidates.map((post) => ({
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
      placeholder="Search the post that stays"
      empty={words === '' ? 'No similar post. Type words of the one that stays.' : 'Nothing matches.'}
      onClose={onClose}
      onChoose={([id]) => {
        const into = candidates.find((post) => post.id === id);
        if (into) run(posts, into);
      }}
    />
  );
}
