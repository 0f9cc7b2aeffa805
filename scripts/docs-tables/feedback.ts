/** Owns the tables about feedback: tools of both tiers, documents, routes and errors of REST. */
import { feedbackToolset, restErrors, restRoutes } from '@parley/feedback';
import { code, markdownTable } from './markdown.ts';

const routes = await restRoutes();

function toolTable(isPrivileged: boolean): string {
  const tools = feedbackToolset.tools.filter((tool) => (tool.privileged === undefined) !== isPrivileged);
  return markdownTable(
    ['tool', 'effect', 'input', 'what it does'],
    tools.map((tool) => [
      code(tool.name),
      code(tool.effect),
      Object.keys(tool.input.shape).map(code).join(', '),
      tool.description,
    ]),
  );
}

/** The tables by the name in their markers. */
export const feedbackTables: Record<string, () => string> = {
  'feedback-tools': () => toolTable(false),
  'feedback-second-tier': () => toolTable(true),
  'feedback-resources': () =>
    markdownTable(
      ['URI', 'content'],
      (feedbackToolset.resources ?? []).map(({ uri, description }) => [code(uri), description]),
    ),
  'feedback-routes': () =>
    markdownTable(
      ['route', 'what it does', 'for', 'grant'],
      routes.map(({ method, path, summary, who, grants }) => [
        code(`${method} ${path}`),
        summary,
        who === 'admin' ? 'administrators' : 'the team',
        grants.map(code).join(' or '),
      ]),
    ),
  'feedback-errors': () =>
    markdownTable(
      ['code', 'status'],
      Object.entries(restErrors).map(([name, status]) => [code(name), String(status)]),
    ),
};
