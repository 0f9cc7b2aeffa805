/** Owns the generated parts of the documentation: rewrites them from the code, or fails on drift with `--check`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './check/source-tree.ts';
import { annotationTables } from './docs-tables/annotations.ts';
import { eventTables } from './docs-tables/events.ts';
import { feedbackTables } from './docs-tables/feedback.ts';
import { kitTables } from './docs-tables/kit.ts';
import { projectTables } from './docs-tables/project.ts';
import { serverTables } from './docs-tables/server.ts';
import { taskTables } from './docs-tables/tasks.ts';

const root = join(import.meta.dirname, '..');
const isCheck = process.argv.includes('--check');
const MARKED = /<!-- table:([a-z-]+) -->\n[\s\S]*?<!-- \/table -->/g;

const tables: Record<string, () => string> = {
  ...kitTables,
  ...serverTables,
  ...taskTables,
  ...annotationTables,
  ...feedbackTables,
  ...eventTables,
  ...projectTables(root),
};
const used = new Set<string>();

function render(text: string): string {
  return text.replace(MARKED, (_whole, name: string) => {
    const table = tables[name];
    if (table === undefined) {
      throw new Error(`There is no table "${name}". Use one of ${Object.keys(tables).join(', ')}.`);
    }
    used.add(name);
    return `<!-- table:${name} -->\n${table()}\n<!-- /table -->`;
  });
}

const pages = [...readdirSync(root), ...listFiles(root, 'docs')].filter((path) => path.endsWith('.md'));
const changed = pages.filter((path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const rendered = render(text);
  if (rendered === text) return false;
  if (!isCheck) writeFileSync(join(root, path), rendered);
  return true;
});
const unused = Object.keys(tables).filter((name) => !used.has(name));

for (const name of unused) console.error(`No page shows the table "${name}". Add its markers, or remove it.`);
for (const path of changed) {
  if (isCheck) console.error(`${path} does not show what the code says. Run "node scripts/docs-tables.ts".`);
  else console.log(`rewrote ${path}`);
}
if (unused.length > 0 || (isCheck && changed.length > 0)) process.exitCode = 1;
else console.log(`${used.size} tables are as the code says`);
