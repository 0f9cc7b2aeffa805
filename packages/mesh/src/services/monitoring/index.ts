/** Monitoring: the log of calls, and dashboards over it. */
import type { Identity } from '@parley/identity';
import type { Engine } from '@parley/kit';
import type { Store } from '@parley/store';
import type { Calls } from './calls.ts';
import { createCalls } from './calls.ts';
import type { Dashboards } from './dashboards.ts';
import { createDashboardStore } from './dashboards.ts';
import type { Filters, Widget } from './dashboard.ts';
import type { Logs } from './logs.ts';
import { createLogs } from './logs.ts';
import { createTitles } from './titles.ts';
import type { WidgetQuery, WidgetResults } from './widgets.ts';

export interface Monitoring {
  readonly logs: Logs;
  readonly calls: Calls;
  readonly dashboards: Dashboards;
  show(widgets: readonly Widget[], query: WidgetQuery): Promise<WidgetResults>;
}

/** `engine` knows the titles of toolsets. */
export function createMonitoring({
  store,
  identity,
  engine,
}: {
  readonly store: Store;
  readonly identity: Identity;
  readonly engine?: () => Engine;
}): Monitoring {
  const titlesOf = createTitles({ store, engine });
  return {
    logs: createLogs(store.records, titlesOf),
    calls: createCalls({ records: store.records, titlesOf, identity }),
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
