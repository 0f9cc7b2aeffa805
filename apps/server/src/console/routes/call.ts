/** Calls of tools by the person who is signed in: as JSON, or as a stream with progress and questions. */
import { ownAnswer } from '@parley/http/rest';
import * as z from 'zod';
import { callTool } from '../call-tool.ts';
import { defineRoute } from '../scope.ts';

const Call = z.strictObject({
  arguments: z.record(z.string(), z.unknown()).default({}),
  requestState: z
    .string()
    .max(1_000_000)
    .optional()
    .describe('What came with a question, brought back with its answers'),
  inputResponses: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('The answers, by the keys of the questions'),
  as: z.string().min(1).max(128).optional().describe('A key or an agent to call as, by id or name'),
});

export const callRoutes = [
  defineRoute({
    method: 'POST',
    path: '/call/:endpoint/:tool',
    summary:
      'Call a tool; with Accept: text/event-stream as a stream of progress, log, question, task, result or error',
    who: 'person',
    effect: 'run',
    // The engine records it, with the tool that was called.
    isQuiet: true,
    query: z.strictObject({ mode: z.string().max(40).optional().describe('The mode of a virtual MCP') }),
    body: Call,
    answer: ownAnswer,
    run: (scope) => callTool(scope),
  }),
];
