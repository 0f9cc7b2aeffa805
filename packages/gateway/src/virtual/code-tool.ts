/** A tool written in code: its arguments go into the sandbox as data, and what it returns is held against its schema. */
import type { ServedVirtualTool } from '@parley/connections';
import type { OutsideTool } from '@parley/kit';
import { defineOutsideTool, errorResult, faultsAgainst, ToolError } from '@parley/kit';
import { nestedCalls } from '../sandbox/nested-call.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import { isObject } from '../messages.ts';
import { effectOf, isExternal } from './hints.ts';

const LIMIT_MS = 30_000;
// Codes of the sandbox itself; any other is the code's own word, and no label for a record.
const LIMITS: ReadonlySet<string> = new Set(['timeout', 'out_of_memory', 'sandbox_failed', 'too_large']);
const FIELDS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** The tool; `universe` has what its code may call. */
export function codeTool(
  tool: ServedVirtualTool,
  { sandbox, universe }: { readonly sandbox: Pick<Sandbox, 'run'>; universe(): Promise<ToolUniverse> },
): OutsideTool {
  const { name, code, inputSchema, outputSchema, annotations } = tool;
  const title = typeof annotations?.title === 'string' ? annotations.title : name;
  const told = FIELDS.filter((field) => typeof annotations?.[field] === 'boolean');
  let checking: ReturnType<typeof faultsAgainst> | undefined;
  return defineOutsideTool({
    name,
    title,
    description: tool.description ?? '',
    effect: effectOf(annotations),
    external: isExternal(annotations),
    hints: Object.fromEntries(told.map((field) => [field, annotations?.[field] === true])),
    inputSchema,
    ...(outputSchema !== null && { outputSchema }),
    async call(args, call) {
      const { caller, request, signal } = call;
      const { returnValue, error } = await sandbox.run(code, {
        args,
        organizationId: caller.organizationId,
        timeoutMs: LIMIT_MS,
        call: nestedCalls(await universe(), caller, request),
        signal,
      });
      if (error !== undefined) {
        const failure = new ToolError(error.code, error.message);
        if (LIMITS.has(error.code)) throw failure;
        return errorResult(failure);
      }
      if (outputSchema !== null) {
        const fault = (await (checking ??= faultsAgainst(outputSchema)))(returnValue ?? null);
        if (fault !== undefined)
          throw new ToolError('invalid_result', `The tool ${name} broke its own output schema: ${fault}.`);
      }
      const text = returnValue === undefined ? '' : asText(returnValue);
      return {
        content: [{ type: 'text', text }],
        ...(isObject(returnValue) && { structuredContent: returnValue }),
      };
    },
  });
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
