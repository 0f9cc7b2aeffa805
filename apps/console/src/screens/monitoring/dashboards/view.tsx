/** Owns looking at a dashboard: its widgets over a stretch of time. */
import { ArrowLeft, Pencil, RotateCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useAct } from '../../../api/use-act.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDelete } from '../../../ui/dialog.tsx';
import { Page } from '../../../ui/page.tsx';
import { Select } from '../../../ui/select.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { rangeOptions, rangeValue } from '../time-range.ts';
import './dashboards.css';
import { WidgetFigure } from './figure.tsx';
import type { Dashboard } from './queries.ts';
import { deleteDashboard, refreshResults, useDashboardResults } from './queries.ts';

/** A dashboard with what its widgets show. */
export function DashboardView({
  dashboard,
  screen,
}: {
  readonly dashboard: Dashboard;
  readonly screen: ScreenState;
}) {
  const time = screen.search['time'];
  const query = useDashboardResults(dashboard, time);
  const [isAsking, setAsking] = useState(false);
  const remove = useAct(() => deleteDashboard(dashboard.id), { onDone: () => screen.open(undefined) });
  const refresh = useAct(() => refreshResults(dashboard.id));
  const edit = () => screen.setSearch({ edit: 'yes' });
  useKeys({ e: edit, r: () => refresh.run(), Escape: () => screen.open(undefined) });
  return (
    <Page
      size="full"
      title={
        <span className="row">
          <IconButton label="All dashboards" icon={<ArrowLeft />} onClick={() => screen.open(undefined)} />
          <span className="truncate">{dashboard.name}</span>
        </span>
      }
      description={dashboard.description ?? undefined}
      actions={
        <>
          <Select
            label="Time"
            size="s"
            value={rangeValue(time)}
            options={rangeOptions(time)}
            onChange={(next) => screen.setSearch({ time: next })}
          />
          <IconButton
            label="Read again"
            shortcut="r"
            icon={<RotateCw />}
            isBusy={refresh.isBusy}
            onClick={() => refresh.run()}
          />
          <Button size="s" icon={<Pencil />} onClick={edit}>
            Edit
          </Button>
          <IconButton label="Delete" icon={<Trash2 />} onClick={() => setAsking(true)} />
        </>
      }
    >
      {query.isPending ? (
        <Skeleton kind="card" rows={2} />
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => query.refetch()} />
      ) : (
        <>
          {query.data.isPartial && (
            <p className="small muted">
              Not all records could be looked at; choose a shorter time or narrower filters.
            </p>
          )}
          <div className="dashboard-grid">
            {dashboard.widgets.map((widget) => (
              <Card key={widget.id} title={widget.name} className={`dashboard-${widget.type}`}>
                <WidgetFigure widget={widget} result={query.data.results.get(widget.id) ?? {}} />
              </Card>
            ))}
          </div>
        </>
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        title={`Delete the dashboard “${dashboard.name}”?`}
        gone={[`Its ${dashboard.widgets.length} widgets, for everybody. The calls they show stay.`]}
      />
    </Page>
  );
}
