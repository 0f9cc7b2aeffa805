/** Owns where people are signed in, and signing out there: one's own browsers, and for administrators those of everybody. */
import { LogOut, MonitorSmartphone } from 'lucide-react';
import { useMemo } from 'react';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { signOut, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { useAsking } from '../../ui/asking.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import type { ListQuery } from '../../ui/list-screen.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import type { Device, DeviceOfSomebody } from '../../api/schema.ts';
import { useSignIns, useSignInsOfAll } from './queries.ts';

const keyOf = ({ id }: Device) => id;
const NONE: readonly DeviceOfSomebody[] = [];

const person: Column<DeviceOfSomebody> = {
  id: 'person',
  header: 'Who',
  cell: ({ name }) => <span className="truncate">{name}</span>,
  sortValue: ({ name }) => name,
};

const places: Column<Device>[] = [
  {
    id: 'device',
    header: 'Where',
    cell: ({ device, isCurrent }) => (
      <>
        <span className="truncate">{device}</span>
        {isCurrent && <Badge tone="green">this browser</Badge>}
      </>
    ),
    sortValue: ({ device }) => device,
  },
  {
    id: 'since',
    header: 'Signed in',
    width: '130px',
    cell: ({ createdAt }) => <When at={createdAt} />,
    sortValue: ({ createdAt }) => createdAt,
    isWideOnly: true,
  },
  {
    id: 'seen',
    header: 'Seen',
    width: '130px',
    align: 'end',
    cell: ({ seenAt }) => <When at={seenAt} />,
    sortValue: ({ seenAt }) => seenAt,
  },
];
const ofAll: Column<DeviceOfSomebody>[] = [person, ...places];

/** The part of the screen. */
export function SessionsPart({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'sessions');
  const { isAdministrator } = useSession();
  return isAdministrator ? <Everybody screen={screen} /> : <Own screen={screen} />;
}

function Own({ screen }: { readonly screen: ScreenState }) {
  const query = useSignIns();
  const rows = query.data ?? NONE;
  return (
    <SignIns title="Your sessions" screen={screen} query={query} rows={rows} own={rows} columns={places} />
  );
}

function Everybody({ screen }: { readonly screen: ScreenState }) {
  const { userId } = useSession().person;
  const query = useSignInsOfAll();
  const all = query.data ?? NONE;
  const { q = '', whose } = screen.search;
  const rows = useMemo(() => {
    const text = q.toLowerCase();
    return all.filter(
      (one) =>
        (whose !== 'mine' || one.userId === userId) &&
        `${one.name} ${one.device}`.toLowerCase().includes(text),
    );
  }, [all, q, whose, userId]);
  const own = all.filter((one) => one.userId === userId);
  return (
    <SignIns
      title="Sessions"
      screen={screen}
      query={query}
      rows={rows}
      own={own}
      columns={ofAll}
      filters={[{ id: 'whose', label: 'Whose', options: [{ value: 'mine', label: 'mine' }] }]}
    />
  );
}

interface SignInsProps<T extends Device> {
  readonly title: string;
  readonly screen: ScreenState;
  readonly query: ListQuery;
  readonly rows: readonly T[];
  /** Those of the person who looks. */
  readonly own: readonly Device[];
  readonly columns: Column<T>[];
  readonly filters?: Parameters<typeof ListScreen>[0]['filters'];
}

function SignIns<T extends Device>({ own, filters, ...list }: SignInsProps<T>) {
  const end = useAct(async (gone: readonly Device[]) => {
    const ownIds = new Set(own.map(keyOf));
    for (const { id } of gone.filter(({ isCurrent }) => !isCurrent)) {
      const route = ownIds.has(id) ? 'DELETE /api/sessions/{id}' : 'DELETE /api/team-sessions/{id}';
      await request(route, { path: { id } });
    }
    makeOld('sessions');
    if (gone.some(({ isCurrent }) => isCurrent)) await signOut();
    else toast({ text: gone.length === 1 ? 'Signed out there.' : `Signed out in ${gone.length} places.` });
  });
  const asking = useAsking();
  const others = own.filter(({ isCurrent }) => !isCurrent);
  const bulk = (chosen: readonly Device[], clear: () => void) => (
    <Button
      size="s"
      icon={<LogOut />}
      onClick={() => {
        const others = chosen.filter(({ id }) => !own.some((one) => one.id === id));
        const go = () => {
          end.run(chosen);
          clear();
        };
        // Whoever signs out in a place of their own can sign in there again.
        if (others.length === 0) go();
        else
          asking.ask({
            title:
              others.length === 1 ? 'Sign somebody else out?' : `Sign others out in ${others.length} places?`,
            gone: others.slice(0, MOST_NAMED).map(placeText),
            confirmText: 'Sign out',
            keepText: 'Leave them',
            onYes: go,
          });
      }}
    >
      Sign out
    </Button>
  );
  return (
    <>
      {asking.dialog}
      <ListScreen
        {...list}
        viewsOf="sessions"
        keyOf={keyOf}
        canOpen={false}
        hasNoText={filters === undefined}
        filters={filters}
        filterPlaceholder="Person or browser"
        defaultSort="-seen"
        actions={
          <Button
            size="s"
            icon={<LogOut />}
            disabled={others.length === 0}
            isBusy={end.isBusy}
            onClick={() => end.run(others)}
          >
            Sign out everywhere else
          </Button>
        }
        bulk={bulk}
        empty={<EmptyState icon={<MonitorSmartphone />} title="You are signed in nowhere else" />}
      />
    </>
  );
}

const MOST_NAMED = 10;
const placeText = (place: Device & { readonly name?: string }) =>
  `${place.name ?? 'Somebody'} in ${place.device}: what they type and have not sent`;
