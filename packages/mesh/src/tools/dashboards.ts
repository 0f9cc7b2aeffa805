/** Tools on dashboards over the log of calls. */
import * as z from 'zod';
import type { Dashboard as StoredDashboard } from '../services/monitoring/dashboard.ts';
import { Filters, Labels, Widget } from '../services/monitoring/dashboard.ts';
import { withLabels } from '../services/monitoring/index.ts';
import { defineTool } from './define-tool.ts';
import { Id } from './fields.ts';
import { IsoTime } from './iso-time.ts';

const TimeRange = z.object({ startDate: IsoTime, endDate: IsoTime });
/** What a schema needs not say of what a dashboard holds. */
const Dashboard = z.looseObject({ id: z.string(), name: z.string() });
const Figure = z.union([z.number(), z.string(), z.boolean()]).nullable();
const Result = z.looseObject({ widgetId: z.string(), value: Figure, error: z.string().optional() });

// Told in a line: as schemas they are longer than all else, and each is checked whole.
const AnyWidget = z.record(z.string(), z.unknown());
const Widgets = z.array(AnyWidget).min(1).max(50).pipe(z.array(Widget));
const AnyFilters = z.record(z.string(), z.unknown()).pipe(Filters);
const WIDGET =
  '{id, name, type: metric|timeseries|table, source: {path: JSONPath, from: input|output}, aggregation: {fn: sum|avg|min|max|count|last, groupBy?: JSONPath, interval?: 15m}, filter?: {connectionIds?, toolNames?}}';
const FILTERS = '{connectionIds?, virtualMcpIds?, toolNames?, propertyFilters?}';
const AS_MADE = 'as in MONITORING_DASHBOARD_CREATE';
const DAY_MS = 86_400_000;

export const dashboardList = defineTool({
  name: 'MONITORING_DASHBOARD_LIST',
  title: 'List Monitoring Dashboards',
  description: 'All dashboards.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ dashboards: z.array(Dashboard), total: z.int() }),
  async run(_input, { services, caller }) {
    const dashboards = await services.monitoring.dashboards.list(caller);
    return { dashboards: dashboards.map(shown), total: dashboards.length };
  },
});

export const dashboardGet = defineTool({
  name: 'MONITORING_DASHBOARD_GET',
  title: 'Get Monitoring Dashboard',
  description: 'One dashboard.',
  effect: 'read',
  input: z.object({ id: Id }),
  output: z.object({ dashboard: Dashboard.nullable() }),
  async run({ id }, { services, caller }) {
    const found = await services.monitoring.dashboards.get(caller, id);
    return { dashboard: found === undefined ? null : shown(found) };
  },
});

export const dashboardCreate = defineTool({
  name: 'MONITORING_DASHBOARD_CREATE',
  title: 'Create Monitoring Dashboard',
  description: 'Makes a dashboard of widgets, each a figure over the input or output of calls.',
  effect: 'create',
  input: z.object({
    name: z.string().min(1).max(255),
    description: z.string().max(2000).optional(),
    filters: AnyFilters.optional().describe(FILTERS),
    widgets: Widgets.describe(`Each ${WIDGET}`),
  }),
  output: z.object({ dashboard: Dashboard }),
  async run({ name, description = null, filters = {}, widgets }, { services, caller }) {
    const data = { name, description, filters, widgets };
    return { dashboard: shown(await services.monitoring.dashboards.create(caller, data)) };
  },
});

export const dashboardUpdate = defineTool({
  name: 'MONITORING_DASHBOARD_UPDATE',
  title: 'Update Monitoring Dashboard',
  description: 'Changes a dashboard; what is not given stays.',
  effect: 'update',
  input: z.object({
    id: Id,
    name: z.string().min(1).max(255).optional(),
    description: z.string().max(2000).nullable().optional().describe('Description; null clears it'),
    filters: AnyFilters.optional().describe(AS_MADE),
    widgets: Widgets.optional().describe(`All of them, ${AS_MADE}`),
  }),
  output: z.object({ dashboard: Dashboard }),
  async run({ id, ...changes }, { services, caller }) {
    return { dashboard: shown(await services.monitoring.dashboards.update(caller, id, changes)) };
  },
});

export const dashboardDelete = defineTool({
  name: 'MONITORING_DASHBOARD_DELETE',
  title: 'Delete Monitoring Dashboard',
  description: 'Deletes a dashboard; the calls it shows stay.',
  effect: 'delete',
  privileged: true,
  input: z.object({ id: Id }),
  output: z.object({ success: z.literal(true), id: z.string(), deleted: z.boolean() }),
  async run({ id }, { services, caller }) {
    return { success: true as const, id, deleted: await services.monitoring.dashboards.delete(caller, id) };
  },
});

export const dashboardQuery = defineTool({
  name: 'MONITORING_DASHBOARD_QUERY',
  title: 'Query Monitoring Dashboard',
  description: 'What the widgets of a dashboard show.',
  effect: 'read',
  input: z.object({
    dashboardId: Id,
    timeRange: TimeRange.optional().describe('Absent: the last 24 hours'),
    propertyFilters: Labels.optional().describe('Labels that are equal'),
  }),
  output: z.object({
    dashboardId: z.string(),
    results: z.array(Result),
    timeRange: TimeRange,
    partial: z.literal(true).optional(),
  }),
  async run({ dashboardId, timeRange = lastDay(), propertyFilters }, ctx) {
    const { services, caller } = ctx;
    const found = await services.monitoring.dashboards.get(caller, dashboardId);
    if (found === undefined) throw ctx.error('not_found', `There is no dashboard ${dashboardId}.`);
    const filters = withLabels(found.filters, propertyFilters);
    const { organizationId } = caller;
    const query = { organizationId, filters, ...timesOf(timeRange) };
    const { results, partial } = await services.monitoring.show(found.widgets, query);
    return {
      dashboardId,
      results: results.map((result) => ({ ...result })),
      timeRange,
      ...(partial && { partial: true as const }),
    };
  },
});

export const widgetPreview = defineTool({
  name: 'MONITORING_WIDGET_PREVIEW',
  title: 'Preview Monitoring Widget',
  description: 'What a widget would show.',
  effect: 'read',
  input: z.object({
    widget: AnyWidget.pipe(Widget).describe(`A widget ${AS_MADE}`),
    timeRange: TimeRange.optional().describe('Absent: the last 24 hours'),
    propertyFilters: Labels.optional().describe('Labels that are equal'),
  }),
  output: z.object({
    value: Figure.optional(),
    groups: z.array(z.unknown()).optional(),
    timeseries: z.array(z.unknown()).optional(),
    matchedRecords: z.int(),
    timeRange: TimeRange,
    partial: z.literal(true).optional(),
  }),
  async run({ widget, timeRange = lastDay(), propertyFilters }, ctx) {
    const { services, caller } = ctx;
    const { organizationId } = caller;
    const query = { organizationId, filters: withLabels({}, propertyFilters), ...timesOf(timeRange) };
    const { results, matched, partial } = await services.monitoring.show([widget], query);
    const [result] = results;
    if (result?.error !== undefined) throw ctx.error('invalid', result.error);
    const { value, groups, timeseries } = result ?? {};
    return {
      ...(value !== undefined && { value }),
      ...(groups !== undefined && { groups }),
      ...(timeseries !== undefined && { timeseries }),
      matchedRecords: matched[0] ?? 0,
      timeRange,
      ...(partial && { partial: true as const }),
    };
  },
});

function shown(dashboard: StoredDashboard): z.output<typeof Dashboard> {
  return { ...dashboard };
}

function lastDay(): z.output<typeof TimeRange> {
  const now = Date.now();
  return { startDate: new Date(now - DAY_MS).toISOString(), endDate: new Date(now).toISOString() };
}

function timesOf({ startDate, endDate }: z.output<typeof TimeRange>): { since: number; until: number } {
  return { since: Date.parse(startDate), until: Date.parse(endDate) };
}
