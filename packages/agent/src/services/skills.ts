/** Which bundles agents and projects have; nobody assigns a bundle that is stronger than they are. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import { bundlesOfAgent, bundlesOfProject, publicIdOf } from '../permissions/given-bundles.ts';
import { agentRow } from '../permissions/lookup.ts';
import type { AgentTables } from '../schema.ts';
import type { AgentsParts } from './agents.ts';
import { checkTools, tellRights } from './agents.ts';
import { bundleRow, lockedBundle, refuseMoreThan } from './bundles.ts';

/** Who has bundles. */
export interface SkillOwner {
  readonly kind: 'agent' | 'project';
  readonly id: string;
}

/** A bundle of somebody, in its place. */
export interface Skill {
  readonly bundle_id: string;
  readonly sort_order: number;
  readonly name: string;
  readonly tools: readonly string[];
}

export interface Skills {
  /** In their order. */
  list(organizationId: string, owner: SkillOwner): Promise<Skill[]>;
  /** Gives a bundle, or moves one that is given already. */
  assign(
    by: Caller,
    owner: SkillOwner,
    given: { readonly bundleId: string; readonly sortOrder: number },
  ): Promise<Pick<Skill, 'bundle_id' | 'sort_order'>>;
  /** False: it was not given. */
  remove(by: Caller, owner: SkillOwner, bundleId: string): Promise<boolean>;
}

const MAX_SKILLS = 20;

const TITLES = { agent: 'Agent', project: 'Project' } as const;

export function createSkills(parts: AgentsParts): Skills {
  const { store, identity, now } = parts;
  const requireOwner = async (from: Queryable, organizationId: string, { kind, id }: SkillOwner) => {
    const isThere =
      kind === 'agent'
        ? (await agentRow(from, organizationId, id)) !== undefined
        : await parts.projectExists(organizationId, id);
    if (!isThere) throw new ToolError('not_found', `${TITLES[kind]} not found`);
  };
  const tell = async (
    tx: StoreTransaction,
    caller: Caller,
    { kind, id }: SkillOwner,
    act: { readonly verb: 'given' | 'taken'; readonly bundle: string },
  ) => {
    const entry = { caller, action: `bundle.${act.verb}`, target: act.bundle, changed: { [kind]: id } };
    await identity.audit.write(tx, entry);
    await tellRights(tx, caller.organizationId);
  };
  return {
    async list(organizationId, owner) {
      await requireOwner(store, organizationId, owner);
      return skillsOf(store, organizationId, owner);
    },
    async assign(by, owner, { bundleId, sortOrder: sort_order }) {
      requireLasting(by, 'bundles');
      const { organizationId } = by;
      await requireOwner(store, organizationId, owner);
      return store.transaction(async (tx) => {
        await tx.exclusive(`skills ${owner.kind} ${owner.id}`);
        const bundle = await lockedBundle(tx, organizationId, bundleId);
        checkTools(parts, by, fromJson<string[]>(bundle.tools));
        const bundle_id = publicIdOf(bundle);
        const others = (await skillsOf(tx, organizationId, owner)).filter(
          (skill) => skill.bundle_id !== bundle_id,
        );
        refuseMoreThan(MAX_SKILLS, others.length);
        await insert(tx, owner, { organizationId, bundleId: bundle.id, sort_order, at: now() });
        await tell(tx, by, owner, { verb: 'given', bundle: bundle_id });
        return { bundle_id, sort_order };
      });
    },
    async remove(by, owner, bundleId) {
      const { organizationId } = by;
      await requireOwner(store, organizationId, owner);
      return store.transaction(async (tx) => {
        const bundle = await bundleRow(tx, organizationId, bundleId);
        if (bundle === undefined || !(await remove(tx, owner, organizationId, bundle.id))) return false;
        await tell(tx, by, owner, { verb: 'taken', bundle: publicIdOf(bundle) });
        return true;
      });
    },
  };
}

async function skillsOf(from: Queryable, organizationId: string, { kind, id }: SkillOwner): Promise<Skill[]> {
  const read = kind === 'agent' ? bundlesOfAgent : bundlesOfProject;
  return (await read(from, organizationId, id)).map((bundle) => ({
    bundle_id: bundle.id,
    sort_order: bundle.sortOrder,
    name: bundle.name,
    tools: bundle.tools,
  }));
}

async function insert(
  tx: StoreTransaction,
  { kind, id }: SkillOwner,
  given: {
    readonly organizationId: string;
    readonly bundleId: string;
    readonly sort_order: number;
    readonly at: number;
  },
): Promise<void> {
  const { organizationId: organization_id, bundleId: bundle_id, sort_order, at: created_at } = given;
  const row = { organization_id, bundle_id, sort_order, created_at };
  const db = tx.db<AgentTables>();
  if (kind === 'agent')
    await db
      .insertInto('agent_skills')
      .values({ ...row, agent_id: id })
      .onConflict((conflict) => conflict.columns(['agent_id', 'bundle_id']).doUpdateSet({ sort_order }))
      .execute();
  else
    await db
      .insertInto('project_skills')
      .values({ ...row, project_id: id })
      .onConflict((conflict) => conflict.columns(['project_id', 'bundle_id']).doUpdateSet({ sort_order }))
      .execute();
}

async function remove(
  tx: StoreTransaction,
  { kind, id }: SkillOwner,
  organizationId: string,
  bundleId: string,
): Promise<boolean> {
  const db = tx.db<AgentTables>();
  const gone =
    kind === 'agent'
      ? db.deleteFrom('agent_skills').where('agent_id', '=', id)
      : db.deleteFrom('project_skills').where('project_id', '=', id);
  const { numDeletedRows } = await gone
    .where('organization_id', '=', organizationId)
    .where('bundle_id', '=', bundleId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
