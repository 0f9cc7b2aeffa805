/** Owns the screen: home: what waits, health, calls of the day, last changes. */
import { ChevronRight, CircleCheck, CircleX, Sparkles, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Card } from '../../ui/card.tsx';
import { Chart } from '../../ui/chart.tsx';
import { Page } from '../../ui/page.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { Approvals } from './approvals.tsx';
import { Connections } from './connections.tsx';
import { HeldPosts } from './held-posts.tsx';
import './home.css';
import { Notes } from './notes.tsx';
import { Questions } from './questions.tsx';
import { screenPath, useHome } from './queries.ts';
import type { Home } from '../../api/schema.ts';
import { TaskQuestions } from './task-questions.tsx';
import { WaitingList } from './waiting.tsx';

/** The screen. */
export function Screen() {
  const { person, isFirstRun, isFirstRunSkipped } = useSession();
  const home = useHome();
  const first = person.name.split(/\s+/)[0] ?? '';
  return (
    <Page
      title={first === '' ? 'Home' : `${greeting()}, ${first}`}
      size="l"
      actions={
        isFirstRunSkipped && (
          <ScreenLink to="/first-run" isButton kind="quiet">
            Get started
          </ScreenLink>
        )
      }
    >
      {isFirstRun && <FirstRunHint />}
      {home.isPending ? (
        <Skeleton kind="card" rows={3} />
      ) : home.data ? (
        <div className="home">
          <div className="stack-l">
            <WaitingList waiting={home.data.waiting} />
            {waits(home.data, 'task-questions') && <TaskQuestions />}
            {waits(home.data, 'agent-questions') && <Questions />}
            {waits(home.data, 'approvals') && <Approvals />}
            {waits(home.data, 'annotations') && <Notes />}
            {waits(home.data, 'posts-held') && <HeldPosts />}
            {waits(home.data, 'connections') && <Connections />}
          </div>
          <div className="stack-l">
            <HealthCard health={home.data.health} />
            {home.data.calls && <Calls points={home.data.calls.points} />}
            {home.data.recent && <Recent recent={home.data.recent} />}
          </div>
        </div>
      ) : (
        <ErrorState error={home.error} onRetry={() => home.refetch()} />
      )}
    </Page>
  );
}

/** Whether the person has some of a kind; who has not may not be allowed to ask for it. */
function waits({ waiting }: Home, kind: string): boolean {
  return waiting.some((one) => one.kind === kind && one.count > 0);
}

function greeting(): string {
  const hour = new Date().getHours();
  if (hour < 5) return 'Hello';
  return hour < 12 ? 'Good morning' : hour < 18 ? 'Good afternoon' : 'Good evening';
}

function FirstRunHint() {
  return (
    <ScreenLink to="/first-run" className="home-hint">
      <Sparkles aria-hidden />
      <span className="grow">
        <strong>Finish setting up.</strong> Make your sign-in, connect a client, see its first call.
      </span>
      <ChevronRight aria-hidden />
    </ScreenLink>
  );
}

const HEALTH_ICONS: Readonly<Record<Home['health'][number]['state'], ReactNode>> = {
  ok: <CircleCheck className="home-ok" aria-label="Well" />,
  warning: <TriangleAlert className="home-warning" aria-label="Needs care" />,
  down: <CircleX className="home-down" aria-label="Down" />,
};

const WORST_FIRST = ['down', 'warning', 'ok'];

function HealthCard({ health }: { readonly health: Home['health'] }) {
  const sorted = health.toSorted((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
  // A part may have more than one thing to say; the worst comes first.
  const parts = [...Map.groupBy(sorted, ({ part }) => part)];
  const bad = parts.filter(([, [worst]]) => worst?.state !== 'ok').length;
  return (
    <Card
      title="Health"
      description={
        bad === 0
          ? 'Every part is well'
          : `${bad} of ${parts.length} ${bad === 1 ? 'parts needs' : 'parts need'} care`
      }
    >
      <ul className="stack">
        {parts.map(([part, found]) => (
          <li key={part} className="home-health">
            {HEALTH_ICONS[found[0]?.state ?? 'ok']}
            <div className="grow">
              <div className="strong">{part}</div>
              {found.map(({ reason, fix }) => (
                <div key={reason}>
                  <div className="small muted">{reason}</div>
                  {fix !== undefined && <div className="small">{fix}</div>}
                </div>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

type Points = NonNullable<Home['calls']>['points'];

function Calls({ points }: { readonly points: Points }) {
  const { times, series, calls, errors } = useMemo(() => {
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const allCalls = points.map((point) => point.calls);
    const allErrors = points.map((point) => point.errors);
    return {
      times: points.map((point) => new Date(point.at).getTime()),
      series: [
        { label: 'Calls', values: allCalls, tone: 'accent', kind: 'bars' },
        { label: 'Errors', values: allErrors, tone: 'red', kind: 'bars' },
      ] as const,
      calls: sum(allCalls),
      errors: sum(allErrors),
    };
  }, [points]);
  const said = `${calls.toLocaleString('en')} calls in the last 24 hours, ${errors.toLocaleString('en')} of them failed`;
  return (
    <Card
      title="Calls"
      description={calls === 0 ? undefined : said}
      actions={<ScreenLink to="/monitoring">Monitoring</ScreenLink>}
    >
      {calls === 0 ? (
        <p className="muted">No client has called yet. The first call shows here at once.</p>
      ) : (
        <Chart label={said} times={times} series={series} heightPx={150} />
      )}
    </Card>
  );
}

function Recent({ recent }: { readonly recent: NonNullable<Home['recent']> }) {
  return (
    <Card title="Last changes">
      {recent.length === 0 ? (
        <p className="muted">Nothing was changed yet.</p>
      ) : (
        <ul className="stack">
          {recent.map((change, index) => (
            <li key={index} className="home-change">
              <Avatar name={change.who} size="s" />
              <div className="grow">
                <span className="strong">{change.who}</span>{' '}
                {!change.href ? (
                  change.what
                ) : (
                  <ScreenLink to={screenPath(change.href)} className="home-what">
                    {change.what}
                  </ScreenLink>
                )}
                <div className="small faint">
                  <When at={change.at} />
                </div>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
