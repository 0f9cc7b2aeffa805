/** Owns one agent: what it is, the tools it has and why others are missing, its schedules, its memory, its keys. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { When } from '../../ui/when.tsx';
import { MemoryTab } from './memory-tab.tsx';
import { deleteAgent, makeKey, useAgent } from './queries.ts';
import type { Agent } from './queries.ts';
import { SchedulesTab } from './schedules-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';

type TabId = 'about' | 'tools' | 'schedules' | 'memory';

export function AgentDetail({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const query = useAgent(id);
  const agent = query.data;
  const [tab, setTab] = useState<TabId>('tools');
  return (
    <DetailPane
      title={agent?.name ?? 'Agent'}
      about={<ShortId id={id} />}
      query={query}
      onClose={onClose}
      size="l"
    >
      {agent && (
        <Tabs<TabId>
          label="About the agent"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'tools', label: 'Tools', content: <ToolsTab id={id} /> },
            { id: 'schedules', label: 'Schedules', content: <SchedulesTab id={id} /> },
            { id: 'memory', label: 'Memory', content: <MemoryTab id={id} /> },
            { id: 'about', label: 'About', content: <About agent={agent} onGone={onClose} /> },
          ]}
        />
      )}
    </DetailPane>
  );
}

function About({ agent, onGone }: { readonly agent: Agent; readonly onGone: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const [key, setKey] = useState<string>();
  const client = useQueryClient();
  const further = useAct(() => makeKey(agent.id), { onDone: (made) => setKey(made.key) });
  const remove = useAct(() => deleteAgent(agent.id), {
    onDone() {
      onGone();
      detach(client.invalidateQueries({ queryKey: ['agents'] }), reportError);
    },
  });
  return (
    <div className="stack agents-part">
      {agent.description !== '' && <p dir="auto">{agent.description}</p>}
      <Facts
        facts={[
          ['Tools', agent.tools === null ? 'The default set' : `${agent.tools.length} by name`],
          agent.runner !== null && ['Runs in', agent.runner],
          ['Made', <When key="made" at={agent.created_at} />],
          ['Changed', <When key="changed" at={agent.updated_at} />],
        ]}
      />
      <div className="row-wrap">
        <Button isBusy={further.isBusy} onClick={() => further.run()}>
          Make a further key
        </Button>
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete
        </Button>
      </div>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete the agent “${agent.name}”?`}
        gone={['Its keys, memory, messages and schedules', 'What it runs now is cancelled']}
        isBusy={remove.isBusy}
        onConfirm={() => remove.run()}
      />
      {key !== undefined && (
        <Dialog
          isOpen
          onClose={() => setKey(undefined)}
          title="A further key of the agent"
          description="It is shown this once."
          footer={<Button onClick={() => setKey(undefined)}>I have it</Button>}
        >
          <CodeBlock text={key} isWrapped />
        </Dialog>
      )}
    </div>
  );
}
