/** Owns `docs/tools`: writes the reference from the definitions that are served, or fails on drift with `--check`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { servedTools } from './tools/served-tools.ts';
import { toolPages } from './tools/tool-pages.ts';

const folder = join(import.meta.dirname, '../docs/tools');
const isCheck = process.argv.includes('--check');
const pages = toolPages(await servedTools());

mkdirSync(folder, { recursive: true });
const stale = readdirSync(folder).filter((name) => !pages.has(name));
const changed = [...pages].filter(([name, text]) => textOf(join(folder, name)) !== text);
for (const name of isCheck ? [] : stale) rmSync(join(folder, name));
for (const [name, text] of isCheck ? [] : changed) writeFileSync(join(folder, name), text);

const names = [...stale, ...changed.map(([name]) => name)].map((name) => `docs/tools/${name}`);
for (const name of names) {
  if (isCheck)
    console.error(`${name} does not show what is served. Run "node scripts/generate-tool-docs.ts".`);
  else console.log(`rewrote ${name}`);
}
if (isCheck && names.length > 0) process.exitCode = 1;
else console.log(`${pages.size} files of the reference are as the tools are`);

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
