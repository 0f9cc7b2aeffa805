/** Owns the screen: the inbox of feedback: views, a list, the open post, and triage by keyboard. */
import { ArrowDownWideNarrow, CheckCheck, Inbox, MailCheck, Plus, ShieldCheck } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { detach } from '../../../detach.ts';
import { Button } from '../../../ui/button.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import type { Filter } from '../../../ui/list-screen.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { useScreen } from '../../../ui/use-screen.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { countText } from '../shared/marks.tsx';
import { useBoards, useStatuses, useTags, useTeam, useTeammates } from '../shared/queries.ts';
import type { InboxPost, Moderation } from '../shared/types.ts';
import type { ComposerProps } from './composer.tsx';
import { useColumns } from './columns.tsx';
import { PostPane } from './detail.tsx';
import type { DetailActs } from './detail.tsx';
import './inbox.css';
import { NewPost } from './new-post.tsx';
import type { PickerKind } from './pickers.tsx';
import { TriagePicker } from './pickers.tsx';
import { isHeld, markRead, useCounts, useInbox, viewOf } from './queries.ts';
import type { View } from './queries.ts';
import type { Triaged } from './triage.ts';
import { deletePosts, markAllRead, moderate } from './triage.ts';

const keyOf = (post: InboxPost) => post.id;

interface Selected {
  readonly posts: readonly InboxPost[];
  readonly clear: () => void;
}

interface Picking {
  readonly kind: PickerKind;
  readonly posts: readonly Triaged[];
  readonly clear: () => void;
}

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const view = viewOf(screen.search);
  const query = useInbox(screen.search);
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const [picking, setPicking] = useState<Picking>();
  const [wanted, setWanted] = useState<ComposerProps['wanted']>();
  const [isPosting, setPosting] = useState(false);
  const selection = useRef<Selected>(undefined);
  const select = useCallback((selected: Selected | undefined) => {
    selection.current = selected;
  }, []);
  const columns = useColumns(rows, screen.id !== undefined);
  const filters = useFilters(view, screen.search['owner']);
  const goOn = useGoOn(screen, rows);
  const { acts, targets } = useActs({ screen, selection, goOn, pick: setPicking, write: setWanted });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) detach(fetchNextPage(), reportError);
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  useEffect(() => setWanted(undefined), [screen.id]);
  useKeys({ n: () => setPosting(true) });

  const pick = (kind: PickerKind) => (post: InboxPost) => setPicking({ kind, ...targets(post) });
  const set = (state: Moderation) => (post: InboxPost) => acts.moderateAll(targets(post), state);
  const answer = (voice: 'answer' | 'comment') => (post: InboxPost) => {
    if (screen.id !== post.id) screen.open(post.id);
    // After the pane is there, which clears what was asked for the one before.
    setTimeout(() => setWanted({ voice, at: Date.now() }), 0);
  };
  const rowKeys = {
    s: pick('status'),
    b: pick('board'),
    t: pick('tags'),
    o: pick('owner'),
    m: pick('merge'),
    a: answer('answer'),
    c: answer('comment'),
    e: set('published'),
    '!': set('spam'),
    u: (post: InboxPost) => acts.toggleRead(post),
    '#': (post: InboxPost) => acts.removeAll(targets(post)),
  };
  const openId = screen.id;
  const bulk = (posts: readonly InboxPost[], clear: () => void) => (
    <Bulk posts={posts} clear={clear} onSelection={select} pick={setPicking} acts={acts} />
  );
  return (
    <>
      <ListScreen
        title="Inbox"
        viewsOf="feedback-inbox"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        isSortedByServer
        filters={filters}
        hasNoText={isHeld(view)}
        filterPlaceholder="Search posts"
        actions={
          <>
            {!isHeld(view) && <SortMenu screen={screen} />}
            {view === 'unread' && rows.length > 0 && <ReadAll />}
            <Button kind="primary" icon={<Plus />} onClick={() => setPosting(true)} title="New post (n)">
              <span className="inbox-wide">New post</span>
            </Button>
          </>
        }
        notice={<Views screen={screen} view={view} />}
        empty={<Empty view={view} />}
        rowKeys={rowKeys}
        onEnd={onEnd}
        isLoadingMore={isFetchingNextPage}
        bulk={bulk}
        detail={
          openId !== undefined && (
            <PostPane
              key={openId}
              id={openId}
              tab={screen.tab}
              wanted={wanted}
              acts={acts}
              onTab={(tab) => screen.open(openId, tab)}
              onClose={() => screen.open(undefined)}
            />
          )
        }
      />
      {picking && (
        <TriagePicker
          kind={picking.kind}
          posts={picking.posts}
          onClose={() => setPicking(undefined)}
          onGone={() => {
            picking.clear();
            goOn(picking.posts);
          }}
        />
      )}
      {isPosting && (
        <NewPost
          boardId={screen.search['board']}
          onClose={() => setPosting(false)}
          onDone={(id) => screen.open(id)}
        />
      )}
    </>
  );
}

/** Opens the post after those that left, so that triage goes on without a hand on the mouse. */
function useGoOn(screen: ScreenState, rows: readonly InboxPost[]) {
  const latest = useRef({ screen, rows });
  latest.current = { screen, rows };
  return useCallback((gone: readonly { readonly id: string }[]) => {
    const { screen: now, rows: all } = latest.current;
    const ids = new Set(gone.map(({ id }) => id));
    if (now.id === undefined || !ids.has(now.id)) return;
    const at = all.findIndex(({ id }) => id === now.id);
    const isLeft = ({ id }: InboxPost) => !ids.has(id);
    const next = all.slice(at + 1).find(isLeft) ?? all.slice(0, Math.max(0, at)).findLast(isLeft);
    now.open(next?.id);
  }, []);
}

interface Targets {
  readonly posts: readonly Triaged[];
  readonly clear: () => void;
}

interface ActsParts {
  readonly screen: ScreenState;
  readonly selection: { readonly current: Selected | undefined };
  readonly goOn: (gone: readonly { readonly id: string }[]) => void;
  readonly pick: (picking: Picking) => void;
  readonly write: (wanted: NonNullable<ComposerProps['wanted']>) => void;
}

/** What can be done from the list, from the open post and by keys; selected posts go before the one that is looked at. */
function useActs({ screen, selection, goOn, pick, write }: ActsParts) {
  const view = viewOf(screen.search);
  // The next post is there at once, and its keys count while the server still works on the one before.
  const set = useAct(moderate, { inTurn: true });
  const remove = useAct(deletePosts, { inTurn: true });
  const read = useAct((post: InboxPost) => markRead(post.id, post.isUnread), { inTurn: true });
  const moderateAll = ({ posts, clear }: Targets, state: Moderation) => {
    // A view of posts that are held back loses those that are not any more, and the other way round.
    const isLeaving = isHeld(view) ? state !== view : state !== 'published';
    if (isLeaving) goOn(posts);
    clear();
    set.run(posts, state);
  };
  const removeAll = ({ posts, clear }: Targets) => {
    goOn(posts);
    clear();
    remove.run(posts);
  };
  const toggleRead = (post: InboxPost) => {
    if (!post.isUnread && screen.id === post.id) screen.open(undefined);
    read.run(post);
  };
  const one = (post: Triaged): Targets => ({ posts: [post], clear: () => undefined });
  const acts: DetailActs & {
    moderateAll: (targets: Targets, state: Moderation) => void;
    removeAll: (targets: Targets) => void;
    toggleRead: (post: InboxPost) => void;
  } = {
    pick: (kind, post) => pick({ kind, ...one(post) }),
    moderate: (post, state) => moderateAll(one(post), state),
    remove: (post) => removeAll(one(post)),
    write,
    goOn: (post) => goOn([post]),
    moderateAll,
    removeAll,
    toggleRead,
  };
  const targets = (post: InboxPost): Targets => {
    const selected = selection.current;
    return selected && selected.posts.length > 0 ? selected : one(post);
  };
  return { acts, targets };
}

/** What can be done with the selected posts; the keys of a single post work for all of them. */
function Bulk({
  posts,
  clear,
  onSelection,
  pick,
  acts,
}: {
  readonly posts: readonly InboxPost[];
  readonly clear: () => void;
  readonly onSelection: (selected: Selected | undefined) => void;
  readonly pick: (picking: Picking) => void;
  readonly acts: ReturnType<typeof useActs>['acts'];
}) {
  const targets = { posts, clear };
  useEffect(() => {
    onSelection({ posts, clear });
    return () => onSelection(undefined);
  });
  const picks = [
    ['status', 'Status', 's'],
    ['board', 'Board', 'b'],
    ['tags', 'Tags', 't'],
    ['owner', 'Assign', 'o'],
    ['merge', 'Merge', 'm'],
  ] as const;
  const hasHeld = posts.some(({ moderation }) => moderation !== 'published');
  return (
    <>
      {picks.map(([kind, label, key]) => (
        <Button key={kind} size="s" title={`${label} (${key})`} onClick={() => pick({ kind, ...targets })}>
          {label}
        </Button>
      ))}
      {hasHeld && (
        <Button size="s" title="Approve (e)" onClick={() => acts.moderateAll(targets, 'published')}>
          Approve
        </Button>
      )}
      <Button size="s" title="Spam (!)" onClick={() => acts.moderateAll(targets, 'spam')}>
        Spam
      </Button>
      <Button size="s" kind="danger" title="Delete (#)" onClick={() => acts.removeAll(targets)}>
        Delete
      </Button>
    </>
  );
}

function useFilters(view: View, owner: string | undefined): Filter[] {
  const [boards, statuses, tags, team] = [
    useBoards().data,
    useStatuses().data,
    useTags().data,
    useTeam().data,
  ];
  // Whom the address names may stand further down in the list than it is read.
  const named = useTeammates([owner ?? null]);
  return useMemo(() => {
    const option = ({ id, name }: { readonly id: string; readonly name: string }) => ({
      value: id,
      label: name,
    });
    const board = { id: 'board', label: 'Board', options: (boards ?? []).map(option) };
    if (isHeld(view)) return [board];
    const members = new Map([...named, ...(team ?? []).map((member) => [member.id, member] as const)]);
    const people = [...members.values()];
    return [
      board,
      {
        id: 'status',
        label: 'Status',
        options: (statuses ?? []).map(({ slug, name }) => ({ value: slug, label: name })),
      },
      { id: 'tag', label: 'Tag', options: (tags ?? []).map(option) },
      { id: 'owner', label: 'Assigned to', options: people.map(option) },
    ];
  }, [boards, statuses, tags, team, named, view]);
}

const SORT_LABELS = { newest: 'Newest', oldest: 'Oldest', votes: 'Most wanted' } as const;

function SortMenu({ screen }: { readonly screen: ScreenState }) {
  const { sort } = screen.search;
  const current = sort === 'oldest' || sort === 'votes' ? sort : 'newest';
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={<ArrowDownWideNarrow />}>
          {SORT_LABELS[current]}
        </Button>
      }
      items={(['newest', 'votes', 'oldest'] as const).map((value) => ({
        label: SORT_LABELS[value],
        isChecked: value === current,
        onSelect: () => screen.setSearch({ sort: value === 'newest' ? undefined : value }),
      }))}
    />
  );
}

function ReadAll() {
  const { run, isBusy } = useAct(markAllRead);
  return (
    <Button icon={<CheckCheck />} isBusy={isBusy} onClick={run}>
      <span className="inbox-wide">Mark all as read</span>
    </Button>
  );
}

const VIEW_LABELS: Readonly<Record<View, string>> = {
  all: 'All',
  unread: 'Unread',
  unanswered: 'Unanswered',
  pending: 'Held',
  spam: 'Spam',
  archived: 'Archived',
};

function Views({ screen, view }: { readonly screen: ScreenState; readonly view: View }) {
  const counts = useCounts().data;
  const count: Partial<Record<View, number>> = {
    unread: counts?.unread,
    unanswered: counts?.unanswered,
    pending: counts?.pending,
  };
  const labels = Object.entries(VIEW_LABELS) as [View, string][]; // The keys of the table are the views
  return (
    <div className="inbox-views">
      <Tabs
        label="Views"
        value={view}
        onChange={(next) => screen.setSearch({ view: next === 'all' ? undefined : next })}
        tabs={labels.map(([id, label]) => {
          const waiting = count[id] ?? 0;
          return {
            id,
            label: (
              <>
                {label}
                {waiting > 0 && <span className="tabs-count number">{countText(waiting)}</span>}
              </>
            ),
          };
        })}
      />
    </div>
  );
}

function Empty({ view }: { readonly view: View }) {
  if (view === 'unread')
    return (
      <EmptyState icon={<MailCheck />} title="All read">
        What people post or say from now on shows here.
      </EmptyState>
    );
  if (view === 'unanswered')
    return (
      <EmptyState icon={<MailCheck />} title="Everybody has an answer">
        Posts without a public word of the team show here.
      </EmptyState>
    );
  if (view !== 'all')
    return (
      <EmptyState icon={<ShieldCheck />} title={view === 'pending' ? 'Nothing waits' : 'Nothing here'}>
        {view === 'pending'
          ? 'New posts of visitors wait here when their board asks for it: see the settings of a board.'
          : 'Posts that you mark so show here.'}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<Inbox />}
      title="No posts yet"
      action={
        <>
          <ScreenLink to="/feedback/boards" isButton>
            Make a board
          </ScreenLink>
          <ScreenLink to="/feedback/import" isButton>
            Import posts
          </ScreenLink>
        </>
      }
    >
      Make a board, then publish the pages, or bring posts from where they are today.
    </EmptyState>
  );
}
