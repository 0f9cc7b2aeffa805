/** Routes of bundles, and of the bundles that agents and projects have. */
import { created, nothing, one, whole } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import type { SavedBundle, Bundle as StoredBundle } from '../services/bundles.ts';
import { BUNDLE_LIMITS } from '../services/bundles.ts';
import type { SkillOwner } from '../services/skills.ts';
import { defineRoute } from './route.ts';

const Bundle = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tools: z.array(z.string()),
  prompt_additions: z.string(),
  preset: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
const Saved = Bundle.extend({ warnings: z.array(z.string()) });

const Facts = z.strictObject({
  name: z.string().trim().min(1).max(BUNDLE_LIMITS.name),
  description: z.string().max(BUNDLE_LIMITS.description),
  tools: z
    .array(
      z.string().regex(/^[A-Za-z0-9_\-:.]{1,100}$/, 'must have 1 to 100 letters, digits, or any of _ - : .'),
    )
    .max(BUNDLE_LIMITS.tools),
  prompt_additions: z.string().max(BUNDLE_LIMITS.prompt).describe('What an agent with the bundle is told'),
});
const New = Facts.extend({
  description: Facts.shape.description.default(''),
  tools: Facts.shape.tools.default([]),
  prompt_additions: Facts.shape.prompt_additions.default(''),
});

const shown = (bundle: StoredBundle) => ({ ...bundle, tools: [...bundle.tools] });
const saved = ({ bundle, warnings }: SavedBundle) => ({ ...shown(bundle), warnings: [...warnings] });
const notFound = () => new ToolError('not_found', 'Bundle not found');

export const bundleRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The bundles of the organization, by name',
    who: 'team',
    grants: ['agents_read'],
    answer: whole('Bundle', Bundle),
    run: async ({ services, caller }) => (await services.bundles.list(caller.organizationId)).map(shown),
  }),
  defineRoute({
    method: 'POST',
    path: '/',
    summary: 'Make a bundle',
    who: 'team',
    grants: ['agents_manage'],
    body: New,
    answer: created('SavedBundle', Saved, ({ id }) => `/api/skill-bundles/${id}`),
    run: async ({ services, caller, body }) => saved(await services.bundles.create(caller, body)),
  }),
  defineRoute({
    method: 'GET',
    path: '/:id',
    summary: 'One bundle',
    who: 'team',
    grants: ['agents_read'],
    answer: one('Bundle', Bundle),
    async run({ services, caller, params }) {
      const bundle = await services.bundles.get(caller.organizationId, params.id);
      if (bundle === undefined) throw notFound();
      return shown(bundle);
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/:id',
    summary: 'Change a bundle; what is absent stays',
    who: 'team',
    grants: ['agents_manage'],
    body: Facts.partial(),
    answer: one('SavedBundle', Saved),
    run: async ({ services, caller, params, body }) =>
      saved(await services.bundles.update(caller, params.id, body)),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id',
    summary: 'Delete a bundle that is no preset',
    who: 'team',
    grants: ['agents_manage'],
    answer: nothing,
    async run({ services, caller, params }) {
      if (!(await services.bundles.delete(caller, params.id))) throw notFound();
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/:id/reset',
    summary: 'Set a preset back to what it began as',
    who: 'team',
    grants: ['agents_manage'],
    effect: 'update',
    answer: one('SavedBundle', Saved),
    run: async ({ services, caller, params }) => saved(await services.bundles.reset(caller, params.id)),
  }),
];

const Given = z.object({ bundle_id: z.string(), sort_order: z.int() });
const Skill = Given.extend({ name: z.string(), tools: z.array(z.string()) });
const Giving = z.strictObject({
  bundle_id: z.string().min(1).max(128),
  sort_order: z.int().min(0).max(1_000_000).default(0),
});

/** The same three routes below agents and below projects. */
function skillRoutes(kind: SkillOwner['kind'], prefix: string) {
  return [
    defineRoute({
      method: 'GET',
      path: '/:id/skills',
      summary: 'The bundles that it has, in their order',
      who: 'team',
      grants: ['agents_read'],
      answer: whole('Skill', Skill),
      run: async ({ services, caller, params: { id } }) =>
        (await services.skills.list(caller.organizationId, { kind, id })).map((skill) => ({
          ...skill,
          tools: [...skill.tools],
        })),
    }),
    defineRoute({
      method: 'POST',
      path: '/:id/skills',
      summary: 'Give a bundle, or move one that is given',
      who: 'team',
      grants: ['agents_manage'],
      body: Giving,
      answer: created('GivenSkill', Given, (_made, { id }) => `${prefix}/${id}/skills`),
      run: ({ services, caller, params: { id }, body }) =>
        services.skills.assign(
          caller,
          { kind, id },
          { bundleId: body.bundle_id, sortOrder: body.sort_order },
        ),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/:id/skills/:bundleId',
      summary: 'Take a bundle back',
      who: 'team',
      grants: ['agents_manage'],
      answer: nothing,
      async run({ services, caller, params: { id, bundleId } }) {
        if (!(await services.skills.remove(caller, { kind, id }, bundleId))) throw notFound();
      },
    }),
  ];
}

export const agentSkillRoutes = skillRoutes('agent', '/api/agents');
export const projectSkillRoutes = skillRoutes('project', '/api/projects');
