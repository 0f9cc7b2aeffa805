/** What the server would inject, as tests decide it: upstream servers, the sandbox, the engine. */
import type { ConnectionAuth, Discovery, Upstream, UpstreamTarget, UpstreamTool } from '@parley/connections';
import type { Engine } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { MANAGEMENT } from '../src/name.ts';
import type { CodeExecution } from '../src/services/code.ts';

/** What a test makes of every upstream. */
export interface ScriptedUpstream {
  isStdioAllowed: boolean;
  commands: readonly string[] | undefined;
  answer: Discovery;
  /** Whom the mesh asked, and what for. */
  readonly asked: { readonly what: 'test' | 'discover' | 'call'; readonly target: UpstreamTarget }[];
  readonly told: { readonly tool: string; readonly args: Record<string, unknown> }[];
  /** Back to two tools, no programs, and nobody asked. */
  reset(): void;
}

/** A tool without much to it. */
export function upstreamTool(name: string, more: Partial<UpstreamTool> = {}): UpstreamTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
}

/** An upstream for the mesh, and the script that it follows. */
export function createUpstream(): { script: ScriptedUpstream; upstream: Upstream } {
  const script: ScriptedUpstream = {
    isStdioAllowed: false,
    commands: undefined,
    answer: { ok: true, tools: [upstreamTool('ALPHA'), upstreamTool('BETA')] },
    asked: [],
    told: [],
    reset() {
      script.isStdioAllowed = false;
      script.commands = undefined;
      script.answer = { ok: true, tools: [upstreamTool('ALPHA'), upstreamTool('BETA')] };
      script.asked.length = 0;
      script.told.length = 0;
    },
  };
  const upstream: Upstream = {
    get isStdioAllowed() {
      return script.isStdioAllowed;
    },
    get commands() {
      return script.commands;
    },
    async test(target) {
      script.asked.push({ what: 'test', target });
      return script.answer.ok ? { ok: true } : script.answer;
    },
    async discover(target) {
      script.asked.push({ what: 'discover', target });
      return script.answer;
    },
    async call(target, tool, args) {
      script.asked.push({ what: 'call', target });
      script.told.push({ tool, args });
      return script.answer.ok ? { ok: true, outcome: 'answered', data: {} } : script.answer;
    },
  };
  return { script, upstream };
}

/** A sandbox that knows one tool and notes what it runs. */
export function createSandbox(): { ran: string[]; sandbox: CodeExecution } {
  const ran: string[] = [];
  const tool = { name: 'ALPHA', description: 'Does ALPHA.', connection: 'Upstream', inputSchema: {} };
  const sandbox: CodeExecution = {
    search: async () => ({ found: [tool], total: 1 }),
    describe: async (_caller, names) => ({
      found: names.includes(tool.name) ? [tool] : [],
      notFound: names.filter((name) => name !== tool.name),
    }),
    async run(_caller, { code }) {
      ran.push(code);
      return { returnValue: ran.length, consoleLogs: [] };
    },
    async checkCode(code) {
      if (code.includes('syntax error'))
        throw new ToolError('invalid', 'line 2, column 5: Unexpected token', { line: 2, column: 5 });
    },
  };
  return { ran, sandbox };
}

/** An engine that knows the mesh alone, one tool of it and no titles, which is all that the mesh asks it for. */
export const NO_ENGINE = {
  catalogFor: () => ({
    toolsets: [{ name: MANAGEMENT }],
    tools: [{ toolset: MANAGEMENT, name: 'ORGANIZATION_GET' }],
    prompts: [],
    resources: [],
  }),
} as unknown as Engine;

const unknownConnection = async () => {
  throw new ToolError('not_found', 'Connection not found');
};

/** Credentials of connections that nobody has. */
export const NO_AUTH: ConnectionAuth = {
  state: unknownConnection,
  states: async () => new Map(),
  people: unknownConnection,
  steps: unknownConnection,
  authorize: unknownConnection,
  offer: unknownConnection,
  follow: unknownConnection,
  finish: unknownConnection,
  revoke: unknownConnection,
  setToken: unknownConnection,
  removeToken: unknownConnection,
  clientDocument: () => undefined,
};
