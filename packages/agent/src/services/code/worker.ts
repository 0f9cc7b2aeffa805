/** The thread that reads code: keeps an index for each root it was asked about, and answers one question at a time. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseSync } from 'oxc-parser';
import type {
  CodeQuestion,
  CodeScope,
  FoundReference,
  FoundSymbol,
  FromThread,
  ReferencesAnswer,
  ReferencesQuestion,
  SymbolsAnswer,
  SymbolsQuestion,
  ThreadStart,
  ToThread,
} from './messages.ts';
import { ParsingNote } from './parsing-note.ts';
import { findIn } from './references.ts';
import { RootIndex, TooLarge } from './root-index.ts';

const MOST_ROOTS = 8;
const MOST_DEFINITIONS = 10;

// The server starts this file as a thread, with this.
const note = new ParsingNote((workerData as ThreadStart).parsing);
const roots = new Map<string, RootIndex>();

function indexOf(scope: CodeScope): RootIndex {
  const index = roots.get(scope.root) ?? new RootIndex(scope.root, { parse: parseSync, note, now: Date.now });
  // The one that was asked for last goes last.
  roots.delete(scope.root);
  roots.set(scope.root, index);
  for (const [root, old] of roots) {
    if (roots.size <= MOST_ROOTS) break;
    old.close();
    roots.delete(root);
  }
  index.refresh(scope);
  return index;
}

function symbols({ scope, query, kinds, limit }: SymbolsQuestion): SymbolsAnswer {
  const index = indexOf(scope);
  const wanted = query.toLowerCase();
  const ranked: FoundSymbol[][] = [[], [], []];
  let total = 0;
  for (const [file, { symbols: own = [], lower }] of index.files(scope)) {
    for (let at = 0; at < lower.length; at += 1) {
      const name = lower[at] ?? '';
      const place = name.indexOf(wanted);
      const symbol = own[at];
      if (place === -1 || symbol === undefined) continue;
      if (kinds !== undefined && !kinds.includes(symbol.kind)) continue;
      total += 1;
      // The same name first, then those that begin with it.
      const rank = ranked[name.length === wanted.length ? 0 : place === 0 ? 1 : 2];
      if (rank !== undefined && rank.length < limit) rank.push({ file, ...symbol });
    }
  }
  return { symbols: ranked.flat().slice(0, limit), total, index: index.state() };
}

function references({ scope, name, limit }: ReferencesQuestion): ReferencesAnswer {
  const index = indexOf(scope);
  const definitions: FoundSymbol[] = [];
  const found: FoundReference[] = [];
  const wanted = { text: name, bytes: Buffer.from(name) };
  let total = 0;
  for (const [file, { symbols: own = [] }] of index.files(scope)) {
    for (const symbol of own) {
      const isDefinition = symbol.name === name && symbol.kind !== 'import' && symbol.kind !== 'export';
      if (isDefinition && definitions.length < MOST_DEFINITIONS) definitions.push({ file, ...symbol });
    }
    const bytes = index.read(file);
    if (bytes === undefined) continue;
    findIn(bytes, wanted, file, (reference) => {
      total += 1;
      if (found.length < limit) found.push(reference());
    });
  }
  return { definitions, references: found, total };
}

function answer(question: CodeQuestion): SymbolsAnswer | ReferencesAnswer {
  return question.type === 'symbols' ? symbols(question) : references(question);
}

parentPort?.on('message', ({ id, question }: ToThread) => {
  const tell = (message: FromThread) => parentPort?.postMessage(message);
  try {
    tell({ id, answer: answer(question) });
  } catch (error) {
    // Any other fault ends the thread, and the server fails the question.
    if (!(error instanceof TooLarge)) throw error;
    tell({ id, tooLarge: true });
  }
});
