/** Owns the reference of the tools: which pages there are, and what stands in them. */
import { MANAGEMENT } from '@parley/mesh/name';
import * as z from 'zod';
import { categoryOf } from '../../packages/mesh/src/tools/categories.ts';
import { code, markdownTable } from '../docs-tables/markdown.ts';
import { exampleOf } from './examples.ts';
import { fieldsOf } from './schema-words.ts';
import type { ServedTool } from './served-tools.ts';

const WRITTEN_BY = '<!-- Written by scripts/generate-tool-docs.ts from the definitions. Change those. -->';

/** The files of the reference by their names in `docs/tools`. */
export function toolPages(tools: readonly ServedTool[]): Map<string, string> {
  const pages = Map.groupBy(tools, pageOf);
  const names = [...pages.keys()].toSorted();
  return new Map([
    ['README.md', readme(names.map((name) => [name, pages.get(name) ?? []]))],
    ...names.map((name) => [`${fileOf(name)}.md`, page(name, pages.get(name) ?? [])] as const),
    ['index.json', `${JSON.stringify(tools.map(entryOf), undefined, 2)}\n`],
  ]);
}

/** Management tools have a page for each category, the others one for their toolset. */
function pageOf({ toolset, definition }: ServedTool): string {
  return toolset === MANAGEMENT ? categoryOf(definition.name) : toolset;
}

function fileOf(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}

function entryOf(tool: ServedTool) {
  const { definition, toolset, effect, privileged, unattended } = tool;
  const { name, title, description, annotations } = definition;
  const page = `${fileOf(pageOf(tool))}.md`;
  const more = { ...(privileged !== false && { privileged }), ...(unattended && { unattended: 'block' }) };
  return { name, title, description, toolset, effect, ...more, annotations, page };
}

function readme(pages: readonly (readonly [string, readonly ServedTool[]])[]): string {
  const rows = pages.map(([name, tools]) => [
    `[${name}](${fileOf(name)}.md)`,
    code(tools[0]?.toolset ?? ''),
    tools.map(({ definition }) => code(definition.name)).join(', '),
  ]);
  return `# Reference of the tools

${WRITTEN_BY}

Every tool that the server has, as it serves them; [index.json](index.json) is the same for programs. What the words
mean: [tools](../tools.md). Every tool may answer with the codes \`not_found\`, \`conflict\`, \`forbidden\`, \`invalid\`,
\`rate_limited\` and \`unavailable\`; others stand with the tool.

${markdownTable(['page', 'toolset', 'tools'], rows)}
`;
}

function page(name: string, tools: readonly ServedTool[]): string {
  const heading = tools[0]?.toolset === MANAGEMENT ? name : `Toolset ${name}`;
  return `# ${heading}\n\n${WRITTEN_BY}\n\n${tools.map(section).join('\n')}`;
}

function section(tool: ServedTool): string {
  const { definition, effect, external, literal } = tool;
  const { name, title = '', description = '', annotations = {}, inputSchema, outputSchema } = definition;
  const hints = Object.entries(annotations).filter(([hint]) => hint !== 'title');
  const errors = Object.entries<string>(literal?.errors ?? {});
  const output = literal === undefined ? outputSchema : shapeOf(literal.output as z.ZodType);
  return `## ${name}

**${title}.** ${description}

Effect \`${effect}\`${external ? ', external' : ''}${guardOf(tool)}: ${hints.map(([hint, value]) => `\`${hint}\` ${String(value)}`).join(', ')}.

${fieldTable('Input', inputSchema)}

${fieldTable('Output', output ?? {})}
${
  errors.length === 0
    ? ''
    : `\n${markdownTable(
        ['error', 'meaning'],
        errors.map(([each, words]) => [code(each), words]),
      )}\n`
}
\`\`\`json
${JSON.stringify({ name, arguments: exampleOf(tool) }, undefined, 2)}
\`\`\`
`;
}

function guardOf({ privileged, unattended }: ServedTool): string {
  const named = privileged === 'by-name' ? ', only by its name in a grant' : '';
  return `${privileged === true ? ', privileged' : named}${unattended ? ', blocked while nobody is watching' : ''}`;
}

/** The whole output; over the wire goes an outline of it. */
function shapeOf(output: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(output, { unrepresentable: 'any' });
}

function fieldTable(title: string, schema: Readonly<Record<string, unknown>>): string {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return `${title}: nothing.`;
  return markdownTable(
    [title.toLowerCase(), 'type', ''],
    fields.map(({ name, type, isRequired, description }) => [
      code(isRequired ? name : `${name}?`),
      code(type),
      description,
    ]),
  );
}
