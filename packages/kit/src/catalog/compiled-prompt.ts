/** One prompt as the catalog holds it: its wire definition, and what fills it in and completes it. */
import type { GetPromptResult, Prompt as WirePrompt, PromptMessage } from '@modelcontextprotocol/server';
import { guardOf } from '../access/availability.ts';
import type { Guarded } from '../access/resolver.ts';
import type { Call } from '../call/call.ts';
import { ToolError } from '../call/errors.ts';
import { unkeepableIn } from '../call/json-path.ts';
import { badAnswer, throughRounds } from '../call/outside.ts';
import { refuseUnspecified } from '../call/spec-shape.ts';
import { describeIssues } from '../call/validation.ts';
import { CallContext } from '../channel/call-context.ts';
import type { OutsidePrompt } from '../define/outside-document.ts';
import type { AnyPrompt } from '../define/prompt.ts';
import type { Complete } from './compiled-resource.ts';
import { completeWith } from './compiled-resource.ts';
import type { ShownUri } from './shown-uris.ts';
import { promptInShownUris } from './shown-uris.ts';

/** A prompt ready to be listed, guarded and filled in. */
export interface CatalogPrompt extends Guarded {
  readonly definition: WirePrompt;
  get(args: unknown, call: Call): Promise<GetPromptResult>;
  complete: Complete;
  /** The same under another name. */
  renamed(name: string): CatalogPrompt;
  /** The same, which names documents by the URIs that they are shown under. */
  speaking(shownUri: ShownUri): CatalogPrompt;
}

/** Compiles a prompt; `shown` is the name it is shown under, when that is not its own. */
export function compilePrompt(
  prompt: (AnyPrompt | OutsidePrompt) & { readonly shown?: string },
  toolset: string,
  services: unknown,
  shown = prompt.shown,
  shownUri?: ShownUri,
): CatalogPrompt {
  const { name: own } = prompt;
  const isRenamed = shown !== undefined && shown !== own;
  return {
    ...guardOf(prompt, { name: own, toolset, services }),
    ...(isRenamed && { name: shown, granted: own }),
    definition: {
      ...(prompt.kind === 'prompt' ? promptDefinition(prompt) : prompt.definition),
      ...(isRenamed && { name: shown }),
    },
    async get(args, call) {
      if (prompt.kind === 'prompt') return messagesOf(prompt, args, call, services);
      // The SDK has shown that prompt arguments are texts.
      const given = (args ?? {}) as Record<string, string>;
      return throughRounds(call, services, {
        enter: (outside) => prompt.get(given, outside),
        finished: async (answer) => {
          const result = await promptResultOf(answer);
          return shownUri === undefined ? result : promptInShownUris(result, shownUri);
        },
        abandon: (state) => prompt.abandon?.(state),
      });
    },
    complete: completeWith(prompt, services),
    renamed: (name) => compilePrompt(prompt, toolset, services, name, shownUri),
    speaking: (uris) => compilePrompt(prompt, toolset, services, shown, uris),
  };
}

async function messagesOf(
  prompt: AnyPrompt,
  args: unknown,
  call: Call,
  services: unknown,
): Promise<GetPromptResult> {
  const parsed = prompt.arguments.safeParse(args ?? {});
  if (!parsed.success) throw new ToolError('invalid', describeIssues(parsed.error.issues, args));
  const fault = unkeepableIn(args);
  if (fault !== undefined) throw new ToolError('invalid', fault);
  const given: string | PromptMessage[] = await prompt.get(parsed.data, new CallContext(call, services));
  const messages: PromptMessage[] =
    typeof given === 'string' ? [{ role: 'user', content: { type: 'text', text: given } }] : given;
  return { description: prompt.description, messages };
}

async function promptResultOf(answer: Readonly<Record<string, unknown>>): Promise<GetPromptResult> {
  if (
    !Array.isArray(answer.messages) ||
    answer.messages.some((message) => typeof message !== 'object' || !message)
  )
    throw badAnswer('messages is not a list of messages');
  await refuseUnspecified('GetPromptResult', answer);
  // Just looked at, field by field.
  return answer as GetPromptResult;
}

function promptDefinition({ name, title, description, arguments: shape, _meta }: AnyPrompt): WirePrompt {
  // Any Zod field has both.
  const fields = Object.entries(
    shape.shape as Record<string, { description?: string; isOptional(): boolean }>,
  );
  const args = fields.map(([field, schema]) => ({
    name: field,
    ...(schema.description !== undefined && { description: schema.description }),
    required: !schema.isOptional(),
  }));
  return {
    name,
    title,
    description,
    ...(args.length > 0 && { arguments: args }),
    ...(_meta !== undefined && { _meta }),
  };
}
