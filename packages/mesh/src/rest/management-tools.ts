/** The route that tells which management tools there are, for screens on which people choose what a key or role may do. */
import { bare, defineRouteFor } from '@parley/http/rest';
import * as z from 'zod';
import { CATEGORIES, categoryOf } from '../tools/categories.ts';
import { meshTools } from '../tools/index.ts';

const Tool = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  category: z.string(),
  privileged: z.boolean(),
  /** The title, with a warning where the tool is privileged. */
  label: z.string(),
});

const ManagementTools = z.object({
  tools: z.array(Tool),
  /** Their names by category. */
  grouped: z.record(z.string(), z.array(z.string())),
});

export const managementToolsRoute = defineRouteFor<unknown>()({
  method: 'GET',
  path: '/',
  summary: 'Management tools with their categories',
  who: 'team',
  // Whoever looks at keys chooses what they may do.
  grants: ['API_KEY_LIST'],
  answer: bare('ManagementTools', ManagementTools),
  run: async () => managementTools(),
});

function managementTools(): z.infer<typeof ManagementTools> {
  const tools = meshTools.map(({ name, title, description, privileged = false }) => ({
    name,
    title,
    description,
    category: categoryOf(name),
    privileged: privileged !== false,
    label: privileged === false ? title : `${title} (dangerous)`,
  }));
  const grouped = Object.keys(CATEGORIES).map((category) => {
    const names = tools.filter((tool) => tool.category === category).map(({ name }) => name);
    return [category, names] as const;
  });
  return { tools, grouped: Object.fromEntries(grouped) };
}
