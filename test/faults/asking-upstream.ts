/** An upstream of 2025 with two tools: one answers, one asks for a name in the middle of its call. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { detach } from '@parley/kit';
import type { Listening } from '@parley/test-support/listening';
import { listening } from '@parley/test-support/listening';

export interface AskingUpstream extends Listening {
  /** Calls so far, by tool. */
  readonly calls: { work: number; ask: number };
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: { readonly said?: string } };
  readonly result?: { readonly content?: { readonly name?: string } };
}

const inputSchema = { type: 'object', properties: { said: { type: 'string' } } };
const TOOLS = [
  { name: 'work', description: 'Repeats what is said.', inputSchema },
  { name: 'ask', description: 'Asks for a name.', inputSchema },
];
const QUESTION = {
  message: 'Name?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};

export async function startAskingUpstream(): Promise<AskingUpstream> {
  const calls = { work: 0, ask: 0 };
  const asked = new Map<string, (name: string) => void>();

  function call({ id, params }: Message, res: ServerResponse): void {
    const said = params?.arguments?.said ?? '';
    const resultOf = (text: string) => ({
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text }] },
    });
    if (params?.name === 'work') {
      calls.work += 1;
      return writeJson(res, resultOf(said));
    }
    calls.ask += 1;
    const question = `question-${calls.ask}`;
    asked.set(question, (name) => res.end(eventOf(resultOf(`${name} on ${said}`))));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(eventOf({ jsonrpc: '2.0', id: question, method: 'elicitation/create', params: QUESTION }));
  }

  function answer(message: Message, res: ServerResponse): void {
    const { id, method } = message;
    if (method === 'tools/call') return call(message, res);
    if (method === 'initialize') {
      const serverInfo = { name: 'asking', version: '1.0.0' };
      const result = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
      res.setHeader('mcp-session-id', 'session');
      return writeJson(res, { jsonrpc: '2.0', id, result });
    }
    if (method === 'tools/list') return writeJson(res, { jsonrpc: '2.0', id, result: { tools: TOOLS } });
    if (method !== undefined && id !== undefined)
      return writeJson(res, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
    if (method === undefined) asked.get(String(id))?.(message.result?.content?.name ?? 'nobody');
    res.writeHead(202).end();
  }

  const server = createServer((req, res) => {
    if (req.method !== 'POST') {
      res.writeHead(req.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const take = async () => answer(JSON.parse(await bodyOf(req)) as Message, res);
    // A client that gives up breaks off its request.
    detach(take, () => res.destroy());
  });
  return { ...(await listening(server)), calls };
}

function writeJson(res: ServerResponse, body: object): void {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function eventOf(message: object): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
