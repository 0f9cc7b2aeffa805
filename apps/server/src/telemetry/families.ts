/** The text that Prometheus reads, from figures as they are at that moment. */
import type { Durations } from '@parley/store';

type Labels = Readonly<Record<string, string>>;

/** One line of a family. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** How long things took, for one set of labels. */
export interface Spread {
  readonly labels: Labels;
  readonly durations: Pick<Durations, 'boundsS' | 'counts' | 'sumS'>;
}

/** All lines of one name. */
export type Family = { readonly name: string; readonly help: string } & (
  | { readonly type: 'counter' | 'gauge'; readonly samples: readonly Sample[] }
  | { readonly type: 'histogram'; readonly samples: readonly Spread[] }
);

/** The families as text; one without samples is left out. */
export function textOf(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map((family) => `${linesOf(family)}\n`)
    .join('');
}

function linesOf(family: Family): string {
  const { name, help, type } = family;
  const lines =
    type === 'histogram'
      ? family.samples.flatMap((spread) => spreadLines(name, spread))
      : family.samples.map(({ labels = {}, value }) => `${name}${labelText(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n');
}

function spreadLines(name: string, { labels, durations }: Spread): string[] {
  const { boundsS, counts, sumS } = durations;
  let total = 0;
  const buckets = counts.map((count, place) => {
    total += count;
    return `${name}_bucket${labelText({ le: String(boundsS[place] ?? '+Inf'), ...labels })} ${total}`;
  });
  const own = labelText(labels);
  return [...buckets, `${name}_sum${own} ${sumS}`, `${name}_count${own} ${total}`];
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

/** The value of a label as it stands in the text. */
export function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
