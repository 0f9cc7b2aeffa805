/** The session that an agent acts in. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';

export const extendTimeout = defineTool({
  name: 'corvid_extend_timeout',
  title: 'Extend timeout',
  description: 'Asks for more time before your session is ended.',
  effect: 'update',
  input: z.strictObject({ minutes: z.number().describe('From now; 1 to 120') }),
  output: z.object({ granted_minutes: z.number(), ends_at: z.string() }),
  run: ({ minutes }, { services }, acting) => services.sessions.extend(acting, minutes),
});
