/** Routes of the code of projects, for owners. */
import { nothing, one } from '@parley/http/rest';
import { ToolError } from '@parley/kit';
import * as z from 'zod';
import { defineRoute } from './route.ts';

const Code = z.object({
  folder: z.string(),
  check: z.string().nullable().describe('What the shell runs to check work'),
  install: z.string().nullable().describe('What the shell runs first in a new worktree'),
});
const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  code: Code.nullable(),
});

const SetCode = z.strictObject({
  folder: z.string().max(4096),
  check: z.string().max(2000).nullish(),
  install: z.string().max(2000).nullish(),
});

export const projectRoutes = [
  defineRoute({
    method: 'GET',
    path: '/',
    summary: 'The projects of the organization, each with its code',
    who: 'team',
    grants: ['project_code'],
    answer: one('ProjectList', z.object({ projects: z.array(Project) })),
    run: async ({ services, caller }) => ({ projects: await services.projects.list(caller.organizationId) }),
  }),
  defineRoute({
    method: 'PUT',
    path: '/:id/code',
    summary: 'Say where the code of a project lies, and how it is checked',
    isSensitive: true,
    who: 'team',
    grants: ['project_code'],
    body: SetCode,
    answer: one('ProjectCode', Code),
    run: ({ services, caller, params, body: { folder, check = null, install = null } }) =>
      services.projects.setCode(caller, params.id, { folder, check, install }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id/code',
    summary: 'Forget where the code of a project lies; the folder stays',
    who: 'team',
    grants: ['project_code'],
    answer: nothing,
    async run({ services, caller, params }) {
      if (!(await services.projects.removeCode(caller, params.id)))
        throw new ToolError('not_found', 'This project has no code.');
    },
  }),
];

/** Routes below an agent: which projects it reaches. */
export const agentProjectRoutes = [
  defineRoute({
    method: 'PUT',
    path: '/:id/projects/:projectId',
    summary: 'Let an agent reach a project',
    who: 'team',
    grants: ['agents_manage'],
    answer: nothing,
    run: ({ services, caller, params }) => services.projects.assign(caller, params.id, params.projectId),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/:id/projects/:projectId',
    summary: 'Take a project from an agent',
    who: 'team',
    grants: ['agents_manage'],
    answer: nothing,
    async run({ services, caller, params }) {
      if (!(await services.projects.unassign(caller, params.id, params.projectId)))
        throw new ToolError('not_found', 'The agent does not reach this project.');
    },
  }),
];
