/** Owns the sizes of files: shows how they are spread and names the few that grew past the cap. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding, Report } from './finding.ts';
import { listFiles } from './source-tree.ts';

const CAP_LINES = 500;
const EXCEPTIONS_FILE = 'scripts/check/size-exceptions.json';
const FOLDERS = ['packages', 'apps', 'examples', 'test', 'bench', 'scripts'];

interface Sized {
  path: string;
  lines: number;
}

/** Measures the source files at a root folder. */
export function checkSizes(root: string): Report {
  const exceptions = readExceptions(root);
  const all = FOLDERS.flatMap((folder) => listFiles(root, folder))
    .filter((path) => /\.(ts|tsx|js|mjs|css)$/.test(path))
    .map((path) => ({ path, lines: countLines(readFileSync(join(root, path), 'utf8')) }))
    .toSorted((a, b) => b.lines - a.lines);
  const isTest = ({ path }: Sized): boolean =>
    /^(test|(packages|apps)\/[^/]+\/test)\//.test(path) || /\.test(-d)?\.tsx?$/.test(path);
  const sources = all.filter((file) => !isTest(file));
  const notes = [
    ...describeSizes('source files', sources),
    ...describeSizes('test files', all.filter(isTest)),
    ...Object.entries(exceptions).map(([path, reason]) => `exception ${path}: ${reason}`),
  ];
  return { findings: [...findTooLong(sources, exceptions), ...findStale(sources, exceptions)], notes };
}

function findTooLong(sources: Sized[], exceptions: Record<string, string>): Finding[] {
  return sources
    .filter(({ path, lines }) => lines > CAP_LINES && !(path in exceptions))
    .map(({ path, lines }) => ({
      rule: 'size',
      file: path,
      line: CAP_LINES,
      message: `${lines} lines are over the cap of ${CAP_LINES}; split by concept, or give a reason in ${EXCEPTIONS_FILE}`,
    }));
}

function findStale(sources: Sized[], exceptions: Record<string, string>): Finding[] {
  return Object.keys(exceptions)
    .filter((path) => !sources.some((file) => file.path === path && file.lines > CAP_LINES))
    .map((path) => ({
      rule: 'size',
      file: EXCEPTIONS_FILE,
      line: 1,
      message: `${path} no longer needs an exception; remove it from the list`,
    }));
}

function describeSizes(title: string, files: Sized[]): string[] {
  if (files.length === 0) return [`${title}: none`];
  const at = (share: number): number => files[Math.floor((files.length - 1) * (1 - share))]?.lines ?? 0;
  const largest = files.slice(0, 5).map(({ path, lines }) => `  ${String(lines).padStart(5)} ${path}`);
  return [`${title}: ${files.length}, median ${at(0.5)} lines, p90 ${at(0.9)}; the largest are`, ...largest];
}

function countLines(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function readExceptions(root: string): Record<string, string> {
  const path = join(root, EXCEPTIONS_FILE);
  // A wrong shape shows at once as a stale entry
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>) : {};
}
