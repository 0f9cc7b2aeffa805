/** Owns the screen of agents: the list, making one, and one agent beside it. */
import { useQueryClient } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { AgentDetail } from './agent-detail.tsx';
import './agents.css';
import { makeAgent, useAgents } from './queries.ts';
import type { Agent } from './queries.ts';

const columns: Column<Agent>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (agent) => agent.name,
    width: 'minmax(140px, 1fr)',
    sortValue: (agent) => agent.name,
  },
  { id: 'about', header: 'About', cell: (agent) => agent.description, width: 'minmax(120px, 2fr)' },
  {
    id: 'tools',
    header: 'Tools',
    cell: (agent) => (agent.tools === null ? 'default set' : `${agent.tools.length} listed`),
    width: '110px',
  },
  {
    id: 'changed',
    header: 'Changed',
    cell: (agent) => <When at={agent.updated_at} />,
    width: '110px',
    sortValue: (agent) => agent.updated_at,
  },
];
/** What fits beside an open agent. */
const narrow = columns.filter(({ id }) => id === 'name' || id === 'tools');
const keyOf = (agent: Agent) => agent.id;

export function Screen() {
  const screen = useScreen();
  const query = useAgents();
  const [isMaking, setMaking] = useState(false);
  const { q = '' } = screen.search;
  const rows = useMemo(() => {
    const text = q.toLowerCase();
    return (query.data ?? []).filter(({ name, description }) =>
      `${name} ${description}`.toLowerCase().includes(text),
    );
  }, [query.data, q]);
  const make = (
    <Button kind="primary" onClick={() => setMaking(true)}>
      New agent
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
        filterPlaceholder="Name or description"
        actions={make}
        empty={
          <EmptyState icon={<Bot />} title="No agents yet" action={make}>
            An agent has tools, memory, schedules and a key of its own.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <AgentDetail key={screen.id} id={screen.id} onClose={() => screen.open(undefined)} />
          )
        }
      />
      {isMaking && <MakeAgent onClose={() => setMaking(false)} onMade={(id) => screen.open(id)} />}
    </>
  );
}

function MakeAgent({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const [name, setName] = useState('');
  const [about, setAbout] = useState('');
  const [made, setMade] = useState<{ readonly id: string; readonly key: string }>();
  const client = useQueryClient();
  const make = useAct(() => makeAgent(name.trim(), about), {
    isQuiet: true,
    onDone(agent) {
      setMade(agent);
      detach(client.invalidateQueries({ queryKey: ['agents'] }), reportError);
    },
  });
  if (made !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title="The key of the agent"
        description="It is shown this once: give it to the program that the agent runs in."
        footer={
          <Button
            kind="primary"
            onClick={() => {
              onMade(made.id);
              onClose();
            }}
          >
            I have it
          </Button>
        }
      >
        <CodeBlock text={made.key} isWrapped />
      </Dialog>
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => make.run()}
      title="New agent"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={name.trim() === ''}>
            Make it
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" isRequired error={make.error?.message}>
          <Input value={name} onText={setName} autoFocus />
        </Field>
        <Field label="What it is for">
          <TextArea value={about} onText={setAbout} />
        </Field>
      </div>
    </Dialog>
  );
}
