/** Owns credentials for a connection: how the person stands, the authorization step by step, a token of one's own, and others. */
import { KeyRound, LogIn } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAct } from '../../api/use-act.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import { AuthSteps } from './auth-steps.tsx';
import { AuthBadge } from './health.tsx';
import { ElsewhereNotice, TokenDialog, useAuthorize } from './own-access.tsx';
import { readAgain, useAuth, usePeople } from './queries.ts';
import type { ConnectionGlance, People } from '../../api/schema.ts';
import type { AuthState, AuthStep } from './types.ts';

export function CredentialsTab({
  glance,
  isAdministrator,
}: {
  readonly glance: ConnectionGlance;
  readonly isAdministrator: boolean;
}) {
  const [isAway, setAway] = useState(false);
  const query = useAuth(glance.id, isAway);
  if (glance.auth === null)
    return (
      <Notice tone="amber">You may not use this connection, so there are no credentials of yours.</Notice>
    );
  if (query.isPending) return <Skeleton rows={6} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  return (
    <div className="stack-l">
      <Own glance={glance} auth={query.data} steps={query.data.steps} isAway={isAway} setAway={setAway} />
      {isAdministrator && query.data.kind !== 'none' && <Others id={glance.id} />}
    </div>
  );
}

interface OwnProps {
  readonly glance: ConnectionGlance;
  readonly auth: AuthState;
  readonly steps: readonly AuthStep[];
  readonly isAway: boolean;
  readonly setAway: (isAway: boolean) => void;
}

const WHAT: Readonly<Record<AuthState['kind'], string>> = {
  none: 'Calls carry what is stored with the connection, and nothing of their caller.',
  personal_token: 'Everybody brings a token of their own.',
  oauth: 'Its server gives tokens by OAuth.',
};

const WANTED = 'Its server wants to know who calls. Authorise it, or store a token in the settings.';

function Own({ glance, auth, steps, isAway, setAway }: OwnProps) {
  const { id } = glance;
  const [isGiving, setGiving] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const path = { id };
  const { authorize, url } = useAuthorize(id, () => setAway(true));
  const revoke = useAct(
    () =>
      request(
        auth.kind === 'personal_token'
          ? 'DELETE /api/connections/{id}/token'
          : 'DELETE /api/connections/{id}/auth',
        { path },
      ).then(readAgain),
    {
      onDone: () => {
        setAsking(false);
        toast({
          text: auth.kind === 'personal_token' ? 'Your token is gone.' : 'The authorization is taken back.',
        });
      },
    },
  );
  const isOAuth = auth.kind === 'oauth' || (auth.kind === 'none' && auth.state === 'needs_reauth');
  const isWaiting = isAway && steps.at(-1)?.state === 'waiting';
  const hasSome = auth.state !== 'never' && auth.kind !== 'none';
  return (
    <Card
      title="Your credentials"
      description={auth.kind === 'none' && auth.state === 'needs_reauth' ? WANTED : WHAT[auth.kind]}
      actions={
        <>
          {auth.kind === 'personal_token' && (
            <Button
              icon={<KeyRound />}
              kind={auth.state === 'never' ? 'primary' : 'plain'}
              onClick={() => setGiving(true)}
            >
              {auth.state === 'never' ? 'Bring a token' : 'Another token'}
            </Button>
          )}
          {isOAuth && glance.type !== 'STDIO' && (
            <Button
              icon={<LogIn />}
              kind={auth.state === 'ok' ? 'plain' : 'primary'}
              isBusy={authorize.isBusy}
              onClick={() => authorize.run()}
            >
              {auth.state === 'ok' ? 'Authorise again' : 'Authorise'}
            </Button>
          )}
        </>
      }
    >
      <div className="stack">
        <Facts
          facts={[
            ['State', <AuthBadge key="state" auth={auth} />],
            auth.kind === 'oauth' && [
              'For',
              auth.isShared ? 'everybody: one authorization serves all' : 'you alone',
            ],
            auth.expiresAt !== null && ['Ends', <When key="ends" at={auth.expiresAt} />],
            auth.scope !== null && ['Scopes', <code key="scope">{auth.scope}</code>],
          ]}
        />
        {isWaiting && url !== undefined && <ElsewhereNotice url={url} />}
        {authorize.error && (
          <Notice tone="amber">
            It could not be authorised. Where its server takes a token instead, set one in the{' '}
            <ScreenLink to={`/connections/${encodeURIComponent(id)}/settings`}>
              settings of the connection
            </ScreenLink>
            .
          </Notice>
        )}
        {steps.length > 0 && isOAuth && <AuthSteps steps={steps} />}
        {hasSome && (
          <div className="row">
            <Button kind="danger" size="s" onClick={() => setAsking(true)}>
              {auth.kind === 'personal_token' ? 'Remove the token' : 'Take it back'}
            </Button>
          </div>
        )}
      </div>
      <TokenDialog id={id} isOpen={isGiving} onClose={() => setGiving(false)} title={glance.title} />
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => revoke.run()}
        isBusy={revoke.isBusy}
        confirmText={auth.kind === 'personal_token' ? 'Remove' : 'Take back'}
        title={auth.kind === 'personal_token' ? 'Remove your token?' : 'Take the authorization back?'}
        gone={[
          auth.isShared
            ? 'Calls of everybody are refused until somebody authorises it again'
            : 'Your calls are refused until you bring another',
          ...(auth.kind === 'oauth' ? ['The server that gave it is told'] : []),
        ]}
      />
    </Card>
  );
}

const COLUMNS: Column<People['people'][number]>[] = [
  {
    id: 'name',
    header: 'Who',
    cell: (person) => (
      <span className="row">
        <Avatar name={person.name} size="s" />
        {person.name}
      </span>
    ),
    sortValue: (person) => person.name,
  },
  {
    id: 'state',
    header: 'State',
    width: '150px',
    cell: (person) => <AuthBadge auth={{ kind: 'oauth', state: person.state }} />,
    sortValue: (person) => person.state,
  },
  {
    id: 'ends',
    header: 'Ends',
    width: '120px',
    cell: (person) => (person.expiresAt === null ? '–' : <When at={person.expiresAt} />),
  },
  { id: 'since', header: 'Since', width: '120px', cell: (person) => <When at={person.updatedAt} /> },
];

/** More rows than these exist only while they are seen. */
const MOST_INLINE = 200;

function Others({ id }: { readonly id: string }) {
  const query = usePeople(id, false);
  if (query.isPending) return <Skeleton rows={3} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { people, members } = query.data;
  const own = people.filter(({ userId }) => userId !== null).length;
  const isForAll = people.some(({ userId }) => userId === null);
  return (
    <Card
      title="Everybody’s credentials"
      description={
        isForAll
          ? 'One authorization serves everybody.'
          : `${own} of ${members} members have brought some; the others are asked when they call.`
      }
      isFlush
    >
      {people.length === 0 ? (
        <p className="connections-none muted">Nobody has brought any yet.</p>
      ) : (
        <div className={classes(people.length > MOST_INLINE && 'connections-many')}>
          <DataTable
            rows={people}
            columns={COLUMNS}
            keyOf={(person) => person.userId ?? ''}
            label="Credentials of people"
            isInline={people.length <= MOST_INLINE}
          />
        </div>
      )}
    </Card>
  );
}
