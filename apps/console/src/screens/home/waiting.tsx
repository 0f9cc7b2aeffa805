/** Owns what waits for the person on Home: each line leads to where it is done. */
import {
  ChevronRight,
  CircleCheckBig,
  ClipboardCheck,
  ListTodo,
  MessageCircleQuestion,
  MessageSquareText,
  Plug,
  SquareMousePointer,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '../../ui/card.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { screenPath } from './queries.ts';
import type { Home } from '../../api/schema.ts';

const ICONS: Readonly<Record<string, ReactNode>> = {
  annotations: <SquareMousePointer />,
  posts: <MessageSquareText />,
  'task-questions': <ListTodo />,
  'agent-questions': <MessageCircleQuestion />,
  approvals: <ClipboardCheck />,
  connections: <Plug />,
};

/** The list, or the word that nothing waits. */
export function WaitingList({ waiting }: { readonly waiting: Home['waiting'] }) {
  const shown = waiting.filter(({ count }) => count > 0);
  if (shown.length === 0) {
    return (
      <Card title="Waiting for you">
        <div className="home-nothing">
          <CircleCheckBig aria-hidden />
          <div>
            <div className="strong">Nothing waits for you</div>
            <div className="small muted">
              New annotations, posts, questions and approvals show here as they come.
            </div>
          </div>
        </div>
      </Card>
    );
  }
  return (
    <Card title="Waiting for you" isFlush>
      <ul>
        {shown.map((one) => (
          <li key={`${one.kind} ${one.href}`}>
            <ScreenLink to={screenPath(one.href)} className="home-waiting">
              <span className="home-icon" aria-hidden>
                {ICONS[one.kind] ?? <MessageCircleQuestion />}
              </span>
              <span className="grow">{one.title}</span>
              {/* Most titles say it themselves. */}
              {!one.title.includes(String(one.count)) && (
                <span className="home-count number">{one.count}</span>
              )}
              <ChevronRight aria-hidden />
            </ScreenLink>
          </li>
        ))}
      </ul>
    </Card>
  );
}
