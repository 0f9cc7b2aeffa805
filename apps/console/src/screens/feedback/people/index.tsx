/** Owns the screen: people of feedback: who posts, comments and votes, and who of them is on the team. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { ArrowDownWideNarrow, UserPlus, Users } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import { makeOld } from '../../../api/make-old.ts';
import { request, requestWhole } from '../../../api/request.ts';
import type { QueryOf } from '../../../api/request.ts';
import type { Person as Visitor } from '../../../api/schema.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { detach } from '../../../detach.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { BulkDelete } from '../../../ui/bulk-delete.tsx';
import { Button } from '../../../ui/button.tsx';
import { ShortId } from '../../../ui/copy-button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { DetailPane, Facts } from '../../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import type { Filter } from '../../../ui/list-screen.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { Select } from '../../../ui/select.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { useOpened } from '../../../ui/use-opened.ts';
import { useScreen } from '../../../ui/use-screen.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { When } from '../../../ui/when.tsx';
import { readTeammates, refreshFeedback, TOPIC, useIsAdministrator } from '../shared/queries.ts';
import type { Member } from '../shared/types.ts';
import './people.css';

/** Somebody with the role that the team gave them. */
interface Person extends Visitor {
  readonly role: Member['role'];
}

const SORTS = {
  most_active: 'Most active',
  newest: 'Newest',
  oldest: 'Oldest',
  name: 'By name',
} as const;
type Sort = keyof typeof SORTS;

const DAY_MS = 86_400_000;
const FILTERS: readonly Filter[] = [
  {
    id: 'verified',
    label: 'E-mail',
    options: [
      { value: 'true', label: 'Verified' },
      { value: 'false', label: 'Not verified' },
    ],
  },
  {
    id: 'joined',
    label: 'Joined',
    options: [
      { value: '7', label: 'In the last 7 days' },
      { value: '30', label: 'In the last 30 days' },
      { value: '365', label: 'In the last year' },
    ],
  },
];

const PAGE_ROWS = 100;
const keyOf = ({ memberId }: Pick<Person, 'memberId'>) => memberId;

async function readPeople(query: QueryOf<'GET /api/v1/users'>, signal: AbortSignal) {
  const page = await requestWhole('GET /api/v1/users', { query, signal });
  const team = await readTeammates(page.data.map(keyOf), signal);
  const roles = new Map(team.map(({ id, role }) => [id, role]));
  return {
    ...page,
    data: page.data.map((person): Person => ({ ...person, role: roles.get(person.memberId) ?? 'user' })),
  };
}

/** One of them, whom the list may not have read yet. */
async function readPerson(id: string, signal: AbortSignal): Promise<Person | undefined> {
  return (await readPeople({ id }, signal)).data[0];
}

function usePeople(search: ScreenState['search']) {
  const { q, sort, verified, joined } = search;
  return useInfiniteQuery({
    queryKey: [TOPIC, 'people', q, sort, verified, joined],
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        search: q,
        sort: sortOf(sort),
        limit: PAGE_ROWS,
        cursor: pageParam,
        verified: verified === undefined ? undefined : verified === 'true',
        dateFrom: sinceOf(joined),
      };
      return readPeople(query, signal);
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.cursor ?? undefined,
    placeholderData: (before) => before,
  });
}

/** The beginning of a day, so that the pages of one list agree about it. */
function sinceOf(days: string | undefined): string | undefined {
  const count = Number(days);
  if (!Number.isInteger(count) || count <= 0 || count > 3650) return undefined;
  return new Date(Date.now() - count * DAY_MS).toISOString().slice(0, 10);
}

function sortOf(text: string | undefined): Sort {
  return text !== undefined && text in SORTS ? (text as Sort) : 'most_active'; // Just looked up
}

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const query = usePeople(screen.search);
  const isAdministrator = useIsAdministrator();
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const columns = useMemo(() => columnsOf(screen.id !== undefined), [screen.id]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) detach(fetchNextPage(), reportError);
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const opened = useOpened({
    id: screen.id,
    rows,
    keyOf,
    list: query,
    queryKey: [TOPIC, 'people'],
    read: readPerson,
  });
  const close = () => screen.open(undefined);
  const bulk = (chosen: readonly Person[], clear: () => void) =>
    isAdministrator && (
      <BulkDelete
        rows={chosen}
        noun={['person', 'people']}
        verb="Remove"
        goneOf={({ name }) => `${name}: the membership, keys and sign-ins here; what they wrote stays`}
        remove={({ memberId }) => request('DELETE /api/v1/members/{id}', { path: { id: memberId } })}
        onDone={() => {
          makeOld(TOPIC);
          clear();
        }}
      />
    );
  return (
    <ListScreen
      title="People"
      viewsOf="feedback-people"
      screen={screen}
      query={query}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      isSortedByServer
      filterPlaceholder="Name or e-mail"
      filters={FILTERS}
      onEnd={onEnd}
      isLoadingMore={isFetchingNextPage}
      bulk={bulk}
      actions={
        <>
          <SortMenu screen={screen} />
          {isAdministrator && (
            <ScreenLink to="/organization/members" isButton kind="primary">
              <UserPlus aria-hidden />
              <span className="button-text">Invite</span>
            </ScreenLink>
          )}
        </>
      }
      empty={
        <EmptyState icon={<Users />} title="Nobody yet">
          Whoever posts, comments or votes shows here.
        </EmptyState>
      }
      detail={
        screen.id !== undefined &&
        (opened.row === undefined ? (
          <DetailPane title="Person" query={opened.query} onClose={close}>
            <p className="muted">There is no such person. They may have left.</p>
          </DetailPane>
        ) : (
          <PersonPane key={screen.id} person={opened.row} onClose={close} />
        ))
      }
    />
  );
}

const ROLE_WORDS = { admin: 'Administrator', member: 'Member', user: 'Visitor' } as const;

function columnsOf(isNarrow: boolean): Column<Person>[] {
  const name: Column<Person> = {
    id: 'name',
    header: 'Name',
    width: 'minmax(0, 1fr)',
    cell: (person) => (
      <span className="row">
        <Avatar name={person.name} size="s" />
        <bdi className="truncate">{person.name}</bdi>
        <span className="faint truncate">{person.email}</span>
      </span>
    ),
  };
  const role: Column<Person> = {
    id: 'role',
    header: 'Role',
    width: '120px',
    cell: ({ role: held }) =>
      held === 'user' ? (
        <span className="faint">Visitor</span>
      ) : (
        <Badge tone="accent">{ROLE_WORDS[held]}</Badge>
      ),
  };
  if (isNarrow) return [name, role];
  const count = (id: string, header: string, of: (person: Person) => number): Column<Person> => ({
    id,
    header,
    width: '88px',
    align: 'end',
    cell: (person) => (
      <span>
        {of(person).toLocaleString('en')}
        <span className="people-unit"> {header.toLowerCase()}</span>
      </span>
    ),
  });
  return [
    name,
    role,
    count('posts', 'Posts', ({ postCount }) => postCount),
    count('comments', 'Comments', ({ commentCount }) => commentCount),
    count('votes', 'Votes', ({ voteCount }) => voteCount),
    {
      id: 'joined',
      header: 'Joined',
      width: '110px',
      align: 'end',
      isWideOnly: true,
      cell: ({ joinedAt }) => <When at={joinedAt} />,
    },
  ];
}

function SortMenu({ screen }: { readonly screen: ScreenState }) {
  const current = sortOf(screen.search['sort']);
  const all = Object.entries(SORTS) as [Sort, string][]; // The keys of the table are the sorts
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={<ArrowDownWideNarrow />}>
          {SORTS[current]}
        </Button>
      }
      items={all.map(([id, label]) => ({
        label,
        isChecked: id === current,
        onSelect: () => screen.setSearch({ sort: id === 'most_active' ? undefined : id }),
      }))}
    />
  );
}

function PersonPane({ person, onClose }: { readonly person: Person; readonly onClose: () => void }) {
  const isAdministrator = useIsAdministrator();
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const { role } = person;
  const isSelf = person.email !== null && person.email === session.person.email;
  const set = useAct(async (next: Member['role']) => {
    const write = async (to: Member['role']) => {
      await request('PATCH /api/v1/members/{id}', { path: { id: person.memberId }, body: { role: to } });
      await refreshFeedback();
    };
    await write(next);
    toast({ text: `${person.name} is now ${ROLE_WORDS[next].toLowerCase()}.`, onUndo: () => write(role) });
  });
  const remove = useAct(
    async () => {
      await request('DELETE /api/v1/members/{id}', { path: { id: person.memberId } });
      await refreshFeedback();
    },
    { onDone: onClose },
  );
  return (
    <DetailPane
      title={<bdi>{person.name}</bdi>}
      name={person.name}
      about={<ShortId id={person.memberId} />}
      onClose={onClose}
      actions={
        isAdministrator &&
        !isSelf && (
          <Button kind="danger" onClick={() => setAsking(true)}>
            Remove
          </Button>
        )
      }
    >
      <Facts
        facts={[
          [
            'E-mail',
            person.email ?? (
              <span key="none" className="faint">
                none
              </span>
            ),
          ],
          ['Joined', <When key="joined" at={person.joinedAt} />],
          ['Posts', person.postCount.toLocaleString('en')],
          ['Comments', person.commentCount.toLocaleString('en')],
          ['Votes', person.voteCount.toLocaleString('en')],
        ]}
      />
      {isAdministrator && !isSelf && (
        <Field label="Role" hint="Administrators and members are the team; visitors use the public pages.">
          <Select
            value={role}
            onChange={set.run}
            isDisabled={set.isBusy}
            options={[
              { value: 'user', label: 'Visitor' },
              { value: 'member', label: 'Member', hint: 'Triages, answers, tags' },
              { value: 'admin', label: 'Administrator', hint: 'Also boards, pages, changelog, people' },
            ]}
          />
        </Field>
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={remove.run}
        isBusy={remove.isBusy}
        title={`Remove ${person.name}?`}
        confirmText="Remove"
        gone={[
          'Their membership, their keys and their sign-ins here. Posts, comments and votes stay with their name.',
        ]}
      />
    </DetailPane>
  );
}
