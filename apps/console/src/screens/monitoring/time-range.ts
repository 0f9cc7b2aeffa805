/** Owns the stretch of time that is looked at: a word such as `24h`, or two times in the address. */
import type { Option } from '../../ui/select.tsx';

const HOUR_MS = 3_600_000;
const DEFAULT = '24h';

const LENGTHS_MS: Readonly<Record<string, number>> = {
  '15m': HOUR_MS / 4,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/** The stretches to choose from. */
export const RANGES: readonly Option[] = [
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '6h', label: 'Last 6 hours' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];

const short = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

/** The value of the choice: the word, or the two times as they stand in the address. */
export function rangeValue(text: string | undefined): string {
  return text !== undefined && (text in LENGTHS_MS || pairOf(text)) ? text : DEFAULT;
}

/** The choices, with the two times that are chosen now. */
export function rangeOptions(text: string | undefined): readonly Option[] {
  const pair = text === undefined ? undefined : pairOf(text);
  if (text === undefined || !pair) return RANGES;
  return [...RANGES, { value: text, label: `${short.format(pair[0])} – ${short.format(pair[1])}` }];
}

/** The address's words for two times. */
export function rangeText(fromMs: number, toMs: number): string {
  return `${new Date(fromMs).toISOString()}..${new Date(toMs).toISOString()}`;
}

/** The times as the routes take them. */
export function timesOf(text: string | undefined): { since: string; until?: string } {
  const pair = text === undefined ? undefined : pairOf(text);
  if (pair) return { since: pair[0].toISOString(), until: pair[1].toISOString() };
  const length = LENGTHS_MS[text ?? DEFAULT] ?? LENGTHS_MS[DEFAULT] ?? 0;
  return { since: new Date(Date.now() - length).toISOString() };
}

function pairOf(text: string): [Date, Date] | undefined {
  const [from = '', to = ''] = text.split('..');
  const pair: [Date, Date] = [new Date(from), new Date(to)];
  return pair.every((at) => !Number.isNaN(at.getTime())) && pair[0] <= pair[1] ? pair : undefined;
}
