/** Owns how a generated table is written in Markdown. */

/** A table; a bar inside a cell is escaped. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A word or a value as code; nothing stays nothing. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

/** Milliseconds and bytes in the largest unit that leaves a whole number; one day is 24 h. */
export function readable(name: string, value: number): string {
  const units = name.endsWith('Ms') ? DURATIONS : /Bytes(Per|$)/.test(name) ? SIZES : [];
  const unit = units.find(([label, factor]) => value % factor === 0 && (label !== 'days' || value > factor));
  return unit === undefined ? value.toLocaleString('en-US') : `${value / unit[1]} ${unit[0]}`;
}

const DURATIONS: [string, number][] = [
  ['days', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
];
const SIZES: [string, number][] = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['kB', 1000],
  ['bytes', 1],
];
