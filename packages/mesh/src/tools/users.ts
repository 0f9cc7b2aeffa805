/** Tools on people. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';

export const userGet = defineTool({
  name: 'USER_GET',
  title: 'Get User',
  description: 'One person who shares your organization.',
  effect: 'read',
  input: z.object({ id: z.string().min(1).max(64).describe('Id of the user') }),
  output: z.object({
    user: z
      .object({
        id: z.string(),
        name: z.string(),
        email: z.string().nullable(),
        image: z.string().nullable(),
      })
      .nullable(),
  }),
  run: async ({ id }, { services, caller }) => ({
    user: await services.people.find(caller.organizationId, id),
  }),
});
