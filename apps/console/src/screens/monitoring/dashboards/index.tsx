/** Owns the part with dashboards: which one is open, and whether it is looked at or written. */
import { useSection } from '../../../ui/sections.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { DashboardEditor } from './editor.tsx';
import { DashboardList } from './list.tsx';
import { useDashboard } from './queries.ts';
import { DashboardView } from './view.tsx';

/** The part of the screen. */
export function Dashboards({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'dashboards');
  if (screen.id === undefined) return <DashboardList screen={screen} />;
  if (screen.id === 'new') return <DashboardEditor key="new" screen={screen} dashboard={undefined} />;
  return <OneDashboard key={screen.id} id={screen.id} screen={screen} />;
}

function OneDashboard({ id, screen }: { readonly id: string; readonly screen: ScreenState }) {
  const query = useDashboard(id);
  if (query.isPending) return <Skeleton kind="card" rows={3} />;
  if (query.error && !query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (!query.data)
    return <ErrorState error={new Error('There is no such dashboard. It may have been deleted.')} />;
  return screen.search['edit'] === undefined ? (
    <DashboardView dashboard={query.data} screen={screen} />
  ) : (
    <DashboardEditor screen={screen} dashboard={query.data} />
  );
}
