/** Owns the raw pass-through: node:http to a pool of undici and back, without a look at what passes. */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { detach } from '../../packages/kit/src/detach.ts';
import { announce, fail, serveOptions } from './serving.ts';

const { port } = serveOptions();
const { values } = parseArgs({ strict: false, options: { upstream: { type: 'string' } } });
const upstream = new URL(String(values.upstream));
const pool = new Pool(upstream.origin, { connections: 64 });
// set by the connection on either side
const OWN = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'authorization',
]);

const server = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const pass = async () => {
      const headers = Object.fromEntries(Object.entries(req.headers).filter(([name]) => !OWN.has(name)));
      const body = Buffer.concat(chunks);
      const answer = await pool.request({ method: 'POST', path: upstream.pathname, headers, body });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      const type = String(answer.headers['content-type']);
      res.writeHead(answer.statusCode, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
    };
    detach(pass(), fail);
  });
});

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listen on a TCP port.');
  announce(
    { url: `http://127.0.0.1:${address.port}/mcp`, key: 'passed-on-by-nobody' },
    {
      async close() {
        server.closeAllConnections();
        await pool.destroy();
      },
    },
  );
});
