/** Owns upstreams over raw node:http: MCP servers of one era that cost as little as they can, each at a path of its own. */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { announce, serveOptions } from './serving.ts';
import { faultOf } from './upstream-faults.ts';
import { answersOf } from './upstream-messages.ts';

const { tools, port } = serveOptions();
const { values } = parseArgs({ strict: false, options: { era: { type: 'string' } } });
const era = values.era === '2025' ? '2025' : '2026';
const byPath = new Map<string, ReturnType<typeof answersOf>>();
let fault: ReturnType<typeof faultOf>;

/** What answers at `/mcp`, or at `/mcp/<prefix of all names>/<number of tools>`. */
function answersAt(path: string): ReturnType<typeof answersOf> {
  const [, , prefix = '', count = String(tools)] = path.split('/');
  const answers = byPath.get(path) ?? answersOf({ era, tools: Number(count), prefix });
  byPath.set(path, answers);
  return answers;
}

const server = createServer((req, res) => {
  if (req.method !== 'POST') {
    res.writeHead(405).end();
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const text = Buffer.concat(chunks).toString();
    const body = answersAt(req.url ?? '/mcp')(text);
    if (fault !== undefined && body !== undefined && text.includes('"tools/call"')) {
      fault(res, body);
      return;
    }
    if (body === undefined) {
      res.writeHead(202).end();
      return;
    }
    const length = Buffer.byteLength(body);
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(body);
  });
});

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listen on a TCP port.');
  announce(
    { url: `http://127.0.0.1:${address.port}/mcp`, key: 'upstream-checks-no-key' },
    {
      close: () => server.closeAllConnections(),
      commands: {
        fault: (name) => {
          fault = faultOf(name);
          return { isBroken: fault !== undefined };
        },
      },
    },
  );
});
