/** Owns one tool: running it, what it is, what one ran before. */
import type { Tool } from '../../api/schema.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DetailPane } from '../../ui/detail-pane.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { About } from './about.tsx';
import { History } from './history.tsx';
import { Runner } from './runner.tsx';

const TABS = ['run', 'about', 'history'] as const;
type TabName = (typeof TABS)[number];

/** The tool beside the list. */
export function ToolDetail({
  tool,
  screen,
  onClose,
}: {
  readonly tool: Tool;
  readonly screen: ScreenState;
  readonly onClose: () => void;
}) {
  const tab = TABS.find((name) => name === screen.tab) ?? 'run';
  const show = (next: TabName) => screen.open(screen.id, next === 'run' ? undefined : next);
  return (
    <DetailPane
      size="l"
      title={tool.title}
      onClose={onClose}
      about={
        <>
          <EffectBadge effect={tool.effect} />
          <span className="row tools-id">
            <code>{tool.name}</code>
            <CopyButton text={tool.name} label="Copy the name" />
          </span>
          <span>{tool.endpointTitle}</span>
          {tool.isExternal && <Badge>external</Badge>}
          {tool.isPrivileged && <Badge tone="amber">privileged</Badge>}
        </>
      }
    >
      <Tabs
        label="The tool"
        value={tab}
        onChange={show}
        tabs={[
          { id: 'run', label: 'Run', content: <Runner tool={tool} screen={screen} /> },
          { id: 'about', label: 'About', content: <About tool={tool} /> },
          { id: 'history', label: 'My runs', content: <History tool={tool} screen={screen} /> },
        ]}
      />
    </DetailPane>
  );
}
