/** Code navigation: symbols and references in the code of the projects that an agent reaches, and in nothing else. */
import { realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolError } from '@parley/kit';
import type { Acting } from '../../session.ts';
import type { RecordViolation } from '../violations.ts';
import { isWithin } from '../projects/code-folder.ts';
import type { Projects, ProjectWithCode, ReachedProject } from '../projects/projects.ts';
import type { CodeReaders } from './code-readers.ts';
import type { CountsAnswer, ReferencesAnswer, SymbolKind, SymbolsAnswer } from './messages.ts';

const COUNTING_MS = 30_000;

/** A question of an agent. */
interface Asking {
  readonly projectDir?: string | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Code {
  symbols(
    acting: Acting,
    asked: Asking & { readonly query: string; readonly kinds?: readonly SymbolKind[] | undefined },
  ): Promise<SymbolsAnswer>;
  references(acting: Acting, asked: Asking & { readonly name: string }): Promise<ReferencesAnswer>;
  /** What can be counted in the files of a project; undefined where it has none, or too many. */
  counts(project: ProjectWithCode): Promise<CountsAnswer | undefined>;
}

export interface CodeParts {
  readonly projects: Projects;
  readonly readers: CodeReaders;
  readonly dataDir: string;
  readonly recordViolation: RecordViolation;
}

interface Place {
  readonly root: string;
  readonly below: string;
}

export function createCode({ projects, readers, dataDir, recordViolation }: CodeParts): Code {
  const excluded = async () => [await realpath(dataDir).catch(() => dataDir)];
  const scopeOf = async (acting: Acting, projectDir: string | undefined) => ({
    ...(await placeOf(acting, projectDir)),
    excluded: await excluded(),
  });

  async function placeOf(acting: Acting, projectDir: string | undefined): Promise<Place> {
    const reached = await projects.reachedBy(acting);
    const current = reached.find(({ isDefault }) => isDefault);
    if (projectDir === undefined) {
      if (current === undefined)
        throw new ToolError(
          'no_project',
          'You have no default project. Name one as project_dir; corvid_list_projects lists them.',
        );
      return { root: (await projects.requiredCode(current)).folder, below: '' };
    }
    const named = reached.find(({ id }) => id === projectDir);
    if (named !== undefined) return { root: (await projects.requiredCode(named)).folder, below: '' };
    return folderWithin(acting, projectDir, reached, current);
  }

  /** A root or a folder below one; whatever else is asked for, the answer says nothing about it. */
  async function folderWithin(
    acting: Acting,
    projectDir: string,
    reached: readonly ReachedProject[],
    current: ReachedProject | undefined,
  ): Promise<Place> {
    const roots: string[] = [];
    for (const project of reached) {
      const code = await projects.usableCode(project);
      if (code !== undefined) roots.push(code.folder);
    }
    const base = current && (await projects.usableCode(current))?.folder;
    const wanted = lexical(projectDir, base);
    const root = wanted && longest(roots.filter((each) => isWithin(wanted, each)));
    if (wanted === undefined || root === undefined) {
      if (wanted !== undefined) await escaped(acting, 'a folder outside its projects');
      throw outside();
    }
    // Absent or not readable: that it is so is not told.
    const real = await realpath(wanted).catch(() => undefined);
    if (real === undefined) throw outside();
    if (!isWithin(real, root)) {
      await escaped(acting, 'a link that leads out of a project');
      throw outside();
    }
    return { root, below: relative(root, real).split(sep).join('/') };
  }

  const escaped = ({ organizationId, agentId }: Acting, detail: string) =>
    recordViolation({ organizationId, agentId }, 'path_escape', detail);

  return {
    async symbols(acting, { projectDir, query, kinds, limit, signal }) {
      const scope = await scopeOf(acting, projectDir);
      return readers.ask({ type: 'symbols', scope, query, kinds, limit }, signal);
    },
    async references(acting, { projectDir, name, limit, signal }) {
      const scope = await scopeOf(acting, projectDir);
      return readers.ask({ type: 'references', scope, name, limit }, signal);
    },
    async counts(project) {
      const code = await projects.usableCode(project);
      if (code === undefined) return undefined;
      const scope = { root: code.folder, below: '', excluded: await excluded() };
      try {
        return await readers.ask({ type: 'counts', scope }, AbortSignal.timeout(COUNTING_MS));
      } catch (error) {
        // What is too large, or takes too long, is not known.
        if (error instanceof ToolError || (error instanceof DOMException && error.name === 'TimeoutError'))
          return undefined;
        throw error;
      }
    },
  };
}

/** The path as it is written, without looking at the disk; undefined when it cannot be one. */
function lexical(path: string, base: string | undefined): string | undefined {
  if (path.includes('\0')) return undefined;
  if (isAbsolute(path)) return resolve(path);
  return base === undefined ? undefined : join(base, path);
}

function longest(paths: readonly string[]): string | undefined {
  return paths.toSorted((one, other) => other.length - one.length)[0];
}

function outside(): ToolError {
  return new ToolError(
    'outside_project',
    'project_dir: must be the id of a project that you reach, its root, or a folder below it',
  );
}
