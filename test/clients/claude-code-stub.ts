/** Stands in for Claude Code below its SDK: lists the tools of each MCP server of the SDK, calls what the prompt says, and returns all of it as the result. */
import { createInterface } from 'node:readline';
import { detach } from '../../packages/kit/src/detach.ts';

interface Frame {
  readonly type: string;
  readonly request_id?: string;
  readonly request?: { readonly subtype: string; readonly sdkMcpServers?: readonly string[] };
  readonly response?: {
    readonly request_id: string;
    readonly response?: { readonly mcp_response?: unknown };
  };
  readonly message?: { readonly content: unknown };
}

/** What the prompt says, as JSON. */
interface Wanted {
  readonly calls: readonly { readonly server: string; readonly name: string; readonly arguments: object }[];
}

const SESSION = '00000000-0000-4000-8000-000000000000';
const waiting = new Map<string, (answer: unknown) => void>();
let servers: readonly string[] = [];
let count = 0;

function write(frame: object): void {
  process.stdout.write(`${JSON.stringify(frame)}\n`);
}

/** Sends a message of MCP through the SDK. */
function mcp(server: string, message: object): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const id = `stub-${(count += 1)}`;
  waiting.set(id, resolve);
  const request = { subtype: 'mcp_message', server_name: server, message };
  write({ type: 'control_request', request_id: id, request });
  return promise;
}

const rpc = (server: string, method: string, params: object) =>
  mcp(server, { jsonrpc: '2.0', id: (count += 1), method, params });

async function perform({ calls }: Wanted): Promise<unknown> {
  const listed: Record<string, unknown> = {};
  for (const server of servers) {
    const clientInfo = { name: 'claude-code-stub', version: '1.0.0' };
    await rpc(server, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    await mcp(server, { jsonrpc: '2.0', method: 'notifications/initialized' });
    listed[server] = await rpc(server, 'tools/list', {});
  }
  const answers: unknown[] = [];
  for (const { server, name, arguments: args } of calls)
    answers.push(await rpc(server, 'tools/call', { name, arguments: args }));
  return { listed, answers };
}

async function hear(frame: Frame): Promise<void> {
  if (frame.type === 'control_response' && frame.response !== undefined) {
    const { request_id: id, response } = frame.response;
    waiting.get(id)?.(response?.mcp_response);
    waiting.delete(id);
  }
  if (frame.type === 'control_request') {
    servers = frame.request?.sdkMcpServers ?? servers;
    const response = { commands: [], models: [], output_style: 'default', available_output_styles: [] };
    write({
      type: 'control_response',
      response: { subtype: 'success', request_id: frame.request_id, response },
    });
  }
  if (frame.type === 'user') {
    const result = JSON.stringify(await perform(JSON.parse(textOf(frame.message?.content)) as Wanted));
    write({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result,
      session_id: SESSION,
      uuid: SESSION,
      num_turns: 1,
      duration_ms: 0,
      duration_api_ms: 0,
      total_cost_usd: 0,
      usage: {},
      modelUsage: {},
      permission_denials: [],
    });
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  // Blocks, as the SDK writes a prompt.
  return (content as { text: string }[]).map(({ text }) => text).join('');
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  // As the SDK writes them.
  detach(hear(JSON.parse(line) as Frame), (error) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
    lines.close();
  });
});
