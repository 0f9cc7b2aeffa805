/** Owns one agent: its heading and its tabs, each with an address of its own. */
import { lazy, Suspense } from 'react';
import type { ReactNode } from 'react';
import { loadCode } from '../../api/load-code.ts';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane } from '../../ui/detail-pane.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { TrustedName } from '../../ui/trusted-name.tsx';
import { AboutTab } from './about-tab.tsx';
import { CreditsTab } from './credits-tab.tsx';
import { MemoryTab } from './memory-tab.tsx';
import { MessagesTab } from './messages-tab.tsx';
import { useAgent } from './queries.ts';
import { ReputationTab } from './reputation-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import { WorkTab } from './work-tab.tsx';

// Both bring a good deal along: words for cron, dialogs, the graph.
const SchedulesTab = lazy(async () => ({
  default: (await loadCode(() => import('./schedules-tab.tsx'))).SchedulesTab,
}));
const WorkflowsTab = lazy(async () => ({
  default: (await loadCode(() => import('./workflows-tab.tsx'))).WorkflowsTab,
}));

const later = (tab: ReactNode) => <Suspense fallback={<Skeleton rows={6} />}>{tab}</Suspense>;

export function AgentDetail({ id, screen }: { readonly id: string; readonly screen: ScreenState }) {
  const query = useAgent(id);
  const agent = query.data;
  const close = () => screen.open(undefined);
  const tabs = agent && [
    { id: 'tools', label: 'Tools', content: <ToolsTab agent={agent} /> },
    { id: 'schedules', label: 'Schedules', content: later(<SchedulesTab id={id} />) },
    { id: 'workflows', label: 'Workflows', content: later(<WorkflowsTab id={id} />) },
    { id: 'work', label: 'Work', content: <WorkTab agent={agent} /> },
    { id: 'messages', label: 'Messages', content: <MessagesTab agent={agent} /> },
    { id: 'memory', label: 'Memory', content: <MemoryTab id={id} /> },
    { id: 'credits', label: 'Credits', content: <CreditsTab id={id} /> },
    { id: 'reputation', label: 'Reputation', content: <ReputationTab id={id} /> },
    { id: 'about', label: 'About', content: <AboutTab agent={agent} onGone={close} /> },
  ];
  return (
    <DetailPane
      title={<TrustedName name={agent?.name ?? 'Agent'} />}
      name={agent?.name}
      about={<ShortId id={id} />}
      query={query}
      onClose={close}
      size="l"
    >
      {tabs && (
        <Tabs
          label="About the agent"
          value={tabs.find((tab) => tab.id === screen.tab)?.id ?? 'tools'}
          onChange={(tab) => screen.open(id, tab)}
          tabs={tabs}
        />
      )}
    </DetailPane>
  );
}
