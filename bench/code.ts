/** Owns P15: how fast symbols are found in a repository of very many files, at first and from then on. */
import { globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodeReaders } from '../packages/agent/src/services/code/code-readers.ts';
import { latencyOf } from './latency.ts';
import type { Latency } from './latency.ts';
import { inFolder } from './scratch-folder.ts';

/** Everything P15 measures. */
export interface CodeFigures {
  files: number;
  bytes: number;
  /** From the first question to its answer: the process starts, and every file is parsed. */
  firstSeconds: number;
  symbols: Latency;
  references: Latency;
}

export interface CodeSettings {
  files: number;
  queries: number;
}

const PER_FOLDER = 25;
// Longer than what is known counts as fresh, so that each query looks at the disk.
const PAUSE_MS = 600;

/** Measures P15 over copies of this repository's own code. */
export async function measureCode(
  { files, queries }: CodeSettings,
  progress: (line: string) => void,
): Promise<CodeFigures> {
  progress(`code: ${files} files`);
  return inFolder(async (folder) => {
    const root = realpathSync(folder);
    const bytes = fill(root, files);
    const readers = new CodeReaders();
    const { signal } = new AbortController();
    const scope = { root, below: '', excluded: [] };
    const timed = async (ask: () => Promise<{ readonly total: number }>) => {
      const startedMs = performance.now();
      const { total } = await ask();
      if (total === 0) throw new Error('The bench asks for what is there, and nothing was found.');
      return performance.now() - startedMs;
    };
    const symbols = (query: string) => () =>
      readers.ask({ type: 'symbols', scope, query, limit: 50 }, signal);
    const references = (name: string) => () =>
      readers.ask({ type: 'references', scope, name, limit: 50 }, signal);
    try {
      const firstMs = await timed(symbols('inBench'));
      const [symbolTimes, referenceTimes]: number[][] = [[], []];
      for (let query = 0; query < queries; query += 1) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        symbolTimes?.push(await timed(symbols(`inBench${query}`)));
      }
      for (let query = 0; query < Math.ceil(queries / 5); query += 1)
        referenceTimes?.push(await timed(references(`inBench${query}`)));
      return {
        files,
        bytes,
        firstSeconds: Number((firstMs / 1000).toFixed(2)),
        symbols: latencyOf(symbolTimes ?? []),
        references: latencyOf(referenceTimes ?? []),
      };
    } finally {
      await readers.close();
    }
  });
}

/** Writes the files; returns how much is in them. */
function fill(root: string, files: number): number {
  const packages = fileURLToPath(new URL('../packages', import.meta.url));
  const sources = globSync('*/src/**/*.ts', { cwd: packages })
    .toSorted()
    .map((path) => readFileSync(join(packages, path), 'utf8'));
  let bytes = 0;
  for (let index = 0; index < files; index += 1) {
    const folder = join(root, `folder${Math.floor(index / PER_FOLDER)}`);
    mkdirSync(folder, { recursive: true });
    const text = `${sources[index % sources.length] ?? ''}\nexport function inBench${index}() {}\n`;
    writeFileSync(join(folder, `file${index}.ts`), text);
    bytes += text.length;
  }
  return bytes;
}
