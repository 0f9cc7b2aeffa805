/** Owns the list of agents: who there is, what each does now, when it last acted. */
import { Bot, Plus, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { ListedAgent } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { TrustedName } from '../../ui/trusted-name.tsx';
import { AgentDetail } from './agent-detail.tsx';
import { MakeAgent } from './make-agent.tsx';
import { useAgents } from './queries.ts';

const columns: Column<ListedAgent>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (agent) => <TrustedName name={agent.name} />,
    width: 'minmax(110px, 1fr)',
    sortValue: (agent) => agent.name,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (agent) => (
      <StateBadge state={agent.status} tone={agent.status === 'watched' ? 'green' : undefined} />
    ),
    width: '104px',
    sortValue: (agent) => agent.status,
  },
  {
    id: 'about',
    header: 'About',
    cell: (agent) => <span className="truncate muted">{agent.description}</span>,
    width: 'minmax(120px, 2fr)',
    isWideOnly: true,
  },
  {
    id: 'tools',
    header: 'Tools',
    cell: (agent) => (agent.tools === null ? 'default set' : `${agent.tools.length} listed`),
    width: '100px',
    isWideOnly: true,
  },
  {
    id: 'run',
    header: 'Last run',
    cell: (agent) => <When at={agent.last_run_at} />,
    width: '104px',
    align: 'end',
    sortValue: (agent) => agent.last_run_at ?? '',
  },
];
/** What fits beside an open agent. */
const narrow = columns.filter(({ id }) => id === 'name' || id === 'status');
const keyOf = (agent: ListedAgent) => agent.id;
const STATUS_FILTER = {
  id: 'status',
  label: 'Status',
  options: [
    { value: 'running', label: 'Running', hint: 'A run is under way' },
    { value: 'watched', label: 'Watched', hint: 'A client holds its inbox open' },
    { value: 'idle', label: 'Idle' },
  ],
};

export function AgentList({ screen }: { readonly screen: ScreenState }) {
  const query = useAgents();
  const [isMaking, setMaking] = useState(false);
  const [asked, setAsked] = useState<readonly ListedAgent[]>([]);
  const { q = '', status } = screen.search;
  const rows = useMemo(() => {
    const text = q.toLowerCase();
    return (query.data ?? []).filter(
      (agent) =>
        (status === undefined || agent.status === status) &&
        `${agent.name} ${agent.description}`.toLowerCase().includes(text),
    );
  }, [query.data, q, status]);
  const remove = useAct(
    async (gone: readonly ListedAgent[]) => {
      for (const { id } of gone) await request('DELETE /api/agents/{id}', { path: { id } });
    },
    {
      onDone() {
        setAsked([]);
        makeOld('agents', 'keys');
      },
    },
  );
  useKeys({ c: () => setMaking(true) });
  const make = (
    <Button size="s" kind="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      New agent
    </Button>
  );
  const bulk = (chosen: readonly ListedAgent[], clear: () => void) => (
    <Button
      size="s"
      icon={<Trash2 />}
      onClick={() => {
        setAsked(chosen);
        clear();
      }}
    >
      Delete
    </Button>
  );
  return (
    <>
      <ListScreen
        title="Agents"
        viewsOf="agents"
        screen={screen}
        query={query}
        rows={rows}
        columns={screen.id === undefined ? columns : narrow}
        keyOf={keyOf}
        defaultSort="name"
        filters={[STATUS_FILTER]}
        filterPlaceholder="Find an agent"
        actions={make}
        bulk={bulk}
        empty={
          <EmptyState icon={<Bot />} title="No agents yet" action={make}>
            An agent has tools, memory, schedules and a key of its own. Make one, and give its key to the
            program that runs it.
          </EmptyState>
        }
        detail={screen.id !== undefined && <AgentDetail key={screen.id} id={screen.id} screen={screen} />}
      />
      {isMaking && <MakeAgent onClose={() => setMaking(false)} onMade={(id) => screen.open(id)} />}
      <ConfirmDelete
        isOpen={asked.length > 0}
        onClose={() => setAsked([])}
        isBusy={remove.isBusy}
        onConfirm={() => remove.run(asked)}
        title={
          asked.length === 1
            ? `Delete the agent “${asked[0]?.name ?? ''}”?`
            : `Delete ${asked.length} agents?`
        }
        gone={['Their keys, memory, messages and schedules', 'What they run now is cancelled']}
      />
    </>
  );
}
