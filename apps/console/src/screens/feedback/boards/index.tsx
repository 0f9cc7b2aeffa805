/** Owns the screen: boards, statuses and tags: what posts are sorted into. */
import { Page } from '../../../ui/page.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { useScreen } from '../../../ui/use-screen.ts';
import { BoardList } from './boards.tsx';
import './boards.css';
import { StatusList } from './statuses.tsx';
import { TagList } from './tags.tsx';

const TABS = ['boards', 'statuses', 'tags'] as const;

/** The screen; what stands after it in the address is the tab. */
export function Screen() {
  const screen = useScreen();
  return (
    <Page title="Boards" description="Where posts stand, how far they are, and what they are about.">
      <Tabs
        label="Kinds"
        value={TABS.find((tab) => tab === screen.id) ?? 'boards'}
        onChange={(tab) => screen.open(tab === 'boards' ? undefined : tab)}
        tabs={[
          { id: 'boards', label: 'Boards', content: <BoardList /> },
          { id: 'statuses', label: 'Statuses', content: <StatusList /> },
          { id: 'tags', label: 'Tags', content: <TagList /> },
        ]}
      />
    </Page>
  );
}
