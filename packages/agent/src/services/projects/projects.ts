/** Projects of agents: which ones an agent reaches, and where the code of each lies. */
import type { Identity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import { agentRow } from '../../permissions/lookup.ts';
import type { AgentTables } from '../../schema.ts';
import type { Acting } from '../../session.ts';
import type { AgentsParts } from '../agents.ts';
import { checkProject } from '../agents.ts';
import type { CodeFolders } from './code-folder.ts';
import type { KnownProject, ProjectDirectory } from './directory.ts';
import type { ProjectCodeRow, ProjectTables } from './schema.ts';

/** Where the code of a project lies, and how it is prepared and checked. */
export interface ProjectCode {
  readonly folder: string;
  readonly check: string | null;
  readonly install: string | null;
}

/** A project with its code, as owners see it. */
export interface ProjectWithCode extends KnownProject {
  readonly code: ProjectCode | null;
}

/** A project that an agent reaches. */
export interface ReachedProject extends ProjectWithCode {
  readonly isDefault: boolean;
}

/** Who reaches: an agent in its organization, perhaps in the middle of a project. */
export type Reaching = Pick<Acting, 'organizationId' | 'agentId'> & Partial<Pick<Acting, 'projectId'>>;

export interface Projects {
  list(organizationId: string): Promise<ProjectWithCode[]>;
  /** Sets where the code of a project lies. */
  setCode(
    by: Caller,
    projectId: string,
    code: Partial<ProjectCode> & Pick<ProjectCode, 'folder'>,
  ): Promise<ProjectCode>;
  /** False: there was none. */
  removeCode(by: Caller, projectId: string): Promise<boolean>;
  /** From now on the agent reaches the project. */
  assign(by: Caller, agentId: string, projectId: string): Promise<void>;
  /** False: it did not reach it. */
  unassign(by: Caller, agentId: string, projectId: string): Promise<boolean>;
  /** What an agent reaches, its default first. */
  reachedBy(who: Reaching): Promise<ReachedProject[]>;
  /** The code of a project as it may be used now; undefined where there is none. */
  usableCode(project: ProjectWithCode): Promise<ProjectCode | undefined>;
  /** The same; throws where there is none, and says what to do about it. */
  requiredCode(project: ProjectWithCode): Promise<ProjectCode>;
}

export interface ProjectsParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly directory: ProjectDirectory;
  readonly folders: CodeFolders;
  readonly now: () => number;
  readonly toolNamed: AgentsParts['toolNamed'];
  readonly ready: AgentsParts['ready'];
}

const MAX_COMMAND = 2000;

export function createProjects(parts: ProjectsParts): Projects {
  const { store, identity, directory, folders, now } = parts;
  const codes = async (organizationId: string) => {
    const rows = await store
      .db<ProjectTables>()
      .selectFrom('project_code')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .execute();
    return new Map(rows.map((row) => [row.project_id, codeOf(row)]));
  };
  const list = async (organizationId: string) => {
    const [projects, byProject] = [await directory.list(organizationId), await codes(organizationId)];
    return projects.map((project) => ({ ...project, code: byProject.get(project.id) ?? null }));
  };
  const required = async (organizationId: string, projectId: string) => {
    if ((await directory.get(organizationId, projectId)) === undefined)
      throw new ToolError('not_found', 'Project not found');
  };
  const requiredAgent = async (organizationId: string, agentId: string) => {
    if ((await agentRow(store, organizationId, agentId)) === undefined)
      throw new ToolError('not_found', 'Agent not found');
  };
  const usableCode = async ({ code }: ProjectWithCode): Promise<ProjectCode | undefined> => {
    const folder = code === null ? undefined : await folders.stillAllowed(code.folder);
    return code === null || folder === undefined ? undefined : { ...code, folder };
  };
  /** Why the code of a project cannot be used. */
  const missing = async ({ id, name, code }: ProjectWithCode): Promise<string> => {
    const set = `with: parley projects set-code ${id} --folder DIR`;
    if (code === null) return `The project ${id} has no code folder. An owner sets one ${set}`;
    if (await folders.reaches(code.folder))
      return `The code folder of the project ${name} is gone. An owner sets another ${set}`;
    return `The code of the project ${name} lies outside what this process may read. Start it with --project-root DIR (or PARLEY_PROJECT_ROOT), as the server is.`;
  };
  return {
    list,
    async setCode(by, projectId, given) {
      requireLasting(by, 'the code of projects');
      const { organizationId } = by;
      await required(organizationId, projectId);
      const code = {
        folder: await folders.allowed(given.folder),
        check: checkedCommand('check', given.check),
        install: checkedCommand('install', given.install),
      };
      const at = now();
      const changed = {
        folder: code.folder,
        check_command: code.check,
        install_command: code.install,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        await tx
          .db<ProjectTables>()
          .insertInto('project_code')
          .values({ project_id: projectId, organization_id: organizationId, ...changed, created_at: at })
          .onConflict((conflict) => conflict.column('project_id').doUpdateSet(changed))
          .execute();
        await identity.audit.write(tx, {
          caller: by,
          action: 'project.code_set',
          target: projectId,
          changed: code,
        });
      });
      return code;
    },
    removeCode: (by, projectId) =>
      store.transaction(async (tx) => {
        const gone = await tx
          .db<ProjectTables>()
          .deleteFrom('project_code')
          .where('organization_id', '=', by.organizationId)
          .where('project_id', '=', projectId)
          .returning('project_id')
          .executeTakeFirst();
        if (gone === undefined) return false;
        await identity.audit.write(tx, { caller: by, action: 'project.code_removed', target: projectId });
        return true;
      }),
    async assign(by, agentId, projectId) {
      requireLasting(by, 'agents');
      const { organizationId } = by;
      await requiredAgent(organizationId, agentId);
      await required(organizationId, projectId);
      await parts.ready(organizationId);
      await checkProject(parts, by, projectId);
      await store.transaction(async (tx) => {
        await tx
          .db<AgentTables>()
          .insertInto('agent_projects')
          .values({
            organization_id: organizationId,
            agent_id: agentId,
            project_id: projectId,
            created_at: now(),
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await identity.audit.write(tx, {
          caller: by,
          action: 'agent.project_assigned',
          target: agentId,
          changed: { projectId },
        });
      });
    },
    unassign: (by, agentId, projectId) =>
      store.transaction(async (tx) => {
        const gone = await tx
          .db<AgentTables>()
          .deleteFrom('agent_projects')
          .where('organization_id', '=', by.organizationId)
          .where('agent_id', '=', agentId)
          .where('project_id', '=', projectId)
          .returning('project_id')
          .executeTakeFirst();
        if (gone === undefined) return false;
        await identity.audit.write(tx, {
          caller: by,
          action: 'agent.project_unassigned',
          target: agentId,
          changed: { projectId },
        });
        return true;
      }),
    async reachedBy({ organizationId, agentId, projectId }) {
      const agent = await agentRow(store, organizationId, agentId);
      if (agent === undefined) return [];
      const rows = await store
        .db<AgentTables>()
        .selectFrom('agent_projects')
        .select('project_id')
        .where('organization_id', '=', organizationId)
        .where('agent_id', '=', agentId)
        .execute();
      // A default that somebody gave it is a project that it was given.
      const ids = new Set([...rows.map(({ project_id: id }) => id), agent.default_project_id]);
      const current = projectId !== undefined && ids.has(projectId) ? projectId : agent.default_project_id;
      const reached = (await list(organizationId)).filter(({ id }) => ids.has(id));
      return reached
        .map((project) => ({ ...project, isDefault: project.id === current }))
        .toSorted((one, other) => Number(other.isDefault) - Number(one.isDefault));
    },
    usableCode,
    async requiredCode(project) {
      const code = await usableCode(project);
      if (code === undefined) throw new ToolError('no_project', await missing(project));
      return code;
    },
  };
}

function checkedCommand(field: string, command: string | null | undefined): string | null {
  const text = command?.trim() ?? '';
  if (text === '') return null;
  if (text.length > MAX_COMMAND || text.includes('\0'))
    throw new ToolError('invalid', `${field}: must have at most ${MAX_COMMAND} characters`);
  return text;
}

function codeOf({ folder, check_command: check, install_command: install }: ProjectCodeRow): ProjectCode {
  return { folder, check, install };
}
