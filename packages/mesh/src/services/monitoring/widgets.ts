/** What widgets show: figures over the input or output of calls, all of them from one walk over the records. */
import type { DetailedCallRecord, RecordFilter, RecordLog } from '@parley/store';
import type { Figure } from './aggregate.ts';
import { Aggregate, figureOf } from './aggregate.ts';
import { toolsetOf } from './connection-ids.ts';
import type { Filters, Widget } from './dashboard.ts';
import { intervalMs } from './dashboard.ts';
import type { JsonPath } from './json-path.ts';
import { compilePath } from './json-path.ts';
import { propertyTest } from './properties.ts';
import { scanRecords } from './scan.ts';

/** What a widget shows. */
export interface WidgetResult {
  readonly widgetId: string;
  readonly value: Figure;
  readonly groups?: { readonly key: string; readonly value: Figure }[];
  readonly timeseries?: { readonly timestamp: string; readonly value: Figure }[];
  readonly error?: string;
}

/** What is looked at. */
export interface WidgetQuery {
  readonly organizationId: string;
  readonly filters: Filters;
  readonly since: number;
  readonly until: number;
}

/** The results, in the order of the widgets. */
export interface WidgetResults {
  readonly results: WidgetResult[];
  /** How many records each widget looked at. */
  readonly matched: number[];
  /** True when not all records could be looked at, or not all groups and points are shown. */
  readonly partial: boolean;
}

const MOST_POINTS = 1_000;
const MOST_GROUPS = 100;
const LONGEST_KEY = 200;
const DEFAULT_INTERVAL = '1h';

export async function queryWidgets(
  records: Pick<RecordLog, 'listDetailed'>,
  widgets: readonly Widget[],
  query: WidgetQuery,
): Promise<WidgetResults> {
  const { filters, organizationId } = query;
  const passes = propertyTest({ properties: filters.propertyFilters });
  const views = widgets.map((widget) => new WidgetView(widget, query));
  const isCut = await scanRecords(records, filterOf(query), (record) => {
    if (record.detail === null || (passes !== undefined && !passes(record.detail.properties))) return;
    const bodies = new RecordBodies(record);
    for (const view of views) view.take(record, bodies);
  });
  return {
    results: views.map((view) => view.result()),
    matched: views.map(({ matched }) => matched),
    partial: isCut || views.some(({ isPartial }) => isPartial),
  };

  function filterOf({ since, until }: WidgetQuery): RecordFilter {
    const { virtualMcpIds } = filters;
    return { organizationId, since, until, ...(virtualMcpIds !== undefined && { virtualMcpIds }) };
  }
}

/** The bodies of a record, each parsed when the first widget needs it. */
class RecordBodies {
  readonly #record: DetailedCallRecord;
  readonly #parsed = new Map<'input' | 'output', unknown>();

  constructor(record: DetailedCallRecord) {
    this.#record = record;
  }

  of(from: 'input' | 'output'): unknown {
    if (!this.#parsed.has(from)) {
      const text = this.#record.detail?.[from] ?? null;
      this.#parsed.set(from, text === null ? undefined : (JSON.parse(text) as unknown));
    }
    return this.#parsed.get(from);
  }
}

class WidgetView {
  readonly #widget: Widget;
  readonly #toolsets: ReadonlySet<string> | undefined;
  readonly #tools: ReadonlySet<string> | undefined;
  readonly #stepMs: number | undefined;
  readonly #all: Aggregate;
  readonly #groups = new Map<string, Aggregate>();
  readonly #points = new Map<number, Aggregate>();
  #paths: { readonly value: JsonPath; readonly group: JsonPath | undefined } | undefined;
  #error: string | undefined;
  matched = 0;
  isPartial = false;

  constructor(widget: Widget, { organizationId, filters }: WidgetQuery) {
    this.#widget = widget;
    const { type, aggregation, source, filter } = widget;
    const connectionIds = filter?.connectionIds ?? filters.connectionIds;
    const tools = filter?.toolNames ?? filters.toolNames;
    this.#toolsets = connectionIds && new Set(connectionIds.map((id) => toolsetOf(organizationId, id)));
    this.#tools = tools && new Set(tools);
    const interval = aggregation.interval ?? (type === 'timeseries' ? DEFAULT_INTERVAL : undefined);
    this.#stepMs = interval === undefined ? undefined : intervalMs(interval);
    this.#all = new Aggregate(aggregation.fn);
    this.#attempt(() => {
      const { groupBy } = aggregation;
      this.#paths = {
        value: compilePath(source.path),
        group: groupBy === undefined ? undefined : compilePath(groupBy),
      };
    });
  }

  take({ toolset, tool, at }: DetailedCallRecord, bodies: RecordBodies): void {
    if (this.#toolsets?.has(toolset) === false || this.#tools?.has(tool) === false) return;
    this.matched += 1;
    const paths = this.#paths;
    if (this.#error !== undefined || paths === undefined) return;
    this.#attempt(() => {
      const body = bodies.of(this.#widget.source.from);
      if (body === undefined) return;
      const values = paths.value.valuesIn(body);
      if (values.length === 0) return;
      this.#all.add(values);
      const [group] = paths.group?.valuesIn(body) ?? [];
      if (group !== undefined) this.#add(this.#groups, keyOf(group), MOST_GROUPS, values);
      if (this.#stepMs === undefined) return;
      this.#add(this.#points, Math.floor(at / this.#stepMs) * this.#stepMs, MOST_POINTS, values);
    });
  }

  result(): WidgetResult {
    const { id: widgetId } = this.#widget;
    let shown: WidgetResult | undefined;
    this.#attempt(() => {
      const groups = [...this.#groups].map(([key, part]) => ({ key, value: part.figure() }));
      const timeseries = [...this.#points]
        .toSorted(([a], [b]) => a - b)
        .map(([at, part]) => ({ timestamp: new Date(at).toISOString(), value: part.figure() }));
      shown = {
        widgetId,
        value: this.#all.figure(),
        ...(this.#paths?.group !== undefined && { groups }),
        ...(this.#stepMs !== undefined && { timeseries }),
      };
    });
    if (this.#error !== undefined || shown === undefined)
      return { widgetId, value: null, error: this.#error ?? 'The widget cannot be shown.' };
    return shown;
  }

  #add<Key>(parts: Map<Key, Aggregate>, key: Key, most: number, values: readonly unknown[]): void {
    let part = parts.get(key);
    if (part === undefined) {
      if (parts.size >= most) {
        this.isPartial = true;
        return;
      }
      part = new Aggregate(this.#widget.aggregation.fn);
      parts.set(key, part);
    }
    part.add(values);
  }

  /** One widget that fails must not keep the others from being shown. */
  #attempt(work: () => void): void {
    if (this.#error !== undefined) return;
    try {
      work();
    } catch (error) {
      this.#error = error instanceof Error ? error.message : 'The widget cannot be shown.';
    }
  }
}

function keyOf(group: unknown): string {
  return String(figureOf(group)).slice(0, LONGEST_KEY);
}
