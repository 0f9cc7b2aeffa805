/** Owns dashboards: reading, showing and keeping them, through the tools of the management toolset. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { callTool } from '../../../api/call-tool.ts';
import { queryClient } from '../../../api/query.ts';
import { timesOf } from '../time-range.ts';

/** How values become a figure. */
export type Fn = 'sum' | 'avg' | 'min' | 'max' | 'count' | 'last';

/** A figure over the input or output of calls. */
export interface Widget {
  readonly id: string;
  readonly name: string;
  readonly type: 'metric' | 'timeseries' | 'table';
  readonly source: { readonly path: string; readonly from: 'input' | 'output' };
  readonly aggregation: { readonly fn: Fn; readonly groupBy?: string; readonly interval?: string };
  readonly filter?: { readonly connectionIds?: readonly string[]; readonly toolNames?: readonly string[] };
}

/** Which calls all widgets look at. */
export interface Filters {
  readonly connectionIds?: readonly string[];
  readonly virtualMcpIds?: readonly string[];
  readonly toolNames?: readonly string[];
  readonly propertyFilters?: Readonly<Record<string, string>>;
}

/** What is kept of a dashboard. */
export interface DashboardData {
  readonly name: string;
  readonly description: string | null;
  readonly filters: Filters;
  readonly widgets: readonly Widget[];
}

/** A dashboard. */
export interface Dashboard extends DashboardData {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A figure as tools give it. */
export type Figure = number | string | boolean | null;

/** What a widget shows. */
export interface WidgetResult {
  readonly value?: Figure;
  readonly groups?: readonly { readonly key: string; readonly value: Figure }[];
  readonly timeseries?: readonly { readonly timestamp: string; readonly value: Figure }[];
  readonly error?: string;
}

const KEY = 'dashboards';
const LIST = [KEY, 'list'] as const;

/** All dashboards. */
export function useDashboards(): UseQueryResult<readonly Dashboard[]> {
  return useQuery({
    queryKey: LIST,
    queryFn: async ({ signal }) => {
      const { dashboards } = await callTool<{ dashboards: Dashboard[] }>(
        'self',
        'MONITORING_DASHBOARD_LIST',
        {},
        { signal },
      );
      return dashboards;
    },
  });
}

/** One dashboard; null when there is none. */
export function useDashboard(id: string): UseQueryResult<Dashboard | null> {
  return useQuery({
    queryKey: [KEY, 'one', id],
    queryFn: async ({ signal }) => {
      const { dashboard } = await callTool<{ dashboard: Dashboard | null }>(
        'self',
        'MONITORING_DASHBOARD_GET',
        { id },
        { signal },
      );
      return dashboard;
    },
  });
}

/** What the widgets of a dashboard show in a stretch of time. */
export function useDashboardResults(dashboard: Dashboard, time: string | undefined) {
  return useQuery({
    queryKey: [KEY, 'results', dashboard.id, dashboard.updatedAt, time],
    queryFn: async ({ signal }) => {
      const { results, partial } = await callTool<{
        results: (WidgetResult & { widgetId: string })[];
        partial?: true;
      }>(
        'self',
        'MONITORING_DASHBOARD_QUERY',
        { dashboardId: dashboard.id, timeRange: rangeOf(time) },
        { signal },
      );
      return {
        results: new Map(results.map((result) => [result.widgetId, result])),
        isPartial: partial === true,
      };
    },
    placeholderData: keepPreviousData,
  });
}

/** What a widget would show; asked for when the text of it rests. */
export function usePreview(widget: Widget, time: string | undefined, isReady: boolean) {
  return useQuery({
    queryKey: [KEY, 'preview', widget, time],
    queryFn: ({ signal }) =>
      callTool<WidgetResult & { matchedRecords: number }>(
        'self',
        'MONITORING_WIDGET_PREVIEW',
        { widget, timeRange: rangeOf(time) },
        { signal },
      ),
    enabled: isReady,
    retry: false,
    placeholderData: keepPreviousData,
  });
}

/** Makes a dashboard, or changes one; gives it back. */
export async function saveDashboard(id: string | undefined, data: DashboardData): Promise<Dashboard> {
  const { name, description, filters, widgets } = data;
  const { dashboard } = await callTool<{ dashboard: Dashboard }>(
    'self',
    id === undefined ? 'MONITORING_DASHBOARD_CREATE' : 'MONITORING_DASHBOARD_UPDATE',
    id === undefined
      ? { name, filters, widgets, ...(description !== null && { description }) }
      : { id, name, description, filters, widgets },
  );
  queryClient.setQueryData([KEY, 'one', dashboard.id], dashboard);
  await queryClient.invalidateQueries({ queryKey: LIST });
  return dashboard;
}

/** Deletes a dashboard. */
export async function deleteDashboard(id: string): Promise<void> {
  await callTool('self', 'MONITORING_DASHBOARD_DELETE', { id });
  await queryClient.invalidateQueries({ queryKey: LIST });
}

/** Asks anew for what widgets show. */
export async function refreshResults(id: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [KEY, 'results', id] });
}

function rangeOf(time: string | undefined): { startDate: string; endDate: string } {
  const { since, until } = timesOf(time);
  return { startDate: since, endDate: until ?? new Date().toISOString() };
}
