/** Owns finding every regular expression of the product, and running one against texts made to slow it down. */
import { createContext, Script } from 'node:vm';
import type { SourceTree } from '../../scripts/check/source-tree.ts';
import { identifierName, walk } from '../../scripts/check/syntax-tree.ts';

/** One regular expression and where it stands. */
export interface Pattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

/** Folders whose patterns see no text from outside the process, and why. */
export const EXEMPT: Readonly<Record<string, string>> = {
  'packages/annotations/src/overlay/': 'runs in the browser of whoever wrote the page',
  'packages/feedback/src/demo/': 'reads only the example texts that lie beside it',
};

/** Every pattern that is written down in a package or an app, once; tests are left out. */
export function patternsOf(tree: SourceTree): { patterns: Pattern[]; built: string[] } {
  const patterns = new Map<string, Pattern>();
  const built: string[] = [];
  for (const { path, program, isTest } of tree.files) {
    const isExempt = Object.keys(EXEMPT).some((folder) => path.startsWith(folder));
    if (isTest || isExempt || !/^(packages|apps)\/[^/]+\/src\//.test(path) || path.includes('/testing/'))
      continue;
    walk(program, (node) => {
      const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
      if (isCall && identifierName(node['callee']) === 'RegExp') built.push(path);
      // The parser puts this field on the literals of regular expressions alone.
      const regex = node['regex'] as { pattern: string; flags: string } | undefined | null;
      if (node.type !== 'Literal' || regex === undefined || regex === null) return;
      const { pattern: source, flags } = regex;
      patterns.set(`/${source}/${flags}`, { file: path, source, flags });
    });
  }
  return { patterns: [...patterns.values()], built };
}

/** The size that the budget is for. */
const SIZE = 250_000;
// A pattern that is quadratic needs a twenty-fifth of the time for a fifth of the text.
const SHARE = 5;
const PIECES = [
  ...' \t\n"\'0/<-_\\`[({%=+:@,#*a\u00e9\u0301'.split(''),
  'a.',
  'a ',
  'a-',
  '"a',
  'a:',
  '1.',
  '\r\n',
  '\ud83d\ude00',
];
// What makes a match fail at the very end, where a backtracking search begins to look back.
const ENDINGS = ['\u0001', 'a\n!'];
const MOST_OWN_PIECES = 12;

/** A text that repeats a piece, at the size that is asked for. */
type Hostile = (size: number) => string;

const repeated = (piece: string): Hostile[] =>
  ENDINGS.map((ending) => (size) => piece.repeat(Math.ceil(size / piece.length)) + ending);
const SHARED_TEXTS = PIECES.flatMap(repeated);
const SHARED_PARTS = SHARED_TEXTS.map((text) => text(SIZE / SHARE));

/** Repeats that are hard for many patterns, and repeats of what this one looks for. */
function* hostileTexts({ source }: Pick<Pattern, 'source'>): Generator<Hostile> {
  yield* SHARED_TEXTS;
  for (const piece of ownPieces(source)) yield* repeated(piece);
  const start = wordsIn(source)[0] ?? '';
  for (const piece of ['a', ' ', '0', 'a.', '"']) yield (size) => `${start}${piece.repeat(size)}\u0001`;
}

/** The literal words of a pattern, and each with something after it, as repeated beginnings that never end. */
function ownPieces(source: string): string[] {
  const words = wordsIn(source);
  const joined = words.join('');
  const pieces = [joined, ...words, ...words.flatMap((word) => [`${word} `, `${word}a`, `a${word}`])];
  return [...new Set(pieces)].filter((piece) => piece !== '').slice(0, MOST_OWN_PIECES);
}

function wordsIn(source: string): string[] {
  const plain = source
    .replaceAll(/\\[bBdDsSwW]|\\[pP]\{[^}]*\}|\\x[0-9a-f]{2}|\\u[0-9a-fA-F]{4}/g, ' ')
    .replaceAll(/\(\?(?:[:=!]|<[=!])/g, ' ')
    .replaceAll(/\{\d+(?:,\d*)?\}/g, ' ')
    .replaceAll(/\[\^?(?:\\.|[^\]\\])*\]/g, ' ')
    .replaceAll(/\\(.)/g, '$1');
  return plain.split(/[ ^$*+?()|]+/).filter((word) => word !== '');
}

/**
 * The beginning of a text of that size that the pattern needs longer than the budget for; undefined when
 * there is none. Only where a part of the text took long is the whole tried.
 */
export function slowText(pattern: Pick<Pattern, 'source' | 'flags'>, budgetMs: number): string | undefined {
  const hostile = [...hostileTexts(pattern)];
  const parts = [...SHARED_PARTS, ...hostile.slice(SHARED_PARTS.length).map((text) => text(SIZE / SHARE))];
  const partMs = budgetMs / SHARE ** 2;
  let at = firstSlow(pattern, parts, { from: 0, eachMs: partMs, budgetMs });
  while (at < parts.length) {
    const text = [hostile[at]?.(SIZE) ?? ''];
    const isSlow = () => firstSlow(pattern, text, { from: 0, eachMs: budgetMs, budgetMs }) === 0;
    // Once more, since a machine that is busy with something else is no fault of the pattern.
    if (isSlow() && isSlow()) return text[0]?.slice(0, 24);
    at = firstSlow(pattern, parts, { from: at + 1, eachMs: partMs, budgetMs });
  }
  return undefined;
}

// The time of this thread, so that a machine that is busy with something else is no fault of a pattern.
const room = createContext({ now: () => process.threadCpuUsage().user / 1000 });
// One watchdog for many texts: to start one takes longer than most patterns need.
const search = new Script(`
  for (const pattern = new RegExp(source, flags); at < texts.length; at++) {
    const start = now();
    texts[at].replace(pattern, '');
    if (now() - start > eachMs) break;
  }
`);

/** The index of the first text that took longer than its time, or than all may; as many as there are if none did. */
function firstSlow(
  { source, flags }: Pick<Pattern, 'source' | 'flags'>,
  texts: readonly string[],
  { from, eachMs, budgetMs }: { from: number; eachMs: number; budgetMs: number },
): number {
  const all = { source, flags: flags.includes('g') ? flags : `${flags}g`, texts, at: from, eachMs };
  Object.assign(room, all);
  try {
    // The clock on the wall, which runs for other processes too.
    search.runInContext(room, { timeout: budgetMs * 4 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return room['at'] as number;
}
