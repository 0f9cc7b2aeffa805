/** Owns the screen: the first run: three steps with live ticks. */
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { request } from '../../api/request.ts';
import { queryClient } from '../../api/query.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { Page } from '../../ui/page.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { useGo } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { ConnectClient } from './connect-client.tsx';
import './first-run.css';
import { MakeSignIn } from './make-sign-in.tsx';
import { useFirstRun } from './queries.ts';
import type { FirstRun } from '../../api/schema.ts';

/** The screen. */
export function Screen() {
  const query = useFirstRun();
  const go = useGo();
  const end = useAct(
    async (isSkipped: boolean) => {
      if (isSkipped) await request('PUT /api/first-run', { body: { isSkipped } });
      await refreshSession();
      await queryClient.invalidateQueries({ queryKey: ['calls', 'first-run'] });
    },
    { onDone: () => go('/') },
  );
  const steps = query.data?.steps;
  const isAll = steps !== undefined && steps.signIn && steps.client && steps.call !== null;
  return (
    <Page
      title="Get started"
      description="Three steps, a few minutes. Each one ticks itself."
      actions={
        isAll ? (
          <Button kind="primary" isBusy={end.isBusy} onClick={() => end.run(false)}>
            Done
          </Button>
        ) : (
          <Button kind="quiet" isBusy={end.isBusy} onClick={() => end.run(true)}>
            Skip for now
          </Button>
        )
      }
    >
      {query.isPending ? (
        <Skeleton kind="card" rows={3} />
      ) : query.data ? (
        <Steps steps={query.data.steps} />
      ) : (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      )}
    </Page>
  );
}

function Steps({ steps }: { readonly steps: FirstRun['steps'] }) {
  const { hasPassword, passkeys } = useSession();
  const hasSignIn = steps.signIn || hasPassword || passkeys > 0;
  const { call } = steps;
  return (
    <ol className="first-run">
      <Step number={1} title="Make your sign-in" isDone={hasSignIn} isCurrent={!hasSignIn}>
        {hasSignIn ? <p className="muted">You can sign in again without the link.</p> : <MakeSignIn />}
      </Step>
      <Step number={2} title="Connect a client" isDone={steps.client} isCurrent={hasSignIn && !steps.client}>
        {steps.client ? (
          <p className="muted">{`${call?.client ?? 'A client'} is connected.`}</p>
        ) : (
          <ConnectClient isCurrent={hasSignIn} />
        )}
      </Step>
      <Step
        number={3}
        title="See its first call"
        isDone={call !== null}
        isCurrent={steps.client && call === null}
      >
        {call ? (
          <div className="row-wrap">
            <span>
              {call.client ?? 'A client'} called <code>{call.tool}</code>, <When at={call.at} />.
            </span>
            <ScreenLink to={`/monitoring/calls/${call.id}`} isButton>
              See it in Monitoring
            </ScreenLink>
          </div>
        ) : (
          <p className="first-run-waiting muted" role="status">
            <span className="first-run-pulse" aria-hidden />
            Waiting for the first call. Ask the client: “Ask Parley who you are: call parley_whoami.”
          </p>
        )}
      </Step>
    </ol>
  );
}

function Step({
  number,
  title,
  isDone,
  isCurrent,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}) {
  return (
    <li className={classes('first-run-step', isDone && 'first-run-done', isCurrent && 'first-run-current')}>
      <span className="first-run-mark number">{isDone ? <Check aria-label="Done" /> : number}</span>
      <div className="grow stack">
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}
