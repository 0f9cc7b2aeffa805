/** A tool written in code: its arguments go into the sandbox as data, and what it returns is held against its schema. */
import type { ServedVirtualTool } from '@parley/connections';
import type { JsonSchema, OutsideTool } from '@parley/kit';
import { defineOutsideTool, errorResult, ToolError } from '@parley/kit';
import { nestedCalls } from '../sandbox/nested-call.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import { isObject } from '../messages.ts';
import type { FaultOf } from '../upstream/schema-checks/checker.ts';
import { inputCheck } from '../upstream/schema-checks/input-check.ts';
import { uncheckedResult } from '../upstream/schema-checks/unchecked.ts';
import { effectOf, isExternal } from './hints.ts';

/** How long the code of a tool may run. */
export const LIMIT_MS = 30_000;
const LONGEST_FAULT = 300;
// Codes of the sandbox itself; any other is the code's own word, and no label for a record.
const LIMITS: ReadonlySet<string> = new Set(['timeout', 'out_of_memory', 'sandbox_failed', 'too_large']);
const FIELDS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What a tool in code is made with. */
export interface CodeToolParts {
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** What its code may call. */
  universe(): Promise<ToolUniverse>;
  /** The check of values against a schema that somebody wrote. */
  faultsOf(schema: JsonSchema): FaultOf;
}

/** The tool. */
export function codeTool(
  tool: ServedVirtualTool,
  { sandbox, universe, faultsOf }: CodeToolParts,
): OutsideTool {
  const { name, code, inputSchema, outputSchema, annotations } = tool;
  const title = typeof annotations?.title === 'string' ? annotations.title : name;
  const told = FIELDS.filter((field) => typeof annotations?.[field] === 'boolean');
  const outputFault = outputSchema === null ? undefined : faultsOf(outputSchema);
  return defineOutsideTool({
    name,
    title,
    description: tool.description ?? '',
    effect: effectOf(annotations),
    external: isExternal(annotations),
    hints: Object.fromEntries(told.map((field) => [field, annotations?.[field] === true])),
    inputSchema,
    ...(outputSchema !== null && { outputSchema }),
    check: inputCheck(faultsOf(inputSchema)),
    async call(args, call) {
      const { caller, request, signal } = call;
      const { returnValue, error: failed } = await sandbox.run(code, {
        args,
        organizationId: caller.organizationId,
        timeoutMs: LIMIT_MS,
        call: nestedCalls(await universe(), caller, request),
        signal,
      });
      if (failed !== undefined) {
        const failure = new ToolError(failed.code, failed.message);
        if (LIMITS.has(failed.code)) throw failure;
        return errorResult(failure);
      }
      const fault = await outputFault?.(returnValue ?? null).catch((error: unknown) => {
        throw uncheckedResult(error, 'this server', name);
      });
      if (fault !== undefined)
        throw new ToolError(
          'invalid_result',
          `The tool ${name} broke its own output schema: ${fault.slice(0, LONGEST_FAULT)}.`,
        );
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
