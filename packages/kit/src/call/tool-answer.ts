/** What a client may get for a call. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { InputRequired } from './exchange.ts';
import type { CreatedTask } from './task-seam.ts';

/** A result, a question, or a task. */
export type ToolAnswer = CallToolResult | InputRequired | CreatedTask;

/** Tells a finished tool result from an interim answer or a task. */
export function isToolResult(answer: ToolAnswer): answer is CallToolResult {
  return answer.resultType === undefined || answer.resultType === 'complete';
}
