/** What a dashboard and its widgets are. */
import { GivenId } from '@parley/kit';
import * as z from 'zod';

export const LONGEST_PATH = 500;

/** Whether it is a path is looked at when it is stored or used, which loads the library for it. */
const Path = z.string().min(1).max(LONGEST_PATH);
const Names = z.array(z.string().min(1).max(200)).max(100);
/** Labels of calls, within the bounds that labels have. */
export const Labels = z.record(z.string(), z.string()).refine(isWithinBounds, {
  message: 'must be at most 20 labels, with keys of up to 64 and values of up to 256 characters',
});

export const Filters = z.object({
  connectionIds: Names.optional(),
  virtualMcpIds: Names.optional(),
  toolNames: Names.optional(),
  propertyFilters: Labels.optional(),
});

export const Widget = z.object({
  id: GivenId,
  name: z.string().min(1).max(255),
  type: z.enum(['metric', 'timeseries', 'table']),
  source: z.object({ path: Path, from: z.enum(['input', 'output']) }),
  aggregation: z.object({
    fn: z.enum(['sum', 'avg', 'min', 'max', 'count', 'last']),
    groupBy: Path.optional(),
    interval: z
      .string()
      .regex(/^[1-9]\d{0,3}[mhd]$/, 'must be a number of minutes, hours or days such as 15m')
      .optional(),
  }),
  filter: z.object({ connectionIds: Names.optional(), toolNames: Names.optional() }).optional(),
});

export type Filters = z.output<typeof Filters>;
export type Widget = z.output<typeof Widget>;

/** What is written into a dashboard. */
export interface DashboardData {
  readonly name: string;
  readonly description: string | null;
  readonly filters: Filters;
  readonly widgets: readonly Widget[];
}

export interface Dashboard extends DashboardData {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly createdBy: string;
}

function isWithinBounds(labels: Record<string, string>): boolean {
  const entries = Object.entries(labels);
  return entries.length <= 20 && entries.every(([key, label]) => key.length <= 64 && label.length <= 256);
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The length of an interval such as `15m`. */
export function intervalMs(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS_MS[text.slice(-1)] ?? 0);
}
