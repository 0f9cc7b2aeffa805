/** What is known of the code below one root: which files there are, and the symbols in each; it follows the disk. */
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { join } from 'node:path';
import { FolderWatch } from './folder-watch.ts';
import type { Rules } from './ignore-rules.ts';
import { isIgnored, isSkippedName, MAX_RULES_BYTES, rulesBelow } from './ignore-rules.ts';
import type { CodeScope, CodeSymbol, GivenUpFile, IndexState } from './messages.ts';
import { readWithin } from './safe-read.ts';
import type { Parse } from './symbols.ts';
import { isParsable, languageOf, symbolsOf } from './symbols.ts';

export const MAX_FILES = 20_000;
export const MAX_FILE_BYTES = 512 * 1024;
const MAX_DEPTH = 64;
const SNIFF_BYTES = 8192;
// A file system may give two changes in a row the same time.
const SETTLED_MS = 2000;
const FRESH_MS = 500;

/** There is more below a root than is looked at. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

interface Settled {
  size: number;
  mtimeMs: number;
  readAt: number;
}

interface IndexedFile extends Settled {
  /** Undefined: it is left out, such as for its size. */
  symbols: readonly CodeSymbol[] | undefined;
  /** The names in lower case, as queries compare them. */
  lower: readonly string[];
}

interface Folder extends Settled {
  files: string[];
  folders: string[];
  linksOut: number;
  rules: Rules;
  /** What `.gitignore` was like; empty: there is none. */
  rulesMark: string;
}

export interface RootParts {
  readonly parse: Parse;
  /** Told of a file before it is parsed, and of none after it. */
  readonly onParsing: (file: GivenUpFile | undefined) => void;
  readonly now: () => number;
}

/** Asked by one thread, one question at a time. */
export class RootIndex {
  readonly #root: string;
  readonly #parts: RootParts;
  #folders = new Map<string, Folder>();
  #files = new Map<string, IndexedFile>();
  #sorted: readonly string[] = [];
  #checkedAt = -Infinity;
  readonly #watch: FolderWatch;

  constructor(root: string, parts: RootParts) {
    this.#root = root;
    this.#parts = parts;
    this.#watch = new FolderWatch(root);
  }

  /** The files below a folder with their symbols, by path, as they are on the disk now. */
  *files(scope: CodeScope): Generator<readonly [path: string, file: IndexedFile]> {
    const start = scope.below === '' ? '' : `${scope.below}/`;
    for (const path of this.#sorted) {
      const file = this.#files.get(path);
      if (path.startsWith(start) && file?.symbols !== undefined) yield [path, file];
    }
  }

  state(): IndexState {
    let files = 0;
    for (const { symbols } of this.#files.values()) if (symbols !== undefined) files += 1;
    let skipped = this.#files.size - files;
    for (const { linksOut } of this.#folders.values()) skipped += linksOut;
    return { files, skipped, ageMs: Math.max(0, this.#parts.now() - this.#checkedAt) };
  }

  /** Text of a file that was found; undefined when it is no longer there as it was. */
  read(path: string): Buffer | undefined {
    return readWithin(join(this.#root, path), MAX_FILE_BYTES);
  }

  /** Looks at the size and the time of everything, and reads what has changed. */
  refresh(scope: CodeScope): void {
    const startedAt = this.#parts.now();
    if (startedAt - this.#checkedAt < FRESH_MS && !this.#watch.hasNews) return;
    const changed = this.#watch.takeNews();
    const walk = new Walk(this.#root, scope, { before: this.#folders, changed, now: startedAt });
    walk.visit('', { rules: [], isNew: false, depth: 0 });
    const files = new Map<string, IndexedFile>();
    let kept = 0;
    for (const [path, facts] of walk.files) {
      const known = this.#files.get(path);
      if (known !== undefined) kept += 1;
      const isSame = known !== undefined && !changed.has(path) && isSettledAs(known, facts);
      files.set(path, isSame ? known : this.#index(path, facts, scope));
    }
    if (kept !== files.size || kept !== this.#files.size) this.#sorted = [...files.keys()].toSorted();
    this.#files = files;
    this.#folders = walk.folders;
    this.#watch.follow(walk.folders.keys());
    this.#checkedAt = startedAt;
  }

  close(): void {
    this.#watch.close();
  }

  #index(path: string, { size, mtimeMs }: Stats, { givenUp }: CodeScope): IndexedFile {
    const { parse, onParsing, now } = this.#parts;
    const left = { size, mtimeMs, readAt: now(), symbols: undefined, lower: [] };
    if (size > MAX_FILE_BYTES) return left;
    if (givenUp.some((file) => file.path === path && file.mtimeMs === mtimeMs)) return left;
    const language = languageOf(path);
    const full = join(this.#root, path);
    const bytes = readWithin(full, language === undefined ? SNIFF_BYTES : MAX_FILE_BYTES);
    if (bytes === undefined || bytes.subarray(0, SNIFF_BYTES).includes(0)) return left;
    if (language === undefined) return { ...left, symbols: [] };
    const text = bytes.toString('utf8');
    if (!isParsable(text)) return left;
    onParsing({ path, mtimeMs });
    const symbols = symbolsOf(parse, path, language, text);
    onParsing(undefined);
    return { ...left, symbols, lower: symbols.map(({ name }) => name.toLowerCase()) };
  }
}

function isSettledAs(known: Settled, { size, mtimeMs }: Pick<Stats, 'size' | 'mtimeMs'>): boolean {
  return known.size === size && known.mtimeMs === mtimeMs && known.readAt - mtimeMs > SETTLED_MS;
}

interface Visit {
  readonly rules: Rules;
  /** What was known of the folder does not count any more. */
  readonly isNew: boolean;
  readonly depth: number;
}

/** What was there at the last look, and what somebody said has changed since. */
interface Known {
  readonly before: ReadonlyMap<string, Folder>;
  readonly changed: ReadonlySet<string>;
  readonly now: number;
}

/** One look at everything below a root. */
class Walk {
  readonly files = new Map<string, Stats>();
  readonly folders = new Map<string, Folder>();
  readonly #root: string;
  readonly #excluded: ReadonlySet<string>;
  readonly #known: Known;

  constructor(root: string, { excluded }: CodeScope, known: Known) {
    this.#root = root;
    this.#excluded = new Set(excluded);
    this.#known = known;
  }

  visit(path: string, how: Visit): void {
    const full = path === '' ? this.#root : `${this.#root}/${path}`;
    const facts = factsOf(full);
    if (facts?.isDirectory() !== true || how.depth > MAX_DEPTH || this.#excluded.has(full)) return;
    const { folder, isNew } = this.#folder(path, facts, how);
    this.folders.set(path, folder);
    if (this.folders.size > MAX_FILES) throw new TooLarge();
    const base = path === '' ? '' : `${path}/`;
    for (const name of folder.files) {
      const file = factsOf(`${full}/${name}`);
      if (file?.isFile() === true) this.files.set(`${base}${name}`, file);
      if (this.files.size > MAX_FILES) throw new TooLarge();
    }
    for (const name of folder.folders)
      this.visit(`${base}${name}`, { rules: folder.rules, isNew, depth: how.depth + 1 });
  }

  #folder(path: string, facts: Stats, { rules, isNew }: Visit): { folder: Folder; isNew: boolean } {
    const { before, changed, now } = this.#known;
    const known = isNew ? undefined : before.get(path);
    const rulesFile = join(this.#root, path, '.gitignore');
    const mark = markOf(factsOf(rulesFile), now);
    const isSame =
      known !== undefined &&
      !changed.has(path) &&
      mark !== undefined &&
      mark === known.rulesMark &&
      isSettledAs(known, facts);
    if (isSame) return { folder: known, isNew: false };
    const text = mark === '' ? undefined : readWithin(rulesFile, MAX_RULES_BYTES)?.toString('utf8');
    const base = path === '' ? '' : `${path}/`;
    const own = text === undefined ? rules : rulesBelow(rules, base, text);
    const { size, mtimeMs } = facts;
    const entries = this.#entries(path, own);
    const folder = { size, mtimeMs, readAt: now, ...entries, rules: own, rulesMark: mark ?? '?' };
    // Other rules count for everything below.
    return { folder, isNew: isNew || known?.rulesMark !== folder.rulesMark };
  }

  #entries(path: string, rules: Rules): Pick<Folder, 'files' | 'folders' | 'linksOut'> {
    const found: Pick<Folder, 'files' | 'folders' | 'linksOut'> = { files: [], folders: [], linksOut: 0 };
    const base = path === '' ? '' : `${path}/`;
    for (const entry of entriesOf(join(this.#root, path))) {
      const { name } = entry;
      const own = `${base}${name}`;
      if (isSkippedName(name)) continue;
      if (entry.isSymbolicLink()) {
        // What a link inside leads to is found where it is.
        if (!this.#isInside(join(this.#root, own))) found.linksOut += 1;
      } else if (entry.isDirectory()) {
        if (!isIgnored(rules, `${own}/`)) found.folders.push(name);
      } else if (entry.isFile() && !isIgnored(rules, own)) found.files.push(name);
    }
    return found;
  }

  #isInside(link: string): boolean {
    try {
      const real = realpathSync.native(link);
      return real === this.#root || real.startsWith(`${this.#root}/`);
    } catch {
      return false;
    }
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone or not readable: nothing is in it for us.
    return [];
  }
}

function factsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** What tells one state of a file from another; undefined: it may change without showing it. */
function markOf(facts: Stats | undefined, now: number): string | undefined {
  if (facts?.isFile() !== true) return '';
  return now - facts.mtimeMs > SETTLED_MS ? `${facts.size} ${facts.mtimeMs}` : undefined;
}
