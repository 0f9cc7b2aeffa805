/** Which projects an agent reaches. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';

export const listProjects = defineTool({
  name: 'corvid_list_projects',
  title: 'List projects',
  description: 'The projects that you reach; has_code: code tools and work tasks work there.',
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({
    projects: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        is_default: z.boolean(),
        has_code: z.boolean(),
        folder: z.string().optional(),
      }),
    ),
  }),
  async run(_input, { services }, acting) {
    const reached = await services.projects.reachedBy(acting);
    return {
      projects: reached.map(({ id, name, description, isDefault, code }) => ({
        id,
        name,
        description: description ?? '',
        is_default: isDefault,
        has_code: code !== null,
        // Where things lie on the machine is for those who administer it.
        ...(acting.source === 'web' && code !== null && { folder: code.folder }),
      })),
    };
  },
});
