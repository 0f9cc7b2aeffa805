/** Owns the screen of agents: its places, the list, and one agent beside it. */
import { ScreenLink } from '../../ui/screen-link.tsx';
import '../../ui/sections.css';
import '../../ui/tabs.css';
import { useScreen } from '../../ui/use-screen.ts';
import { AgentList } from './agent-list.tsx';
import './agents.css';
import { ApprovalsPlace, useWaitingApprovals } from './approvals.tsx';
import { BundlesPlace } from './bundles.tsx';
import { QuestionsPlace, useOpenQuestions } from './questions.tsx';

const PLACES = ['agents', 'questions', 'approvals', 'bundles'] as const;
type Place = (typeof PLACES)[number];

const TITLES: Readonly<Record<Place, string>> = {
  agents: 'Agents',
  questions: 'Questions',
  approvals: 'Approvals',
  bundles: 'Bundles',
};

export function Screen() {
  const screen = useScreen();
  // An open agent stands beside the list, whatever place its link came from.
  const place = (screen.id === undefined && PLACES.find((id) => id === screen.search['tab'])) || 'agents';
  const { data } = useOpenQuestions();
  const approvals = useWaitingApprovals();
  const waiting: Partial<Record<Place, number>> = {
    questions: data?.questions.length ?? 0,
    approvals: approvals.data?.pages.flat().length ?? 0,
  };
  return (
    <div className="sections agents-screen">
      <nav className="sections-bar" aria-label="Parts of agents">
        {PLACES.map((id) => (
          <ScreenLink key={id} to={`${screen.base}?tab=${id}`} className="tabs-tab" isCurrent={id === place}>
            {TITLES[id]}
            {(waiting[id] ?? 0) > 0 && <span className="tabs-count number">{waiting[id]}</span>}
          </ScreenLink>
        ))}
      </nav>
      <div className="sections-part">
        {place === 'agents' && <AgentList screen={screen} />}
        {place === 'questions' && <QuestionsPlace />}
        {place === 'approvals' && <ApprovalsPlace />}
        {place === 'bundles' && <BundlesPlace />}
      </div>
    </div>
  );
}
