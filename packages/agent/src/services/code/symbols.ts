/** From the text of a file to its symbols: the top level, and one level of members. */
import type { ParserOptions, parseSync } from 'oxc-parser';
import type { CodeSymbol, SymbolKind } from './messages.ts';

/** The parser, which is loaded late. */
export type Parse = typeof parseSync;

type Language = NonNullable<ParserOptions['lang']>;

const LANGUAGES: Readonly<Record<string, Language>> = {
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  tsx: 'tsx',
  js: 'jsx',
  mjs: 'jsx',
  cjs: 'jsx',
  jsx: 'jsx',
};

/** The language of a file that can be parsed. */
export function languageOf(path: string): Language | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  if (/\.d\.[mc]?ts$/.test(path)) return 'dts';
  return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] : undefined;
}

// The parser goes down as deep as the text is nested: too deep, and its process ends and all is read once more.
const MAX_NESTING = 500;

/** False for text that is nested deeper than anybody writes. */
export function isParsable(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 40 || code === 91 || code === 123) {
      depth += 1;
      if (depth > MAX_NESTING) return false;
    } else if ((code === 41 || code === 93 || code === 125) && depth > 0) depth -= 1;
  }
  return true;
}

/** Anything in a syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const MOST_PARTS = 5000;
// Nobody asks for a longer one, and answers hold hundreds of them.
const LONGEST_NAME = 500;
// Where statements of the top level usually begin.
const BEGINNING =
  /^(?:export|import|function|async|class|abstract|interface|type|enum|const|let|var|declare|namespace)\b/gm;

/** The symbols of a file in their order. Where the text has errors, those of the parts that can be parsed. */
export function symbolsOf(parse: Parse, path: string, language: Language, text: string): CodeSymbol[] {
  const lines = lineStarts(text);
  const found: CodeSymbol[] = [];
  const exportedNames = new Set<string>();
  const read = (start: number, part: string): boolean => {
    const { program, errors } = parse(path, part, { lang: language, sourceType: 'unambiguous' });
    // The parser's own type of statements is wider than what is looked at here.
    const body = program.body as unknown as Node[];
    const collector = new Collector(found, exportedNames, (offset) => lineAt(lines, start + offset));
    for (const statement of body) collector.statement(statement, {});
    return body.length > 0 || errors.length === 0;
  };
  if (!read(0, text)) {
    const starts = [...text.matchAll(BEGINNING)].map(({ index }) => index).slice(0, MOST_PARTS);
    for (const [at, start] of starts.entries()) read(start, text.slice(start, starts[at + 1]));
  }
  return found.map((symbol) =>
    symbol.parent === undefined && !symbol.exported && exportedNames.has(symbol.name)
      ? { ...symbol, exported: symbol.kind !== 'import' }
      : symbol,
  );
}

interface Place {
  readonly exported?: boolean;
  readonly parent?: string;
  /** What the lines are taken from, where a statement stands around the symbol. */
  readonly around?: Node;
}

const TYPE_MEMBERS: Readonly<Record<string, SymbolKind>> = {
  MethodDefinition: 'method',
  TSAbstractMethodDefinition: 'method',
  TSMethodSignature: 'method',
  PropertyDefinition: 'variable',
  TSAbstractPropertyDefinition: 'variable',
  AccessorProperty: 'variable',
  TSPropertySignature: 'variable',
  TSEnumMember: 'variable',
};

class Collector {
  readonly #found: CodeSymbol[];
  readonly #exportedNames: Set<string>;
  readonly #lineAt: (offset: number) => number;

  constructor(found: CodeSymbol[], exportedNames: Set<string>, line: (offset: number) => number) {
    this.#found = found;
    this.#exportedNames = exportedNames;
    this.#lineAt = line;
  }

  statement(node: Node, place: Place): void {
    switch (node.type) {
      case 'ImportDeclaration':
        return this.#import(node);
      case 'ExportNamedDeclaration':
      case 'ExportDefaultDeclaration':
      case 'ExportAllDeclaration':
        return this.#export(node);
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
        return this.#add(node, nameOf(node['id']), 'function', place);
      case 'ClassDeclaration':
        return this.#withMembers(node, 'class', place, bodyOf(node));
      case 'TSInterfaceDeclaration':
        return this.#withMembers(node, 'interface', place, bodyOf(node));
      case 'TSEnumDeclaration':
        return this.#withMembers(node, 'enum', place, membersOf(node['body']) ?? membersOf(node) ?? []);
      case 'TSTypeAliasDeclaration':
        return this.#withMembers(node, 'type_alias', place, membersOf(node['typeAnnotation']) ?? []);
      case 'VariableDeclaration':
        for (const declared of nodes(node['declarations'])) this.#variable(node, declared, place);
        return undefined;
      case 'TSModuleDeclaration':
        return this.#namespace(node, place);
      default:
        return undefined;
    }
  }

  #add(node: Node, name: string | undefined, kind: SymbolKind, place: Place, memberCount = 0): void {
    if (name === undefined || Math.max(name.length, place.parent?.length ?? 0) > LONGEST_NAME) return;
    const { start, end } = place.around ?? node;
    this.#found.push({
      name,
      kind,
      exported: place.exported ?? false,
      startLine: this.#lineAt(start),
      endLine: this.#lineAt(Math.max(start, end - 1)),
      ...(place.parent !== undefined && { parent: place.parent }),
      memberCount,
    });
  }

  #withMembers(node: Node, kind: SymbolKind, place: Place, members: readonly Node[]): void {
    const name = nameOf(node['id']) ?? (place.exported === true ? 'default' : undefined);
    this.#add(node, name, kind, place, members.length);
    if (name === undefined || place.parent !== undefined) return;
    for (const member of members) {
      const memberKind = TYPE_MEMBERS[member.type] ?? methodOf(member);
      if (memberKind !== undefined)
        this.#add(member, nameOf(member['key'] ?? member['id']), memberKind, { parent: name });
    }
  }

  #variable(statement: Node, declared: Node, place: Place): void {
    const value = asNode(declared['init']);
    const names = boundNames(asNode(declared['id']));
    const [only] = names;
    const one = { ...place, around: place.around ?? statement };
    if (only === undefined || names.length > 1 || value === undefined) {
      for (const name of names) this.#add(declared, name, 'variable', one);
      return;
    }
    if (value.type === 'ArrowFunctionExpression' || value.type === 'FunctionExpression')
      return this.#add(declared, only, 'function', one);
    const members = membersOfValue(value);
    this.#add(declared, only, value.type === 'ClassExpression' ? 'class' : 'variable', one, members.length);
    if (place.parent !== undefined) return;
    for (const member of members) {
      const kind = TYPE_MEMBERS[member.type] ?? methodOf(member);
      if (kind !== undefined) this.#add(member, nameOf(member['key']), kind, { parent: only });
    }
  }

  #namespace(node: Node, place: Place): void {
    const parent = nameOf(node['id']);
    if (parent === undefined || place.parent !== undefined) return;
    for (const inner of nodes(asNode(node['body'])?.['body'])) {
      const declared = asNode(inner['declaration']);
      const isExport = inner.type === 'ExportNamedDeclaration' && declared !== undefined;
      this.statement(isExport ? declared : inner, { parent, exported: isExport });
    }
  }

  #import(node: Node): void {
    const specifiers = nodes(node['specifiers']);
    if (specifiers.length === 0) return this.#add(node, nameOf(node['source']), 'import', {});
    for (const each of specifiers) this.#add(each, nameOf(each['local']), 'import', { around: node });
  }

  #export(node: Node): void {
    const declared = asNode(node['declaration']);
    if (node.type === 'ExportAllDeclaration')
      return this.#add(node, nameOf(node['exported']) ?? nameOf(node['source']), 'export', {
        exported: true,
      });
    if (declared === undefined) {
      for (const each of nodes(node['specifiers'])) {
        if (asNode(node['source']) === undefined) this.#exportedNames.add(nameOf(each['local']) ?? '');
        this.#add(each, nameOf(each['exported']), 'export', { exported: true, around: node });
      }
      return undefined;
    }
    if (node.type === 'ExportNamedDeclaration')
      return this.statement(declared, { exported: true, around: node });
    const isNamed = nameOf(declared['id']) !== undefined;
    if (isNamed || declared.type === 'ClassDeclaration')
      this.statement(declared, { exported: true, around: node });
    else if (declared.type === 'Identifier') this.#exportedNames.add(nameOf(declared) ?? '');
    if (!isNamed) this.#add(node, 'default', 'export', { exported: true });
    return undefined;
  }
}

function asNode(value: unknown): Node | undefined {
  // Whatever has a type in a syntax tree is a node, with its place.
  return typeof value === 'object' && value !== null && 'type' in value ? (value as Node) : undefined;
}

function nodes(value: unknown): Node[] {
  return Array.isArray(value) ? value.flatMap((each) => asNode(each) ?? []) : [];
}

/** The name that an identifier, a private name or a literal key says. */
function nameOf(value: unknown): string | undefined {
  const node = asNode(value);
  if (node === undefined) return undefined;
  if (node.type === 'PrivateIdentifier') return `#${String(node['name'])}`;
  if (node.type === 'TSQualifiedName') return nameOf(node['right']);
  const text = node['name'] ?? node['value'];
  return typeof text === 'string' ? text : undefined;
}

function bodyOf(node: Node): Node[] {
  return nodes(asNode(node['body'])?.['body']);
}

function membersOf(value: unknown): Node[] | undefined {
  const members = asNode(value)?.['members'];
  return Array.isArray(members) ? nodes(members) : undefined;
}

function membersOfValue(value: Node): Node[] {
  if (value.type === 'ClassExpression') return bodyOf(value);
  if (value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression') {
    const inner = asNode(value['expression']);
    return inner === undefined ? [] : membersOfValue(inner);
  }
  return value.type === 'ObjectExpression' ? nodes(value['properties']) : [];
}

/** A property of an object is a method when its value is a function. */
function methodOf(member: Node): SymbolKind | undefined {
  if (member.type !== 'Property') return undefined;
  const { type } = asNode(member['value']) ?? { type: '' };
  return type === 'FunctionExpression' || type === 'ArrowFunctionExpression' ? 'method' : undefined;
}

/** The names that a pattern binds. */
function boundNames(pattern: Node | undefined): string[] {
  const names: string[] = [];
  const left = pattern === undefined ? [] : [pattern];
  // Not by recursion: the depth of a pattern is up to whoever wrote it.
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type === 'Identifier') names.push(nameOf(node) ?? '');
    for (const field of ['elements', 'properties']) for (const inner of nodes(node[field])) left.push(inner);
    for (const field of ['value', 'left', 'argument']) {
      const inner = asNode(node[field]);
      if (inner !== undefined) left.push(inner);
    }
  }
  return names.toReversed();
}

/** Where each line of a text begins. */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The number of the line that an offset is in, from 1. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
