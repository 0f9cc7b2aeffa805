/** The console's weight, as it is served: the first load, and what each screen adds. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt, ROOT } from '../product/build.ts';

const DIST = join(ROOT, 'apps/console/dist');
const FIRST_SCRIPT_BYTES = 250_000;
const FIRST_STYLE_BYTES = 20_000;
const SCREEN_BYTES = 80_000;
const HEAVY_BYTES = 150_000;
/** Parts that load with the first screen that needs them. */
const HEAVY = /\/(code-editor|graph|chart)-loaded\.tsx$|lang-javascript/;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
}
type Manifest = Readonly<Record<string, Chunk>>;

let manifest: Manifest;

beforeAll(async () => {
  await ensureBuilt();
  manifest = JSON.parse(readFileSync(join(DIST, '.vite/manifest.json'), 'utf8')) as Manifest; // as the build writes it
});

/** The names of a chunk and of all that loads with it. */
function withImports(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const inner of manifest[name]?.imports ?? []) withImports(inner, found);
  return found;
}

function weigh(names: Iterable<string>): { script: number; style: number } {
  const files = [...names].flatMap((name) => [manifest[name]?.file ?? '', ...(manifest[name]?.css ?? [])]);
  const sum = (ending: string) =>
    [...new Set(files)]
      .filter((file) => file.endsWith(ending))
      .reduce((bytes, file) => bytes + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0);
  return { script: sum('.js'), style: sum('.css') };
}

describe('the console', () => {
  const first = () => withImports('index.html');

  test('loads at most 250 kB of script and 20 kB of styles at first', () => {
    const { script, style } = weigh(first());
    expect(script).toBeLessThanOrEqual(FIRST_SCRIPT_BYTES);
    expect(style).toBeLessThanOrEqual(FIRST_STYLE_BYTES);
  });

  test('adds at most 80 kB with a screen, and 150 kB with an editor, a graph or a chart', () => {
    const later = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry);
    expect(later.length).toBeGreaterThan(15);
    const known = first();
    const tooHeavy = later.flatMap((name) => {
      const { script, style } = weigh([...withImports(name)].filter((inner) => !known.has(inner)));
      const most = HEAVY.test(name) ? HEAVY_BYTES : SCREEN_BYTES;
      return script + style > most ? [`${name}: ${script + style} bytes`] : [];
    });
    expect(tooHeavy).toEqual([]);
  });

  test('is compressed ahead, and holds no evaluation of text', () => {
    for (const name of first()) {
      const { file } = manifest[name]!;
      const text = readFileSync(join(DIST, file), 'utf8');
      if (text.length > 1_024) expect(existsSync(join(DIST, `${file}.br`))).toBe(true);
      expect(text).not.toMatch(/\beval\(|new Function\(/);
    }
  });
});
