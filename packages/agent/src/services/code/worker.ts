/** The thread that reads code: keeps an index of one root, and answers one question at a time. */
import { writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { parseSync } from 'oxc-parser';
import type {
  AnswerTo,
  CodeQuestion,
  CodeScope,
  CountsAnswer,
  CountsQuestion,
  FoundReference,
  FoundSymbol,
  FromProgram,
  GivenUpFile,
  ReferencesAnswer,
  ReferencesQuestion,
  SymbolsAnswer,
  SymbolsQuestion,
} from './messages.ts';
import { findIn } from './references.ts';
import { RootIndex, TooLarge } from './root-index.ts';

const MOST_DEFINITIONS = 10;
const OUTPUT = 1;

let known: RootIndex | undefined;

function indexOf(scope: CodeScope): RootIndex {
  known ??= new RootIndex(scope.root, { parse: parseSync, onParsing, now: Date.now });
  known.refresh(scope);
  return known;
}

function onParsing(file: GivenUpFile | undefined): void {
  if (file === undefined) tell({ type: 'parsed' });
  else tell({ type: 'parsing', file, residentBytes: process.memoryUsage.rss() });
}

/** Written before anything else happens: whatever comes next may end the process. */
function tell(message: FromProgram): void {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length;) at += writeSync(OUTPUT, bytes, at);
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

const WORDS = (['TODO', 'FIXME', 'HACK'] as const).map((text) => ({ text, bytes: Buffer.from(text) }));
const LONG_LINES = 500;
const LINE_END = 10;

function counts({ scope }: CountsQuestion): CountsAnswer {
  const index = indexOf(scope);
  const found = { TODO: 0, FIXME: 0, HACK: 0 };
  let longFiles = 0;
  for (const [file] of index.files(scope)) {
    const bytes = index.read(file);
    if (bytes === undefined) continue;
    for (const word of WORDS)
      findIn(bytes, word, file, () => {
        found[word.text] += 1;
      });
    if (hasManyLines(bytes)) longFiles += 1;
  }
  return { todo: found.TODO, fixme: found.FIXME, hack: found.HACK, large_files: longFiles };
}

function hasManyLines(bytes: Buffer): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_END); at !== -1; at = bytes.indexOf(LINE_END, at + 1)) {
    lines += 1;
    if (lines > LONG_LINES) return true;
  }
  return false;
}

function answer(question: CodeQuestion): AnswerTo<CodeQuestion> {
  switch (question.type) {
    case 'symbols':
      return symbols(question);
    case 'references':
      return references(question);
    case 'counts':
      return counts(question);
  }
}

parentPort?.on('message', (question: CodeQuestion) => {
  try {
    tell({ type: 'answer', answer: answer(question) });
  } catch (error) {
    // Any other fault ends the process, and the server sees to the question.
    if (!(error instanceof TooLarge)) throw error;
    tell({ type: 'too_large' });
  }
});
