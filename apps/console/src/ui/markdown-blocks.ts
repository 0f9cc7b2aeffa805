/** Owns cutting markdown into blocks, line by line, in linear time. */

/** A block of markdown; texts inside are still to be read for marks. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string; readonly language: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'list';
      readonly isOrdered: boolean;
      readonly start: number;
      readonly items: readonly ListItem[];
    }
  | {
      readonly kind: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'rule' };

/** An item of a list; `isDone` where it is a task. */
export interface ListItem {
  readonly isDone: boolean | undefined;
  readonly blocks: readonly Block[];
}

const DEEPEST = 8;
const FENCE = /^ {0,3}(```+|~~~+) *([\w+-]*)/;
const HEADING = /^ {0,3}(#{1,6}) +(.*)$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const ITEM = /^( {0,12})([-*+]|\d{1,9}[.)])( +|$)/;
const DIVIDER = /^[|: -]+$/;

/** Cuts a text into blocks. */
export function readBlocks(text: string, depth = 0): Block[] {
  return readLines(text.replaceAll('\t', '    ').split(/\r?\n/), depth);
}

function readLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '') {
      at += 1;
      continue;
    }
    const step =
      readFence(lines, at) ??
      readHeading(line) ??
      (RULE.test(line) ? { block: { kind: 'rule' } as const, used: 1 } : undefined) ??
      (depth < DEEPEST ? (readQuote(lines, at, depth) ?? readList(lines, at, depth)) : undefined) ??
      readTable(lines, at) ??
      readParagraph(lines, at);
    blocks.push(step.block);
    at += step.used;
  }
  return blocks;
}

interface Step {
  readonly block: Block;
  readonly used: number;
}

function readFence(lines: readonly string[], at: number): Step | undefined {
  const open = FENCE.exec(lines[at] ?? '');
  if (!open) return undefined;
  const mark = open[1] ?? '```';
  const inside: string[] = [];
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? '').trimStart().startsWith(mark)) {
    inside.push(lines[end] ?? '');
    end += 1;
  }
  return { block: { kind: 'code', text: inside.join('\n'), language: open[2] ?? '' }, used: end - at + 1 };
}

function readHeading(line: string): Step | undefined {
  const found = HEADING.exec(line);
  if (!found) return undefined;
  const text = (found[2] ?? '').trimEnd().replace(/ #{1,6}$/, '');
  return { block: { kind: 'heading', level: (found[1] ?? '#').length, text }, used: 1 };
}

function readQuote(lines: readonly string[], at: number, depth: number): Step | undefined {
  const inside: string[] = [];
  while (at + inside.length < lines.length) {
    const line = (lines[at + inside.length] ?? '').trimStart();
    if (!line.startsWith('>')) break;
    inside.push(line.slice(line.startsWith('> ') ? 2 : 1));
  }
  if (inside.length === 0) return undefined;
  return { block: { kind: 'quote', blocks: readLines(inside, depth + 1) }, used: inside.length };
}

function readList(lines: readonly string[], at: number, depth: number): Step | undefined {
  const first = ITEM.exec(lines[at] ?? '');
  if (!first || (first[1] ?? '').length > 3) return undefined;
  const isOrdered = /\d/.test(first[2] ?? '');
  const items: string[][] = [];
  let end = at;
  let width = 0;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const item = ITEM.exec(line);
    const indent = line.length - line.trimStart().length;
    if (item && indent < Math.max(width, 1) && /\d/.test(item[2] ?? '') === isOrdered) {
      width = Math.min(item[0].length, indent + (item[2] ?? '').length + 1);
      items.push([line.slice(item[0].length)]);
    } else if (line.trim() === '') {
      const next = lines[end + 1] ?? '';
      if (next.trim() === '' || (next.length - next.trimStart().length < width && !ITEM.test(next))) break;
      items.at(-1)?.push('');
    } else if (indent >= width || !startsBlock(line)) {
      items.at(-1)?.push(line.slice(Math.min(indent, width)));
    } else break;
  }
  const start = isOrdered ? Number.parseInt(first[2] ?? '1', 10) : 1;
  const read = items.map((item) => readItem(item, depth));
  return { block: { kind: 'list', isOrdered, start, items: read }, used: end - at };
}

function readItem(lines: readonly string[], depth: number): ListItem {
  const task = /^\[([ xX])\] /.exec(lines[0] ?? '');
  const rest = task ? [(lines[0] ?? '').slice(4), ...lines.slice(1)] : lines;
  return { isDone: task ? task[1] !== ' ' : undefined, blocks: readLines(rest, depth + 1) };
}

function readTable(lines: readonly string[], at: number): Step | undefined {
  const head = lines[at] ?? '';
  const divider = lines[at + 1] ?? '';
  if (!head.includes('|') || !divider.includes('-') || !divider.includes('|') || !DIVIDER.test(divider))
    return undefined;
  const rows: string[][] = [];
  let end = at + 2;
  for (; end < lines.length && (lines[end] ?? '').includes('|'); end += 1)
    rows.push(cellsOf(lines[end] ?? ''));
  return { block: { kind: 'table', head: cellsOf(head), rows }, used: end - at };
}

function cellsOf(line: string): string[] {
  const cells = line
    .trim()
    .split('|')
    .map((cell) => cell.trim());
  return cells.slice(cells[0] === '' ? 1 : 0, cells.at(-1) === '' ? -1 : undefined);
}

function readParagraph(lines: readonly string[], at: number): Step {
  let end = at + 1;
  while (end < lines.length && (lines[end] ?? '').trim() !== '' && !startsBlock(lines[end] ?? '')) end += 1;
  const text = lines
    .slice(at, end)
    .map((line) => line.trimStart())
    .join('\n');
  return { block: { kind: 'paragraph', text }, used: end - at };
}

function startsBlock(line: string): boolean {
  return FENCE.test(line) || HEADING.test(line) || RULE.test(line) || ITEM.test(line) || line.startsWith('>');
}
