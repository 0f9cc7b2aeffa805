/** A run of a tool in code before it is stored: with the checks, limits and reach that the stored one would have. */
import type { Caller, JsonSchema, RequestInfo } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { nestedCalls } from '../sandbox/nested-call.ts';
import type { RunOutcome, Sandbox } from '../sandbox/sandbox.ts';
import type { ToolUniverse } from '../sandbox/tool-universe.ts';
import type { FaultOf } from '../upstream/schema-checks/checker.ts';
import { inputCheck } from '../upstream/schema-checks/input-check.ts';
import { LIMIT_MS } from './code-tool.ts';

/** A tool that somebody is writing. */
export interface DraftTool {
  readonly code: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema | null;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Connections that it may call besides the members. */
  readonly dependencies: readonly string[];
}

export interface TrialParts {
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly universe: ToolUniverse;
  faultsOf(schema: JsonSchema): FaultOf;
}

/** Who tries it. */
export interface TrialCall {
  readonly caller: Caller;
  readonly request: RequestInfo;
  readonly signal: AbortSignal;
}

const LONGEST_FAULT = 300;

/** What came of it, with what the code wrote; what it broke of its own schemas is its error. */
export async function triedTool(
  draft: DraftTool,
  { sandbox, universe, faultsOf }: TrialParts,
  { caller, request, signal }: TrialCall,
): Promise<RunOutcome> {
  try {
    const args = await inputCheck(faultsOf(draft.inputSchema))(draft.arguments);
    const outcome = await sandbox.run(draft.code, {
      args,
      organizationId: caller.organizationId,
      timeoutMs: LIMIT_MS,
      call: nestedCalls(universe, caller, request),
      signal,
    });
    if (outcome.error !== undefined || draft.outputSchema === null) return outcome;
    const fault = await faultsOf(draft.outputSchema)(outcome.returnValue ?? null);
    if (fault === undefined) return outcome;
    const message = `What it returned does not fit its output schema: ${fault.slice(0, LONGEST_FAULT)}.`;
    return { ...outcome, error: { code: 'invalid_result', message } };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { error: { code: error.code, message: error.message }, consoleLogs: [] };
  }
}
