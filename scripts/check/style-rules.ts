/** Owns the habits of the house that a parser can see: names, leftovers, opening sentences, export lists. */
import { entriesOf } from './entries.ts';
import type { Finding } from './finding.ts';
import { lineAt } from './source-tree.ts';
import type { SourceFile, SourceTree } from './source-tree.ts';
import { identifierName, isNode, propertyName, walkValues } from './syntax-tree.ts';
import type { SyntaxNode } from './syntax-tree.ts';

const KEBAB_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
const CONVENTIONAL_NAME = /^([A-Z]+(\.md)?|__snapshots__|Dockerfile)$/;
const VAGUE_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers']);
const LEFTOVER = /\b(TODO|FIXME|XXX|HACK)\b/;
const RUNNERS = new Set(['test', 'it', 'describe', 'suite', 'bench']);

/** Checks the names of all files and folders. */
export function checkNames(tree: SourceTree): Finding[] {
  return tree.paths.flatMap((path) => {
    const at = { file: path, line: 1 };
    const names = path.split('/');
    const odd = names.find((name) => !KEBAB_NAME.test(name) && !CONVENTIONAL_NAME.test(name));
    const vague = names.find((name) =>
      (name.split('.')[0] ?? '').split('-').some((word) => VAGUE_WORDS.has(word)),
    );
    const findings: Finding[] = [];
    if (odd !== undefined) {
      findings.push({
        ...at,
        rule: 'kebab-case',
        message: `rename '${odd}' to lower-case words joined by '-'`,
      });
    }
    if (vague !== undefined) {
      findings.push({ ...at, rule: 'vague-name', message: `rename '${vague}' after what it holds` });
    }
    return findings;
  });
}

/** Checks that every entry of a package exports by explicit list. */
export function checkExportLists(tree: SourceTree): Finding[] {
  return tree.packages
    .filter((owner) => !owner.folder.startsWith('examples/'))
    .flatMap((owner) => {
      const entries = new Set([`${owner.folder}/src/index.ts`, ...entriesOf(owner).map(({ path }) => path)]);
      const files = tree.files.filter((file) => entries.has(file.path));
      return files.flatMap((file) =>
        file.imports
          .filter((use) => use.names.some(({ local }) => local === '*'))
          .map((use) => ({
            rule: 'export-list',
            file: file.path,
            line: lineAt(file.text, use.offset),
            message: `name each export of '${use.specifier}' instead of exporting all of it`,
          })),
      );
    });
}

/** Checks one file for leftovers, switched-off tests, unexplained casts and exceptions, and its opening sentence. */
export function checkStyle(file: SourceFile): Finding[] {
  return [...checkComments(file), ...checkOpening(file), ...checkCasts(file), ...checkSwitchedOff(file)];
}

function checkComments(file: SourceFile): Finding[] {
  return file.comments.flatMap(({ value, start }) => {
    const at = { file: file.path, line: lineAt(file.text, start) };
    const word = LEFTOVER.exec(value)?.[0];
    const findings: Finding[] = [];
    if (word !== undefined) {
      findings.push({ ...at, rule: 'leftover', message: `finish what '${word}' announces, or remove it` });
    }
    if (/^\s*(ox|es)lint-disable/.test(value) && !/ -- \S/.test(value)) {
      const message = "give the reason after ' -- ' in the same comment";
      findings.push({ ...at, rule: 'unexplained-disable', message });
    }
    return findings;
  });
}

function checkOpening(file: SourceFile): Finding[] {
  const isSource = /^(packages|apps|examples|scripts|bench)\//.test(file.path) && !file.isTest;
  if (!isSource || file.text.trim() === '') return [];
  const body = file.text.replace(/^#!.*\n/, '').trimStart();
  if (body.startsWith('/**')) return [];
  const message = 'open the file with one /** sentence */ that says what it owns';
  return [{ rule: 'opening-sentence', file: file.path, line: 1, message }];
}

function checkCasts(file: SourceFile): Finding[] {
  if (!/^(packages|apps)\//.test(file.path) || file.isTest) return [];
  const explained = new Set(file.comments.map(({ end }) => lineAt(file.text, end)));
  const findings: Finding[] = [];
  walkValues(file.program, (node, ancestors) => {
    if (node.type !== 'TSAsExpression' || ['const', 'unknown'].includes(castTarget(file, node))) return;
    const statement = ancestors.findLast(({ type }) =>
      /Statement$|Declaration$|Property|Definition$/.test(type),
    );
    const lines = [node.start, node.end, statement?.start ?? node.start].map((at) => lineAt(file.text, at));
    if (lines.some((line) => explained.has(line) || explained.has(line - 1))) return;
    const message = 'say in a comment beside this cast why it holds, or parse the value instead';
    findings.push({
      rule: 'unexplained-cast',
      file: file.path,
      line: lineAt(file.text, node.start),
      message,
    });
  });
  return findings;
}

function castTarget(file: SourceFile, node: SyntaxNode): string {
  const type = node['typeAnnotation'];
  return isNode(type) ? file.text.slice(type.start, type.end) : '';
}

function checkSwitchedOff(file: SourceFile): Finding[] {
  if (!file.isTest && !file.path.startsWith('test/')) return [];
  const findings: Finding[] = [];
  walkValues(file.program, (node, ancestors) => {
    const name = propertyName(node) ?? '';
    if (node.type !== 'MemberExpression' || !['skip', 'only'].includes(name)) return;
    const isCalled = ancestors.at(-1)?.['callee'] === node;
    if (!isCalled && !RUNNERS.has(rootName(node))) return;
    const message = `remove '.${name}'; a test that needs a condition uses skipIf with the reason beside it`;
    findings.push({
      rule: 'switched-off-test',
      file: file.path,
      line: lineAt(file.text, node.start),
      message,
    });
  });
  return findings;
}

function rootName(node: SyntaxNode): string {
  const inner = node['object'] ?? node['callee'];
  return isNode(inner) ? rootName(inner) : (identifierName(node) ?? '');
}
