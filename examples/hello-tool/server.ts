/** A whole MCP server: one tool, served over stdio. */
import { defineTool, defineToolset, serveStdio } from '@parley/kit';
import * as z from 'zod';

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Greets someone by name.',
  effect: 'read',
  input: z.object({ name: z.string().min(1).describe('Who is greeted') }),
  output: z.object({ greeting: z.string() }),
  run: ({ name }) => ({ greeting: `Hello, ${name}!` }),
});

await serveStdio(defineToolset({ name: 'hello', title: 'Hello', tools: [greet] }));
