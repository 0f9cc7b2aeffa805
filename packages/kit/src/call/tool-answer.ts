/** What a client may get for a call: a result, a question, or a task. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';

/** The interim answer that asks the client for input. */
export type InputRequired = InputRequiredResult;

/** The answer that hands a task to a client; flat, as the tasks extension writes it. */
export interface CreatedTask {
  readonly [field: string]: unknown;
  readonly resultType: 'task';
  readonly taskId: string;
}

/** A result, a question, or a task. */
export type ToolAnswer = CallToolResult | InputRequired | CreatedTask;

/** Tells the question from a finished answer. */
export function isInputRequired(answer: object): answer is InputRequired {
  return 'resultType' in answer && answer.resultType === 'input_required';
}

/** Tells a finished tool result from an interim answer or a task. */
export function isToolResult(answer: ToolAnswer): answer is CallToolResult {
  return answer.resultType === undefined || answer.resultType === 'complete';
}
