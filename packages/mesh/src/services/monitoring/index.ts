/** Monitoring: the log of calls, and dashboards over it. */
import type { Engine } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Dashboards } from './dashboards.ts';
import { createDashboardStore } from './dashboards.ts';
import type { Filters, Widget } from './dashboard.ts';
import type { Logs } from './logs.ts';
import { createLogs } from './logs.ts';
import { createTitles } from './titles.ts';
import type { WidgetQuery, WidgetResults } from './widgets.ts';

export interface Monitoring {
  readonly logs: Logs;
  readonly dashboards: Dashboards;
  show(widgets: readonly Widget[], query: WidgetQuery): Promise<WidgetResults>;
}

/** `engine` knows the titles of toolsets. */
export function createMonitoring({
  store,
  engine,
}: {
  readonly store: Store;
  readonly engine?: () => Engine;
}): Monitoring {
  return {
    logs: createLogs(store.records, createTitles({ store, engine })),
    dashboards: createDashboardStore(store),
    async show(widgets, query) {
      const { queryWidgets } = await import('./widgets.ts');
      return queryWidgets(store.records, widgets, query);
    },
  };
}

/** The dashboard's filters with those of one question over them. */
export function withLabels(filters: Filters, labels: Readonly<Record<string, string>> | undefined): Filters {
  if (labels === undefined) return filters;
  return { ...filters, propertyFilters: { ...filters.propertyFilters, ...labels } };
}
