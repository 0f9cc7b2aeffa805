/** Owns the person's own runs of a tool at its endpoint, as they were recorded. */
import { History as HistoryIcon, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Tool } from '../../api/schema.ts';
import { useMore } from '../../api/use-more.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When, durationText } from '../../ui/when.tsx';
import { useOwnRuns, useRecorded } from './queries.ts';
import type { OwnRun } from './queries.ts';

const columns: Column<OwnRun>[] = [
  { id: 'at', header: 'When', cell: (call) => <When at={call.timestamp} />, width: '120px' },
  { id: 'outcome', header: 'Outcome', cell: (call) => <StateBadge state={call.outcome} />, width: '110px' },
  { id: 'took', header: 'Took', cell: (call) => durationText(call.durationMs), width: '80px', align: 'end' },
  {
    id: 'error',
    header: 'Error',
    cell: (call) => <span className="truncate muted">{call.errorMessage}</span>,
  },
];
const keyOf = (call: OwnRun) => call.id;

/** The list, and one of them beneath. */
export function History({ tool, screen }: { readonly tool: Tool; readonly screen: ScreenState }) {
  const query = useOwnRuns(tool);
  const more = useMore(query);
  const runs = useMemo(() => query.data?.pages.flatMap((page) => page.runs) ?? [], [query.data]);
  const [openId, setOpenId] = useState<string>();
  if (query.isPending) return <Skeleton kind="row" rows={5} />;
  if (query.error && runs.length === 0)
    return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (runs.length === 0) {
    return (
      <EmptyState icon={<HistoryIcon />} title="Not run yet">
        What you run here is recorded, like every call, and can be run again.
      </EmptyState>
    );
  }
  return (
    <div className="stack">
      <DataTable
        isInline
        label="My runs"
        rows={runs}
        columns={columns}
        keyOf={keyOf}
        openKey={openId}
        onOpen={(call) => setOpenId(call.id)}
      />
      {query.hasNextPage && (
        <div>
          <Button isBusy={query.isFetchingNextPage} onClick={more}>
            Show older runs
          </Button>
        </div>
      )}
      {openId !== undefined && <OneCall key={openId} id={openId} screen={screen} />}
    </div>
  );
}

function OneCall({ id, screen }: { readonly id: string; readonly screen: ScreenState }) {
  const { data, isPending, error, refetch } = useRecorded(id);
  if (isPending) return <Skeleton rows={4} />;
  if (error) return <ErrorState error={error} onRetry={() => refetch()} />;
  return (
    <section className="stack" aria-label="The call">
      <div className="row-wrap">
        <Button icon={<RotateCcw />} onClick={() => screen.open(screen.id, undefined, { call: id })}>
          Use these arguments again
        </Button>
      </div>
      <h3>Arguments</h3>
      <Recorded text={data.input} />
      <h3>Result</h3>
      <Recorded text={data.output} />
    </section>
  );
}

function Recorded({ text }: { readonly text: string | null }) {
  if (text === null) return <p className="muted">It was not recorded.</p>;
  return <JsonView value={parse(text)} />;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
