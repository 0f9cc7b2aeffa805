/** Owns the steps of an authorization: those that were taken, the one that waits, and those to come. */
import { Check, CircleDashed, LoaderCircle, X } from 'lucide-react';
import { classes } from '../../ui/classes.ts';
import { When } from '../../ui/when.tsx';
import type { AuthStep } from './types.ts';

const STEPS: readonly { readonly step: AuthStep['step']; readonly title: string }[] = [
  { step: 'asked', title: 'Ask the server' },
  { step: 'metadata', title: 'Read what it says about itself' },
  { step: 'server', title: 'Find who gives tokens' },
  { step: 'client', title: 'Be known there' },
  { step: 'sent', title: 'Sign in with your browser' },
  { step: 'returned', title: 'Come back with a code' },
  { step: 'token', title: 'Get a token' },
  { step: 'catalog', title: 'Read the tools with it' },
];

/** All steps, in order; a stored client needs no asking, so its first ones are not shown. */
export function AuthSteps({ steps }: { readonly steps: readonly AuthStep[] }) {
  const taken = new Map(steps.map((step) => [step.step, step]));
  const first = STEPS.findIndex(({ step }) => taken.has(step));
  const hasFailed = steps.some(({ state }) => state === 'failed');
  const shown = STEPS.slice(Math.max(0, first)).filter(({ step }) => taken.has(step) || !hasFailed);
  return (
    <ol className="auth-steps" aria-label="Steps of the authorization">
      {shown.map(({ step, title }) => {
        const found = taken.get(step);
        const state = found?.state ?? 'open';
        return (
          <li key={step} className={classes('auth-step', `auth-step-${state}`)}>
            <span className="auth-step-icon">
              {state === 'done' ? (
                <Check />
              ) : state === 'failed' ? (
                <X />
              ) : state === 'waiting' ? (
                <LoaderCircle />
              ) : (
                <CircleDashed />
              )}
            </span>
            <div className="grow">
              <div className="row">
                <span className="strong grow">{title}</span>
                <span className="small muted">
                  {state === 'open' ? 'to come' : state === 'waiting' ? 'waits for you' : state}
                  {found && state !== 'waiting' && (
                    <>
                      {' '}
                      <When at={found.at} />
                    </>
                  )}
                </span>
              </div>
              {found && <p className="small muted">{found.text}</p>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
