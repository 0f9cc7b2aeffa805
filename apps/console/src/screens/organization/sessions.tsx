/** Owns where the person is signed in, and signing out there. */
import { LogOut, MonitorSmartphone } from 'lucide-react';
import { del } from '../../api/client.ts';
import { makeOld } from '../../api/make-old.ts';
import { signOut } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import type { SignIn } from './queries.ts';
import { useSignIns } from './queries.ts';

const keyOf = ({ id }: SignIn) => id;
const NONE: readonly SignIn[] = [];

const columns: Column<SignIn>[] = [
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

/** The part of the screen. */
export function SessionsPart({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'sessions');
  const query = useSignIns();
  const end = useAct(async (gone: readonly SignIn[]) => {
    for (const { id } of gone.filter(({ isCurrent }) => !isCurrent))
      await del(`/api/sessions/${encodeURIComponent(id)}`);
    makeOld('sessions');
    if (gone.some(({ isCurrent }) => isCurrent)) await signOut();
    else toast({ text: gone.length === 1 ? 'Signed out there.' : `Signed out in ${gone.length} places.` });
  });
  const rows = query.data ?? NONE;
  const others = rows.filter(({ isCurrent }) => !isCurrent);
  const bulk = (chosen: readonly SignIn[], clear: () => void) => (
    <Button
      size="s"
      icon={<LogOut />}
      onClick={() => {
        end.run(chosen);
        clear();
      }}
    >
      Sign out
    </Button>
  );
  return (
    <ListScreen
      title="Your sessions"
      screen={screen}
      query={query}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      canOpen={false}
      hasNoText
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
  );
}
