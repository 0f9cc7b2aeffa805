/** The MCP servers of the demo, over standard input and output: `node example-server.js docs`, `weather` or `releases`. */
import { createInterface } from 'node:readline';

const text = (words) => ({ content: [{ type: 'text', text: words }] });
const object = (properties, required = Object.keys(properties)) => ({ type: 'object', properties, required });
const word = (description) => ({ type: 'string', description });

const PAGES = {
  'getting-started': 'Make a workspace, invite your team, and import your first board.',
  billing: 'Plans are paid per seat. A seat that is removed is refunded by the day.',
  shortcuts: 'Press ? anywhere. N makes a card, / finds one, G then B goes to boards.',
  api: 'Every board has a REST API. Keys are made in the settings of the workspace.',
};

const SKIES = ['clear', 'cloudy', 'light rain', 'windy', 'fog'];
/** The same place has the same weather on the same day. */
const chance = (place, most) =>
  [...place].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9973, 7) % most;

const RELEASES = [
  { version: '4.12.0', state: 'published', title: 'Boards by keyboard' },
  { version: '4.12.1', state: 'published', title: 'Postcodes of Ireland' },
  { version: '4.13.0', state: 'draft', title: 'Undo for deleted workspaces' },
];

const read = { readOnlyHint: true, openWorldHint: false };

const SERVERS = {
  docs: [
    {
      name: 'search_docs',
      title: 'Search the manual',
      description: 'Finds pages of the Harbor manual that have a word.',
      annotations: read,
      inputSchema: object({ query: word('A word, such as billing') }),
      run: ({ query = '' }) => {
        const found = Object.entries(PAGES).filter(([name, page]) =>
          `${name} ${page}`.toLowerCase().includes(query.toLowerCase()),
        );
        return text(found.map(([name, page]) => `${name}: ${page}`).join('\n') || 'No page has this word.');
      },
    },
    {
      name: 'get_page',
      title: 'Read a page',
      description: 'One page of the Harbor manual.',
      annotations: read,
      inputSchema: object({ name: { type: 'string', enum: Object.keys(PAGES) } }),
      run: ({ name }) => text(PAGES[name] ?? 'There is no such page.'),
    },
  ],
  weather: [
    {
      name: 'get_forecast',
      title: 'Get the forecast',
      description: 'The weather of a harbor for the next days; invented, and always the same.',
      annotations: read,
      inputSchema: object(
        { place: word('Such as Rotterdam'), days: { type: 'integer', minimum: 1, maximum: 7 } },
        ['place'],
      ),
      run: ({ place = '', days = 3 }) => {
        const forecast = Array.from({ length: days }, (_, day) => ({
          day: day + 1,
          sky: SKIES[(chance(place, 5) + day) % SKIES.length],
          celsius: 8 + ((chance(place, 11) + day * 3) % 14),
        }));
        return { ...text(JSON.stringify({ place, forecast })), structuredContent: { place, forecast } };
      },
    },
    {
      name: 'get_tides',
      title: 'Get the tides',
      description: 'High and low water of a harbor; invented, and always the same.',
      annotations: read,
      inputSchema: object({ place: word('Such as Rotterdam') }),
      run: ({ place = '' }) =>
        text(`High water in ${place} at 0${chance(place, 9)}:40, low water six hours later.`),
    },
  ],
  releases: [
    {
      name: 'list_releases',
      title: 'List releases',
      description: 'The releases of Harbor, the newest last.',
      annotations: read,
      inputSchema: object({}),
      run: () => ({ ...text(JSON.stringify(RELEASES)), structuredContent: { releases: RELEASES } }),
    },
    {
      name: 'publish_release',
      title: 'Publish a release',
      description: 'Publishes a draft; in this example it only says so.',
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: object({ version: word('Such as 4.13.0') }),
      run: ({ version }) => text(`Release ${version} is published.`),
    },
    {
      name: 'import_contacts',
      title: 'Import contacts',
      description: 'Imports contacts in batches and tells how far it is.',
      annotations: { readOnlyHint: false, destructiveHint: false },
      inputSchema: object({ batches: { type: 'integer', minimum: 1, maximum: 50 } }),
      run: async ({ batches = 1 }, progress) => {
        for (let done = 1; done <= batches; done += 1) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          progress(done, batches, `Batch ${done} of ${batches}`);
        }
        return text(`${batches * 40} contacts are imported, 3 were there already.`);
      },
    },
    {
      name: 'rebuild_search',
      title: 'Rebuild the search',
      description: 'Fails, as things do.',
      annotations: { readOnlyHint: false, destructiveHint: false },
      inputSchema: object({}),
      run: () => {
        throw new Error('The index of the search is locked by another rebuild. Try again in an hour.');
      },
    },
    {
      name: 'ON_EVENTS',
      title: 'Hear of events',
      description: 'Takes events that it was subscribed to.',
      inputSchema: object({ events: { type: 'array' } }),
      run: ({ events = [] }) => {
        const structuredContent = { success: true, processedCount: events.length };
        return { ...text(JSON.stringify(structuredContent)), structuredContent };
      },
    },
  ],
};

const name = process.argv[2] ?? '';
const tools = Object.hasOwn(SERVERS, name) ? SERVERS[name] : undefined;
if (tools === undefined) {
  process.stderr.write(`Name one of: ${Object.keys(SERVERS).join(', ')}\n`);
  process.exit(2);
}

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

async function answer({ method, params = {} }) {
  if (method === 'initialize') {
    const serverInfo = { name: `harbor-${name}`, version: '1.0.0' };
    return { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo };
  }
  if (method === 'ping') return {};
  if (method === 'tools/list') return { tools: tools.map(({ run: _run, ...tool }) => tool) };
  const tool = method === 'tools/call' ? tools.find((each) => each.name === params.name) : undefined;
  if (tool === undefined) throw Object.assign(new Error(`Unknown: ${method}`), { code: -32601 });
  const { progressToken } = params._meta ?? {};
  return tool.run(params.arguments ?? {}, (progress, total, message) => {
    if (progressToken !== undefined)
      say({ method: 'notifications/progress', params: { progressToken, progress, total, message } });
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) continue;
  try {
    say({ id: message.id, result: await answer(message) });
  } catch (error) {
    say({ id: message.id, error: { code: error.code ?? -32000, message: error.message } });
  }
}
