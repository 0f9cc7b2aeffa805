/** Projects with code for the tests of agents: folders on the disk, and a directory that tests fill. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { KnownProject } from '../src/services/projects/directory.ts';
import type { AgentHost } from '../src/toolset.ts';

export interface ProjectBed {
  /** Below it, projects may have their code. */
  readonly root: string;
  readonly dataDir: string;
  readonly parts: Pick<AgentHost, 'projects' | 'dataDir' | 'environment' | 'settings'>;
  /** A new project of an organization; returns its id. */
  project(organizationId: string, name?: string): string;
  /** A new folder with these files; returns its path. */
  folder(name: string, files?: Readonly<Record<string, string>>): string;
  remove(): void;
}

export function projectBed(): ProjectBed {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'parley-projects-')));
  const [root, dataDir] = [join(top, 'root'), join(top, 'data')];
  for (const folder of [root, dataDir]) mkdirSync(folder);
  const known: (KnownProject & { readonly organizationId: string })[] = [];
  const list = async (organizationId: string) =>
    known
      .filter((project) => project.organizationId === organizationId)
      .map(({ id, name, description }) => ({ id, name, description }));
  return {
    root,
    dataDir,
    parts: {
      projects: {
        list,
        get: async (organizationId, wanted) => (await list(organizationId)).find(({ id }) => id === wanted),
      },
      dataDir,
      environment: { PATH: process.env['PATH'] ?? '', HOME: top },
      settings: { projectRoots: [root], workTasks: 'on', codeIndex: 'on' },
    },
    project(organizationId, name = 'Project') {
      const id = `proj_${known.length + 1}_${name.toLowerCase()}`;
      known.push({ id, name, description: null, organizationId });
      return id;
    },
    folder(name, files = {}) {
      const folder = join(root, name);
      mkdirSync(folder, { recursive: true });
      writeFiles(folder, files);
      return folder;
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
