/** Owns what one sees of a connection first: how it does and why, what it has, and who uses it. */
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/detail-pane.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { durationText, When } from '../../ui/when.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { AuthBadge, healthText, TYPE_WORDS } from './health.tsx';
import type { ConnectionGlance } from '../../api/schema.ts';
import type { TestState } from './use-tests.ts';

const PINNING: Readonly<Record<ConnectionGlance['pinning'], string>> = {
  strict: 'strict: new and changed tools wait for approval',
  flag: 'flag: new and changed tools are served and marked',
  off: 'off: new and changed tools are served',
};

export function OverviewTab({
  glance,
  test,
  screen,
}: {
  readonly glance: ConnectionGlance;
  readonly test: TestState | undefined;
  readonly screen: ScreenState;
}) {
  const fault = healthText(glance);
  const endpoint = `${location.origin}/mcp/${glance.id}`;
  return (
    <div className="stack">
      {fault !== undefined && (
        <Notice
          tone={glance.status === 'error' || glance.breaker === 'open' ? 'red' : 'amber'}
          actions={nextStep(glance, screen)}
        >
          {fault}
          {glance.since !== null && (
            <>
              {' Since '}
              <When at={glance.since} />.
            </>
          )}
        </Notice>
      )}
      {glance.held > 0 && (
        <Notice
          tone="amber"
          actions={
            <Button size="s" onClick={() => screen.open(glance.id, 'tools')}>
              Look at {glance.held === 1 ? 'it' : 'them'}
            </Button>
          }
        >
          {glance.held === 1 ? 'One tool waits' : `${glance.held} tools wait`} for approval: in no list, and
          not callable.
        </Notice>
      )}
      {test !== undefined && test !== 'running' && <TestNotice test={test} />}
      <Facts
        facts={[
          [
            'Leads to',
            <span key="place" className="mono connections-place">
              {glance.place ?? TYPE_WORDS[glance.type]}
            </span>,
          ],
          glance.description !== null && ['About', glance.description],
          [
            'Served at',
            <span key="at" className="row">
              <code className="connections-place">{endpoint}</code>
              <CopyButton text={endpoint} label="Copy the address" />
            </span>,
          ],
          [
            'Tools',
            `${glance.tools.toLocaleString('en')}, about ${glance.tokens.toLocaleString('en')} tokens`,
          ],
          ['Last read', <When key="read" at={glance.fetchedAt} />],
          [
            'Last error',
            glance.reason ?? (
              <span key="none" className="faint">
                none
              </span>
            ),
          ],
          ['Your access', <AuthBadge key="auth" auth={glance.auth} />],
          ['Definitions', PINNING[glance.pinning]],
          [
            'Member of',
            glance.usedBy.length === 0 ? (
              <span key="none" className="faint">
                no virtual MCP
              </span>
            ) : (
              <span key="used" className="row-wrap">
                {glance.usedBy.map((virtual) => (
                  <ScreenLink key={virtual.id} to={`/virtual-mcps/${virtual.id}`}>
                    {virtual.title}
                  </ScreenLink>
                ))}
              </span>
            ),
          ],
          [
            'Calls',
            <ScreenLink key="calls" to={`/monitoring?connection=${encodeURIComponent(glance.id)}`}>
              in Monitoring
            </ScreenLink>,
          ],
          ['Added', <When key="made" at={glance.createdAt} />],
        ]}
      />
    </div>
  );
}

const OF_SETTINGS: ReadonlySet<string> = new Set(['disabled', 'unreachable', 'invalid_protocol']);

/** What helps, where something does. */
function nextStep(glance: ConnectionGlance, screen: ScreenState): ReactNode {
  const isCredentials = glance.status === 'needs_reauth' || glance.auth?.state === 'never';
  const isSettings = glance.failedWith !== null && OF_SETTINGS.has(glance.failedWith);
  if (!isCredentials && !isSettings) return undefined;
  return (
    <Button size="s" onClick={() => screen.open(glance.id, isCredentials ? 'credentials' : 'settings')}>
      {isCredentials ? 'Look at the credentials' : 'Look at the settings'}
    </Button>
  );
}

function TestNotice({ test }: { readonly test: Exclude<TestState, 'running'> }) {
  if ('error' in test) return <Notice tone="red">The test could not be made. {test.error}</Notice>;
  if (test.healthy)
    return (
      <Notice tone="green">It answered as an MCP server does, in {durationText(test.latencyMs)}.</Notice>
    );
  return (
    <Notice tone="red">
      The test failed after {durationText(test.latencyMs)} ({test.status.replaceAll('_', ' ')}).{' '}
      {test.message}
    </Notice>
  );
}
