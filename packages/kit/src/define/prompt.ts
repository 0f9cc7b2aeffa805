/** Prompts: message templates a person picks in their client. */
import type { PromptMessage } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Context } from './context.ts';
import type { Completer } from './resource.ts';
import type { Privileged } from '../access/resolver.ts';

/** The literal `definePrompt` takes; arguments are strings on the wire. */
export interface PromptSpec<Services, Arguments extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Listed as it is. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  readonly privileged?: Privileged;
  readonly unattended?: 'block';
  available?(services: Services, caller: Caller): boolean;
  readonly arguments: Arguments;
  readonly complete?: Readonly<Record<string, Completer<Services>>>;
  /** A string becomes one user message. */
  get(
    args: z.output<Arguments>,
    ctx: Context<Services>,
  ): Promise<string | PromptMessage[]> | string | PromptMessage[];
}

export interface Prompt<Services = unknown, Arguments extends z.ZodObject = z.ZodObject> extends PromptSpec<
  Services,
  Arguments
> {
  readonly kind: 'prompt';
}

/** Any prompt, whatever its types. */
// oxlint-disable-next-line typescript/no-explicit-any -- a heterogeneous list has no common argument type
export type AnyPrompt = Prompt<any, any>;

export function definePrompt<Arguments extends z.ZodObject, Services = unknown>(
  spec: PromptSpec<Services, Arguments>,
): Prompt<Services, Arguments> {
  return { ...spec, kind: 'prompt' };
}
