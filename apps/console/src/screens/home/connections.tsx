/** Owns helping connections on Home: those that need somebody are tested, and authorised. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useHeldTools } from '../../api/held-tools.ts';
import { request } from '../../api/request.ts';
import type { ConnectionGlance } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { TestCell } from '../connections/columns.tsx';
import { HealthBadge, healthText } from '../connections/health.tsx';
import { ElsewhereNotice, TokenDialog, useAuthorize } from '../connections/own-access.tsx';
import { SELF } from '../connections/queries.ts';
import { useTests } from '../connections/use-tests.ts';
import type { Tests } from '../connections/use-tests.ts';

const MOST = 5;

/** The connections that need somebody. */
export function Connections() {
  const tests = useTests();
  const canTest = useHeldTools(SELF)('CONNECTION_TEST');
  const { data } = useQuery({
    queryKey: ['connections', 'attention', MOST],
    queryFn: ({ signal }) =>
      request('GET /api/connections', { query: { health: 'attention', limit: MOST }, signal }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Card title="Connections that need you">
      <ul className="stack">
        {data.map((glance) => (
          <Unwell key={glance.id} glance={glance} tests={canTest ? tests : undefined} />
        ))}
      </ul>
    </Card>
  );
}

function Unwell({ glance, tests }: { readonly glance: ConnectionGlance; readonly tests: Tests | undefined }) {
  const { id, title, auth, type, status } = glance;
  const { authorize, url } = useAuthorize(id);
  const [isGiving, setGiving] = useState(false);
  const tested = tests?.states.get(id);
  const isSignInWanted = auth !== null && (status === 'needs_reauth' || auth.state !== 'ok');
  return (
    <li className="stack">
      <div className="home-act">
        <div className="grow">
          <ScreenLink to={`/connections/${id}`}>
            <bdi>{title}</bdi>
          </ScreenLink>{' '}
          <HealthBadge {...glance} />
          <div className="small muted">{healthText(glance)}</div>
        </div>
        {tested !== undefined && <TestCell state={tested} />}
        {isSignInWanted && auth.kind === 'personal_token' && (
          <Button size="s" onClick={() => setGiving(true)}>
            Bring a token
          </Button>
        )}
        {isSignInWanted && auth.kind !== 'personal_token' && type !== 'STDIO' && (
          <Button size="s" isBusy={authorize.isBusy} onClick={() => authorize.run()}>
            Authorise
          </Button>
        )}
        {tests && (
          <Button size="s" isBusy={tested === 'running'} onClick={() => tests.run([id])}>
            Test
          </Button>
        )}
      </div>
      {url !== undefined && <ElsewhereNotice url={url} />}
      <TokenDialog id={id} isOpen={isGiving} onClose={() => setGiving(false)} title={title} />
    </li>
  );
}
