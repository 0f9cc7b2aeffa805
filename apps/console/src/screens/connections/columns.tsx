/** Owns the columns of the list of connections. */
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { When } from '../../ui/when.tsx';
import { AuthBadge, HealthBadge } from './health.tsx';
import type { ConnectionGlance } from '../../api/schema.ts';
import type { TestState } from './use-tests.ts';

/** The order in which people want to see what is wrong. */
const URGENCY: Readonly<Record<ConnectionGlance['status'], number>> = {
  error: 0,
  needs_reauth: 1,
  degraded: 2,
  active: 3,
  inactive: 4,
};

/** The columns; those of tests are there once there was one. */
export function columnsWith(tests: ReadonlyMap<string, TestState>): Column<ConnectionGlance>[] {
  return [
    {
      id: 'title',
      header: 'Name',
      width: 'minmax(140px, 3fr)',
      cell: (row) => (
        <span className="truncate connections-isolated" title={row.title}>
          {row.title}
          {row.isSelf && <span className="faint"> (this server)</span>}
        </span>
      ),
      sortValue: (row) => row.title,
    },
    {
      id: 'health',
      header: 'Health',
      width: '118px',
      cell: (row) => <HealthBadge {...row} />,
      sortValue: (row) => URGENCY[row.status],
    },
    ...(tests.size === 0
      ? []
      : [
          {
            id: 'test',
            header: 'Test',
            width: '120px',
            cell: (row: ConnectionGlance) => <TestCell state={tests.get(row.id)} />,
          },
        ]),
    {
      id: 'tools',
      header: 'Tools',
      width: '96px',
      align: 'end',
      cell: (row) =>
        row.type === 'VIRTUAL' ? (
          <span className="faint">–</span>
        ) : (
          <span className="row number">
            {row.held > 0 && (
              <Badge tone="amber" title={`${row.held} of them wait for approval`}>
                {row.held} held
              </Badge>
            )}
            {row.tools.toLocaleString('en')}
            <span className="connections-unit">tools</span>
          </span>
        ),
      sortValue: (row) => row.tools,
    },
    {
      id: 'tokens',
      header: 'Tokens',
      width: '72px',
      align: 'end',
      isWideOnly: true,
      cell: (row) =>
        row.type === 'VIRTUAL' ? (
          <span className="faint">–</span>
        ) : (
          <span className="number" title="Tokens that the definitions of all its tools take, about">
            {row.tokens.toLocaleString('en')}
          </span>
        ),
      sortValue: (row) => row.tokens,
    },
    {
      id: 'auth',
      header: 'Your access',
      width: '120px',
      cell: (row) =>
        row.type === 'VIRTUAL' ? <span className="faint">none needed</span> : <AuthBadge auth={row.auth} />,
      sortValue: (row) => row.auth?.state,
    },
    {
      id: 'error',
      header: 'Last error',
      width: 'minmax(80px, 3fr)',
      isWideOnly: true,
      cell: (row) => (
        <span className="truncate muted connections-error" title={row.reason ?? undefined}>
          {row.reason ?? ''}
        </span>
      ),
      sortValue: (row) => row.reason,
    },
    {
      id: 'read',
      header: 'Read',
      width: '92px',
      isWideOnly: true,
      cell: (row) =>
        row.type === 'VIRTUAL' ? <span className="faint">–</span> : <When at={row.fetchedAt} />,
      sortValue: (row) => row.fetchedAt,
    },
  ];
}

/** The columns beside an open connection: what fits less than half of the place. */
export function narrowColumns(tests: ReadonlyMap<string, TestState>): Column<ConnectionGlance>[] {
  const kept = new Set(['title', 'health', tests.size === 0 ? 'tools' : 'test']);
  return columnsWith(tests)
    .filter(({ id }) => kept.has(id))
    .map((column) => (column.id === 'title' ? { ...column, width: 'minmax(80px, 3fr)' } : column));
}

/** What a test of a connection said. */
export function TestCell({ state }: { readonly state: TestState | undefined }) {
  if (state === undefined) return <span className="faint">–</span>;
  if (state === 'running')
    return (
      <Badge tone="blue" isDotted>
        testing
      </Badge>
    );
  if ('error' in state)
    return (
      <Badge tone="red" title={state.error}>
        failed
      </Badge>
    );
  return (
    <Badge tone={state.healthy ? 'green' : 'red'} title={state.message ?? `${state.latencyMs} ms`}>
      {state.healthy ? `${state.latencyMs} ms` : state.status.replaceAll('_', ' ')}
    </Badge>
  );
}
