/** What a plugin can ask of its host: each request under one capability, for the agent and organization of its call. */
import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { ToolError } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import * as z from 'zod';
import type { AgentTables } from '../../schema.ts';
import type { Acting } from '../../session.ts';
import type { Capability } from './manifest.ts';
import type { PluginTables } from './schema.ts';

export interface HostCallParts {
  readonly store: Store;
  readonly egress: Egress;
  /** The folder of the project that an agent works on; undefined: it has none. */
  projectRootOf(acting: Acting): Promise<string | undefined>;
}

/** Who asks. */
interface Asking {
  readonly acting: Acting;
  readonly signal: AbortSignal;
}

interface HostCall {
  readonly needs: Capability;
  run(parts: HostCallParts, asking: Asking, args: readonly unknown[]): Promise<unknown>;
}

const MOST_ROWS = 1000;
const MOST_FILE_BYTES = 512 * 1024;
const MOST_ENTRIES = 1000;
const MOST_BODY = 1024 * 1024;

/** Answers one request; throws a `ToolError` that the plugin gets. */
export async function answerHostCall(
  parts: HostCallParts,
  {
    what,
    args,
    granted,
    ...asking
  }: Asking & {
    readonly what: string;
    readonly args: readonly unknown[];
    readonly granted: readonly Capability[];
  },
): Promise<unknown> {
  const call = Object.hasOwn(CALLS, what) ? CALLS[what] : undefined;
  if (call === undefined) throw new ToolError('not_found', 'The host has no such function.');
  if (!granted.includes(call.needs))
    throw new ToolError('forbidden', `The plugin does not have the capability ${call.needs}.`);
  return call.run(parts, asking, args);
}

type View = (store: Store, organizationId: string, limit: number) => Promise<unknown[]>;

const ViewName = z.enum(['agents', 'agent_projects', 'bundles', 'plugins']);

/** The views of `db.read`: rows of the organization of the call, without anything secret. */
const VIEWS: Readonly<Record<z.output<typeof ViewName>, View>> = {
  agents: (store, organizationId, limit) =>
    store
      .db<AgentTables>()
      .selectFrom('agents')
      .select(['id', 'name', 'description', 'created_at'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .limit(limit)
      .execute(),
  agent_projects: (store, organizationId, limit) =>
    store
      .db<AgentTables>()
      .selectFrom('agent_projects')
      .select(['agent_id', 'project_id'])
      .where('organization_id', '=', organizationId)
      .orderBy('agent_id')
      .limit(limit)
      .execute(),
  bundles: (store, organizationId, limit) =>
    store
      .db<AgentTables>()
      .selectFrom('skill_bundles')
      .select(['id', 'name', 'description', 'tools'])
      .where('organization_id', '=', organizationId)
      .orderBy('id')
      .limit(limit)
      .execute(),
  plugins: (store, organizationId, limit) =>
    store
      .db<PluginTables>()
      .selectFrom('plugins')
      .select(['name', 'version', 'status'])
      .where('organization_id', '=', organizationId)
      .orderBy('name')
      .limit(limit)
      .execute(),
};

const Read = z
  .object({ limit: z.int().min(1).max(MOST_ROWS).default(MOST_ROWS) })
  .default({ limit: MOST_ROWS });
const Path = z.string().max(1000);
const Fetch = z
  .object({
    method: z.string().max(20),
    headers: z.record(z.string().max(200), z.string().max(8192)),
    body: z.string().max(MOST_BODY),
  })
  .partial()
  .default({});

const CALLS: Readonly<Record<string, HostCall>> = {
  'db.read': {
    needs: 'db:read',
    async run({ store }, { acting }, args) {
      const view = VIEWS[given(ViewName, args[0], 'view')];
      const { limit } = given(Read, args[1] ?? undefined, 'options');
      return view(store, acting.organizationId, limit);
    },
  },
  fetch: {
    needs: 'network:outbound',
    async run({ egress }, { signal }, args) {
      const url = given(z.string().max(2048), args[0], 'url');
      const init = given(Fetch, args[1] ?? undefined, 'options');
      try {
        const answer = await egress.fetch(url, { ...init, signal });
        const body = await answer.text();
        if (body.length > MOST_BODY)
          throw new ToolError('too_large', `The answer has more than ${MOST_BODY} characters.`);
        return { status: answer.status, url: answer.url, headers: Object.fromEntries(answer.headers), body };
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        throw new ToolError(error.code === 'not_allowed' ? 'blocked_address' : error.code, error.message);
      }
    },
  },
  'project.read': {
    needs: 'fs:project-dir',
    async run(parts, { acting }, args) {
      const path = await inProject(parts, acting, given(Path, args[0], 'path'));
      return readText(path);
    },
  },
  'project.list': {
    needs: 'fs:project-dir',
    async run(parts, { acting }, args) {
      const path = await inProject(parts, acting, given(Path, args[0] ?? '.', 'path'));
      const entries = await readdir(path, { withFileTypes: true }).catch(() => {
        throw noSuchFile();
      });
      return entries
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .slice(0, MOST_ENTRIES)
        .map((entry) => ({ name: entry.name, type: entry.isFile() ? 'file' : 'folder' }));
    },
  },
  'agents.list': {
    needs: 'agent:read',
    run: ({ store }, { acting }) => publicAgents(store, acting.organizationId).limit(MOST_ROWS).execute(),
  },
  'agents.get': {
    needs: 'agent:read',
    async run({ store }, { acting }, args) {
      const id = given(z.string().max(128), args[0], 'id');
      const found = await publicAgents(store, acting.organizationId).where('id', '=', id).executeTakeFirst();
      return found ?? null;
    },
  },
  'session.get': {
    needs: 'session:read',
    run: async (_parts, { acting: { sessionId, projectId, source, depth, unattended } }) => ({
      id: sessionId ?? null,
      project_id: projectId ?? null,
      source,
      depth,
      unattended,
    }),
  },
};

function publicAgents(store: Store, organizationId: string) {
  return store
    .db<AgentTables>()
    .selectFrom('agents')
    .select(['id', 'name', 'description', 'account_id'])
    .where('organization_id', '=', organizationId)
    .orderBy('id');
}

function given<Schema extends z.ZodType>(schema: Schema, value: unknown, name: string): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ToolError('invalid', `${name}: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
}

/** The real path of something in the project; whatever is outside answers as if it were not there. */
async function inProject({ projectRootOf }: HostCallParts, acting: Acting, path: string): Promise<string> {
  const root = await projectRootOf(acting);
  if (root === undefined) throw new ToolError('unavailable', 'This session has no project with a folder.');
  const [realRoot, real] = await Promise.all([realpath(root), realpath(resolve(root, path))]).catch(() => {
    throw noSuchFile();
  });
  if (real !== realRoot && !real.startsWith(realRoot + sep)) throw noSuchFile();
  return real;
}

async function readText(path: string): Promise<string> {
  // A link that came there since is not followed, and nothing waits for a pipe.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => {
    throw noSuchFile();
  });
  try {
    const { size, isFile } = await file
      .stat()
      .then((stats) => ({ size: stats.size, isFile: stats.isFile() }));
    if (!isFile) throw noSuchFile();
    if (size > MOST_FILE_BYTES)
      throw new ToolError('too_large', `The file has more than ${MOST_FILE_BYTES} bytes.`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function noSuchFile(): ToolError {
  return new ToolError('not_found', 'There is no such file in the project.');
}
