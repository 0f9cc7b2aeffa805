/** Wire definitions of resources and prompts. */
import type {
  Prompt as WirePrompt,
  Resource as WireResource,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { AnyPrompt } from '../define/prompt.ts';
import type { AnyResource } from '../define/resource.ts';

/** A fixed resource as `resources/list` shows it. */
export function resourceDefinition(resource: AnyResource): WireResource {
  const { name, title, description, uri, mimeType } = resource;
  return { uri, name, title, description, ...(mimeType !== undefined && { mimeType }) };
}

/** A template as `resources/templates/list` shows it. */
export function templateDefinition(resource: AnyResource): ResourceTemplateType {
  const { name, title, description, uri, mimeType } = resource;
  return { uriTemplate: uri, name, title, description, ...(mimeType !== undefined && { mimeType }) };
}

/** A prompt as `prompts/list` shows it. */
export function promptDefinition(prompt: AnyPrompt): WirePrompt {
  const { name, title, description } = prompt;
  // Any Zod field has both.
  const fields = Object.entries(
    prompt.arguments.shape as Record<string, { description?: string; isOptional(): boolean }>,
  );
  const args = fields.map(([field, schema]) => ({
    name: field,
    ...(schema.description !== undefined && { description: schema.description }),
    required: !schema.isOptional(),
  }));
  return { name, title, description, ...(args.length > 0 && { arguments: args }) };
}
