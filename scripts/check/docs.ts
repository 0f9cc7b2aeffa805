/** Owns the promise that the documentation is true: links lead somewhere, examples run, JSON parses, pictures are not of an older console. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Finding, Report } from './finding.ts';
import { checkPictures } from './pictures.ts';
import { lineAt, listFiles } from './source-tree.ts';

interface Fence {
  info: string;
  code: string;
  offset: number;
}
interface Page {
  path: string;
  text: string;
  prose: string;
  fences: Fence[];
}

const RUN_LIMIT_MS = 60_000;

/** Checks every page at the root and under `docs`. */
export function checkDocs(root: string): Report {
  const paths = [...readdirSync(root), ...listFiles(root, 'docs')].filter((path) => path.endsWith('.md'));
  const pages = paths.map((path) => readPage(root, path));
  const findings = pages.flatMap((page) => [
    ...checkLinks(root, page),
    ...checkJson(page),
    ...runExamples(root, page),
  ]);
  findings.push(...checkPictures(root));
  const fences = pages.flatMap((page) => page.fences);
  const runCount = fences.filter(({ info }) => info === 'ts run').length;
  return { findings, notes: [`${pages.length} pages, ${runCount} examples run`] };
}

function readPage(root: string, path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  const fences: Fence[] = [];
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  const prose = text
    .replace(
      /^( *)(`{3,}|~{3,})([^\n]*)\n([\s\S]*?)^ *\2 *$/gm,
      (whole, _indent, _mark, info, code, offset) => {
        fences.push({ info: String(info).trim(), code: String(code), offset: Number(offset) });
        return blank(whole);
      },
    )
    .replace(/`[^`\n]*`/g, blank);
  return { path, text, prose, fences };
}

function checkLinks(root: string, page: Page): Finding[] {
  const links = /\]\(<?([^)\s>]+)>?[^)\n]*\)|^ *\[[^\]\n]+\]: *(\S+)|\b(?:src|href)="([^"\n]+)"/gm;
  return [...page.prose.matchAll(links)].flatMap((match) => {
    const link = match[1] ?? match[2] ?? match[3] ?? '';
    if (/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? join(root, page.path) : join(root, dirname(page.path), decodeURI(file));
    const at = { rule: 'link', file: page.path, line: lineAt(page.prose, match.index) };
    if (!existsSync(target)) {
      return [{ ...at, message: `'${link}' leads nowhere; correct the path or remove the link` }];
    }
    if (anchor === undefined || !target.endsWith('.md')) return [];
    if (anchorsOf(readPage(root, relative(root, target)).text).has(anchor)) return [];
    return [{ ...at, message: `'${link}' names a heading that is not there; correct the part after '#'` }];
  });
}

function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#{1,6} +(.+?) *#*$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function checkJson(page: Page): Finding[] {
  return page.fences
    .filter(({ info }) => info === 'json')
    .flatMap(({ code, offset }) => {
      try {
        JSON.parse(code);
        return [];
      } catch (error) {
        const message = `this JSON does not parse: ${error instanceof Error ? error.message : String(error)}`;
        return [{ rule: 'json', file: page.path, line: lineAt(page.text, offset), message }];
      }
    });
}

function runExamples(root: string, page: Page): Finding[] {
  return page.fences
    .filter(({ info }) => info === 'ts run')
    .flatMap(({ code, offset }) => {
      const output = runExample(root, code);
      if (output === undefined) return [];
      const message = `this example fails; correct it or the code it shows\n${output.trim()}`;
      return [{ rule: 'example', file: page.path, line: lineAt(page.text, offset), message }];
    });
}

function runExample(root: string, code: string): string | undefined {
  const parent = join(root, 'test/artifacts');
  mkdirSync(parent, { recursive: true });
  // The file stands inside the workspace so that its imports resolve; it runs elsewhere so that it leaves nothing here.
  const folder = mkdtempSync(join(parent, 'example-'));
  const cwd = mkdtempSync(join(tmpdir(), 'parley-example-'));
  try {
    const file = join(folder, 'example.ts');
    writeFileSync(file, code);
    const result = spawnSync(process.execPath, [file], { cwd, encoding: 'utf8', timeout: RUN_LIMIT_MS });
    if (result.status === 0) return undefined;
    const end = result.error === undefined ? '' : `\n${result.error.message}`;
    return `${result.stdout}${result.stderr}${end}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
    rmSync(cwd, { recursive: true, force: true });
  }
}
