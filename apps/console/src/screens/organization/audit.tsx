/** Owns the audit log: who changed what, what was denied, and whether the chain of entries is whole. */
import { ScrollText, ShieldAlert, ShieldCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { request } from '../../api/request.ts';
import { useMore } from '../../api/use-more.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useOpened } from '../../ui/use-opened.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { exactText, When } from '../../ui/when.tsx';
import type { AuditCheck } from '../../api/schema.ts';
import type { AuditEntry } from './queries.ts';
import { readEntry, useAudit } from './queries.ts';

const keyOf = ({ id }: AuditEntry) => id;
const MOST_OPTIONS = 20;

/** The part of the screen. */
export function Audit({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'audit');
  const query = useAudit(screen.search);
  const more = useMore(query);
  const [check, setCheck] = useState<AuditCheck>();
  const verify = useAct(() => request('GET /api/audit/check'), { onDone: setCheck });
  const names = useMemo(
    () => new Map(query.data?.pages.flatMap((page) => Object.entries(page.names)) ?? []),
    [query.data],
  );
  const entries = useMemo(() => query.data?.pages.flatMap((page) => page.entries) ?? [], [query.data]);
  const isNarrow = screen.id !== undefined;
  const columns = useMemo(() => columnsOf(names, isNarrow), [names, isNarrow]);
  const { row: opened, query: openedQuery } = useOpened({
    id: screen.id,
    rows: entries,
    keyOf,
    list: query,
    queryKey: ['organization', 'audit'],
    read: readEntry,
  });
  return (
    <ListScreen
      title="Audit log"
      viewsOf="audit"
      screen={screen}
      query={query}
      rows={entries}
      columns={columns}
      keyOf={keyOf}
      isSortedByServer
      defaultSort="-when"
      onEnd={more}
      isLoadingMore={query.isFetchingNextPage}
      filterPlaceholder="Act, who or what"
      filters={filtersOf(entries, names, screen)}
      actions={
        <Button size="s" icon={<ShieldCheck />} isBusy={verify.isBusy} onClick={() => verify.run()}>
          Verify
        </Button>
      }
      notice={check && <CheckNotice check={check} />}
      empty={
        <EmptyState icon={<ScrollText />} title="Nothing was changed yet">
          Every change of the organization, its members, roles, keys and connections, and every denied call
          leaves an entry here.
        </EmptyState>
      }
      detail={
        isNarrow && (
          <DetailPane
            key={screen.id}
            title={opened?.action ?? 'Entry'}
            query={openedQuery}
            onClose={() => screen.open(undefined)}
            about={opened && <Outcome outcome={opened.outcome} />}
          >
            {opened === undefined ? (
              <p className="muted">There is no such entry. It may have been removed by age.</p>
            ) : (
              <Content entry={opened} names={namesFor(opened, names)} />
            )}
          </DetailPane>
        )
      }
    />
  );
}

/** An entry that was read alone brings the names in it along. */
function namesFor(entry: AuditEntry, names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return entry.names === undefined ? names : new Map([...names, ...Object.entries(entry.names)]);
}

function CheckNotice({ check }: { readonly check: AuditCheck }) {
  return (
    <div className={check.isWhole ? 'organization-whole' : 'organization-broken'} role="status">
      {check.isWhole ? <ShieldCheck aria-hidden /> : <ShieldAlert aria-hidden />}
      {check.isWhole
        ? `The chain is whole: ${check.entries.toLocaleString('en')} entries, each as it was written.`
        : `The chain is broken at entry ${check.brokenAt}: it was changed, or one before it is missing.`}
    </div>
  );
}

function Outcome({ outcome }: { readonly outcome: AuditEntry['outcome'] }) {
  return <StateBadge state={outcome} tone={outcome === 'ok' ? 'green' : 'amber'} />;
}

function columnsOf(names: ReadonlyMap<string, string>, isNarrow: boolean): readonly Column<AuditEntry>[] {
  const all: Column<AuditEntry>[] = [
    {
      id: 'action',
      header: 'Act',
      width: isNarrow ? 'minmax(0, 1fr)' : 'minmax(140px, 1fr)',
      cell: ({ action }) => <span className="truncate">{action}</span>,
    },
    {
      id: 'who',
      header: 'Who',
      cell: ({ callerId, userId }) => (
        <span className="truncate">{names.get(callerId) ?? names.get(userId ?? '') ?? callerId}</span>
      ),
    },
    {
      id: 'target',
      header: 'What',
      width: 'minmax(120px, 1.4fr)',
      isWideOnly: true,
      cell: ({ target, changed }) => (
        <span className="truncate" title={target}>
          {names.get(target) ?? nameIn(changed) ?? target}
        </span>
      ),
    },
    { id: 'outcome', header: 'Outcome', width: '92px', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    {
      id: 'seq',
      header: 'Number',
      width: '76px',
      align: 'end',
      isWideOnly: true,
      cell: ({ seq }) => <span className="faint number">{seq}</span>,
    },
    {
      id: 'when',
      header: 'When',
      isServerSorted: true,
      width: '100px',
      align: 'end',
      cell: ({ at }) => <When at={at} />,
    },
  ];
  return isNarrow ? all.filter(({ id }) => ['action', 'outcome', 'when'].includes(id)) : all;
}

function nameIn(changed: AuditEntry['changed']): string | undefined {
  return [changed['name'], changed['email']].find((value) => typeof value === 'string');
}

function Content({
  entry,
  names,
}: {
  readonly entry: AuditEntry;
  readonly names: ReadonlyMap<string, string>;
}) {
  const named = (id: string) => (
    <span className="row-wrap">
      {names.get(id)}
      <ShortId id={id} />
    </span>
  );
  return (
    <>
      <Facts
        facts={[
          ['Caller', named(entry.callerId)],
          entry.userId !== null && ['Person', named(entry.userId)],
          ['Source', <Badge key="source">{entry.source}</Badge>],
          [
            'Done to',
            names.has(entry.target) ? named(entry.target) : <code key="target">{entry.target}</code>,
          ],
          ['When', exactText(entry.at)],
          ['Number', `${entry.seq} in the chain`],
          entry.requestId !== null && ['Request', <code key="request">{entry.requestId}</code>],
          entry.action === 'call.denied' && [
            'Why',
            <ScreenLink
              key="why"
              to={`/organization/access?caller=${encodeURIComponent(entry.callerId)}&tool=${encodeURIComponent(entry.target)}`}
            >
              Explain the denial
            </ScreenLink>,
          ],
        ]}
      />
      <section className="stack">
        <h3>Changed</h3>
        <JsonView value={entry.changed} />
      </section>
    </>
  );
}

function filtersOf(
  entries: readonly AuditEntry[],
  names: ReadonlyMap<string, string>,
  { search }: ScreenState,
) {
  const distinct = (values: readonly string[], chosen: string | undefined) =>
    [...new Set([...(chosen ? [chosen] : []), ...values])].slice(0, MOST_OPTIONS);
  return [
    {
      id: 'outcome',
      label: 'Outcome',
      options: [
        { value: 'ok', label: 'Done' },
        { value: 'denied', label: 'Denied' },
      ],
    },
    {
      id: 'action',
      label: 'Act',
      options: distinct(
        entries.map(({ action }) => action),
        search['action'],
      ).map((value) => ({ value, label: value })),
    },
    {
      id: 'actor',
      label: 'Who',
      options: distinct(
        entries.map(({ callerId }) => callerId),
        search['actor'],
      ).map((value) => ({ value, label: names.get(value) ?? value })),
    },
    ...(search['target']
      ? [
          {
            id: 'target',
            label: 'What',
            options: [{ value: search['target'], label: names.get(search['target']) ?? search['target'] }],
          },
        ]
      : []),
  ];
}
