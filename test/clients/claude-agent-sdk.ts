/** The Claude Agent SDK as tests use it: the real package, with a stand-in for Claude Code below it. */
import { fileURLToPath } from 'node:url';
import type { SdkTool } from '../../packages/agent/src/index.ts';
import { loadTool, scratchEnvironment } from './foreign-client.ts';

export interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly result?: string;
}

interface Asked {
  readonly prompt: string;
  readonly options: object;
}

interface ClaudeAgentSdk {
  query(asked: Asked): AsyncIterable<SdkMessage>;
  tool(name: string, description: string, shape: object, handler: object, extras?: object): SdkTool;
}

const sdk = loadTool<ClaudeAgentSdk>('@anthropic-ai/claude-agent-sdk');
const STUB = fileURLToPath(new URL('claude-code-stub.ts', import.meta.url));

export const { tool } = sdk;

export function query({ prompt, options }: Asked): AsyncIterable<SdkMessage> {
  const below = { pathToClaudeCodeExecutable: STUB, env: scratchEnvironment('/nonexistent') };
  return sdk.query({ prompt, options: { ...options, ...below } });
}
