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

const SIZE = 1_000_000;
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

const repeated = (piece: string): string[] => {
  const body = piece.repeat(Math.ceil(SIZE / piece.length));
  return ENDINGS.map((ending) => body + ending);
};
const SHARED_TEXTS = PIECES.flatMap(repeated);

/** Texts of a million characters: repeats that are hard for many patterns, and repeats of what this one looks for. */
export function* hostileTexts({ source }: Pick<Pattern, 'source'>): Generator<string> {
  yield* SHARED_TEXTS;
  for (const piece of ownPieces(source)) yield* repeated(piece);
  const start = wordsIn(source)[0] ?? '';
  for (const piece of ['a', ' ', '0', 'a.', '"']) yield `${start}${piece.repeat(SIZE)}\u0001`;
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

/** The beginning of a text that the pattern needs longer than the budget for; undefined when there is none. */
export function slowText(pattern: Pick<Pattern, 'source' | 'flags'>, budgetMs: number): string | undefined {
  for (const text of hostileTexts(pattern)) {
    // Once more, since a machine that is busy with something else is no fault of the pattern.
    if (!isWithin(pattern, text, budgetMs) && !isWithin(pattern, text, budgetMs)) return text.slice(0, 24);
  }
  return undefined;
}

const room = createContext({ text: '', source: '', flags: '' });
const search = new Script('text.replace(new RegExp(source, flags), "")');

function isWithin(
  { source, flags }: Pick<Pattern, 'source' | 'flags'>,
  text: string,
  budgetMs: number,
): boolean {
  Object.assign(room, { text, source, flags: flags.includes('g') ? flags : `${flags}g` });
  try {
    search.runInContext(room, { timeout: budgetMs });
    return true;
  } catch {
    return false;
  }
}
