/** What goes between the server and the process that reads code. */

/** The kinds of symbols. */
export const SYMBOL_KINDS = [
  'function',
  'class',
  'interface',
  'type_alias',
  'enum',
  'import',
  'export',
  'variable',
  'method',
] as const;

export type SymbolKind = (typeof SYMBOL_KINDS)[number];

/** A file that reading was given up on, as it was then. */
export interface GivenUpFile {
  readonly path: string;
  readonly mtimeMs: number;
}

/** Where to look. */
export interface CodeScope {
  /** The real path of the root; nothing outside it is read. */
  readonly root: string;
  /** A folder below the root with `/`; empty: all of it. */
  readonly below: string;
  /** Real paths of folders that are nobody's code. */
  readonly excluded: readonly string[];
  readonly givenUp: readonly GivenUpFile[];
}

export interface SymbolsQuestion {
  readonly type: 'symbols';
  readonly scope: CodeScope;
  readonly query: string;
  /** Absent: all. */
  readonly kinds?: readonly SymbolKind[] | undefined;
  readonly limit: number;
}

export interface ReferencesQuestion {
  readonly type: 'references';
  readonly scope: CodeScope;
  readonly name: string;
  readonly limit: number;
}

/** Asks for what can be counted in the files of a project. */
export interface CountsQuestion {
  readonly type: 'counts';
  readonly scope: CodeScope;
}

export type CodeQuestion = SymbolsQuestion | ReferencesQuestion | CountsQuestion;

/** A symbol in a file; both lines belong to it. */
export interface CodeSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly exported: boolean;
  readonly startLine: number;
  readonly endLine: number;
  readonly parent?: string;
  readonly memberCount: number;
}

export interface FoundSymbol extends CodeSymbol {
  readonly file: string;
}

export interface FoundReference {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** How much is known of a root, and since when. */
export interface IndexState {
  readonly files: number;
  readonly skipped: number;
  readonly ageMs: number;
}

export interface SymbolsAnswer {
  readonly symbols: readonly FoundSymbol[];
  readonly total: number;
  readonly index: IndexState;
}

export interface ReferencesAnswer {
  readonly definitions: readonly FoundSymbol[];
  readonly references: readonly FoundReference[];
  readonly total: number;
}

/** What stands in the files as a word of its own, and how many of them are long. */
export interface CountsAnswer {
  readonly todo: number;
  readonly fixme: number;
  readonly hack: number;
  readonly large_files: number;
}

/** The answer to a question. */
export type AnswerTo<Question extends CodeQuestion> = {
  readonly symbols: SymbolsAnswer;
  readonly references: ReferencesAnswer;
  readonly counts: CountsAnswer;
}[Question['type']];

/** What the process says: around each file that it parses, which may end it, and at the end of a question. */
export type FromProgram =
  | { readonly type: 'parsing'; readonly file: GivenUpFile; readonly residentBytes: number }
  | { readonly type: 'parsed' }
  | { readonly type: 'answer'; readonly answer: AnswerTo<CodeQuestion> }
  | { readonly type: 'too_large' };
